//! The command line: raw values only, and which command they start.

mod text;

use crate::commands::{self, Context, Exit};
use crate::settings::{ConnectionFlags, OutputFlags};
use clap::{Args, CommandFactory, Parser, Subcommand};

/// Copy, list and delete S3 objects, in pipes.
#[derive(Debug, Parser)]
#[command(name = "s3kit", version, propagate_version = true, max_term_width = 100, args_override_self = true)]
#[command(disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
#[command(help_template = text::TEMPLATE)]
#[command(before_help = text::S3KIT, after_long_help = text::MORE)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
pub struct GlobalArgs {
    /// What is said, and how.
    #[command(flatten)]
    pub output: OutputFlags,
    /// How the store is reached.
    #[command(flatten)]
    pub connection: ConnectionFlags,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List objects, or buckets
    ///
    /// Lists all objects whose key begins with a prefix, one record a line, in the order of the store: byte order. Records
    /// are what other commands read: a URI line, or with --json, --tsv and -0 other forms. Without an operand it lists buckets.
    /// A name or glob that matches nothing is a failure; an empty bucket is not.
    #[command(help_template = text::TEMPLATE, before_help = text::LS, after_long_help = text::MORE, disable_version_flag = true)]
    Ls(commands::ls::Args),
    /// Copy between files, objects, stdin and stdout
    ///
    /// Each source becomes one destination that is whole or absent, and is checked by length and checksum. A destination that
    /// ends in `/`, a bucket and an existing directory take the names of the sources. Without sources, records are read from
    /// stdin: URIs, local paths, or pairs of source and destination.
    #[command(help_template = text::TEMPLATE, before_help = text::CP, after_long_help = text::MORE, disable_version_flag = true, override_usage = text::CP_USAGE)]
    Cp(Box<commands::cp::Args>),
    /// Write objects to stdout, in order
    ///
    /// Objects are fetched ahead but written in the order given. If one breaks after some of its bytes were written, the
    /// command ends there.
    #[command(help_template = text::TEMPLATE, before_help = text::CAT, after_long_help = text::MORE, disable_version_flag = true)]
    Cat(commands::cat::Args),
    /// Delete objects
    ///
    /// Operands name objects; with -r they name paths, and the command asks before it deletes. `s3://b/logs` means the object
    /// `logs` and all below `logs/`, never `logs.json`. Of records on stdin it never asks.
    #[command(help_template = text::TEMPLATE, before_help = text::RM, after_long_help = text::MORE, disable_version_flag = true)]
    Rm(commands::rm::Args),
    /// Print facts about objects as JSON lines
    ///
    /// One HEAD an object, many at once, answers in the order asked. Each line reads back as a record.
    #[command(help_template = text::TEMPLATE, before_help = text::STAT, after_long_help = text::MORE, disable_version_flag = true)]
    Stat(commands::stat::Args),
    /// Make a bucket
    #[command(help_template = text::TEMPLATE, before_help = text::MB, after_long_help = text::MORE, disable_version_flag = true)]
    Mb(commands::mb::Args),
    /// Remove an empty bucket
    #[command(help_template = text::TEMPLATE, before_help = text::RB, after_long_help = text::MORE, disable_version_flag = true)]
    Rb(commands::rb::Args),
    /// Start an S3 endpoint on this machine
    ///
    /// A store with the semantics of S3, in memory or in a directory, for tests and rehearsals: answers can be slow, throttled
    /// or wrong on purpose.
    #[command(help_template = text::TEMPLATE, before_help = text::SERVE, after_long_help = text::SERVE_MORE, disable_version_flag = true)]
    Serve(commands::serve::Args),
    /// Write man pages or completions to a directory
    #[command(hide = true)]
    Generate(commands::generate::Args),
}

impl Command {
    /// As it is typed.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ls(_) => "ls",
            Self::Cp(_) => "cp",
            Self::Cat(_) => "cat",
            Self::Rm(_) => "rm",
            Self::Stat(_) => "stat",
            Self::Mb(_) => "mb",
            Self::Rb(_) => "rb",
            Self::Serve(_) => "serve",
            Self::Generate(_) => "generate",
        }
    }

    /// Runs the command to its end.
    pub async fn run(self, context: &Context) -> Exit {
        match self {
            Self::Ls(args) => context.until_cancelled(commands::ls::run(context, args)).await,
            Self::Cp(args) => commands::cp::run(context, *args).await,
            Self::Cat(args) => commands::cat::run(context, args).await,
            Self::Rm(args) => commands::rm::run(context, args).await,
            Self::Stat(args) => context.until_cancelled(commands::stat::run(context, args)).await,
            Self::Mb(args) => commands::mb::run(context, args).await,
            Self::Rb(args) => commands::rb::run(context, args).await,
            Self::Serve(args) => commands::serve::run(context, args).await,
            Self::Generate(args) => commands::generate::run(context, &args, Cli::command()),
        }
    }
}

impl Cli {
    /// Resolves the settings and runs the command. A signal that came meanwhile is the exit status, but for a server, whose usual end
    /// it is.
    pub async fn start(self) -> Exit {
        let serves = matches!(self.command, Command::Serve(_));
        let name = self.command.name();
        let run = |context| async move { self.command.run(&context).await };
        match commands::session(name, &self.global.connection, &self.global.output, run).await {
            Exit::Signal(_) if serves => Exit::Success,
            exit => exit,
        }
    }
}
