//! The command line: raw values only, and which command they start.

use crate::commands::{self, Context, Exit};
use crate::settings::{ConnectionFlags, OutputFlags};
use clap::{Args, Parser, Subcommand};

/// Copy, list and delete S3 objects, in pipes.
#[derive(Debug, Parser)]
#[command(name = "s3kit", version, propagate_version = true, max_term_width = 100, args_override_self = true)]
#[command(disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
pub struct GlobalArgs {
    #[command(flatten)]
    pub output: OutputFlags,
    #[command(flatten)]
    pub connection: ConnectionFlags,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List objects, or buckets
    Ls(commands::ls::Args),
    /// Copy between files, objects, stdin and stdout
    Cp(Box<commands::cp::Args>),
    /// Write objects to stdout, in order
    Cat(commands::cat::Args),
    /// Delete objects
    Rm(commands::rm::Args),
    /// Print facts about objects as JSON lines
    Stat(commands::stat::Args),
    /// Make a bucket
    Mb(commands::mb::Args),
    /// Remove an empty bucket
    Rb(commands::rb::Args),
    /// Start an S3 endpoint on this machine
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
            Self::Ls(args) => commands::ls::run(context, args).await,
            Self::Cp(args) => commands::cp::run(context, *args).await,
            Self::Cat(args) => commands::cat::run(context, args).await,
            Self::Rm(args) => commands::rm::run(context, args).await,
            Self::Stat(args) => commands::stat::run(context, args).await,
            Self::Mb(args) => commands::mb::run(context, args).await,
            Self::Rb(args) => commands::rb::run(context, args).await,
            Self::Serve(args) => commands::serve::run(context, args).await,
            Self::Generate(args) => commands::generate::run(&args, <Cli as clap::CommandFactory>::command()),
        }
    }
}

impl Cli {
    /// Resolves the settings and runs the command. A signal that came meanwhile is the exit status.
    pub async fn start(self) -> Exit {
        commands::session(self.command.name(), &self.global.connection, &self.global.output, |context| async move {
            self.command.run(&context).await
        })
        .await
    }
}
