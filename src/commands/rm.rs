//! `rm`: deletes objects and versions.

mod removal;

use super::filters::FilterArgs;
use super::input::InputArgs;
use super::report::{Report, Wanted};
use super::{Context, Exit};
use removal::Removal;
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Objects, as `s3://bucket/key` or a glob; none: records on stdin
    #[arg(value_name = "URI")]
    pub operands: Vec<String>,
    /// Delete all below a path; asks first
    #[arg(short, long)]
    pub recursive: bool,
    /// Print what would be deleted, as records; send only reads
    #[arg(short = 'n', long, alias = "dryrun")]
    pub dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    pub force: bool,
    /// Delete at most N objects: none of a tree that holds more, the first N of a list
    #[arg(long, value_name = "N")]
    pub max_delete: Option<u64>,
    /// Version of the one object named
    #[arg(long, value_name = "ID", conflicts_with = "recursive", hide_short_help = true)]
    pub version_id: Option<String>,

    /// The list to read.
    #[command(flatten)]
    pub input: InputArgs,
    /// What to take of it.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Print everything deleted, as records
    #[arg(long, help_heading = "Output")]
    pub print: bool,
    /// With --print or --dry-run: JSON lines
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write the input records of what failed to FILE, ready for another run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub failed: Option<PathBuf>,
}

/// Runs `rm`.
pub async fn run(context: &Context, args: Args) -> Exit {
    match start(context, &args).await {
        Ok(exit) | Err(exit) => exit,
    }
}

async fn start(context: &Context, args: &Args) -> Result<Exit, Exit> {
    let removal = Removal::read(context, args)?;
    let client = context.client()?;
    removal.ask(&client).await?;
    let wanted = Wanted {
        print: args.print || args.dry_run,
        json: args.json,
        failed: args.failed.clone(),
        from: args.input.from.clone(),
        framing: args.input.framing(),
    };
    let mut report = Report::open(context, wanted)?;
    let progress = context.progress(args.print || args.dry_run);
    let (read, is_list, stopped) = removal.run(&client, &mut report).await?;
    drop(progress);
    let mut exit = report.finish().await;
    if stopped {
        context.printer.error("stopped: --max-delete is reached and there is more");
        exit = exit.and(Exit::Stopped);
    }
    if is_list && read == 0 {
        return Ok(exit.and(super::empty_list(context, args.input.require_input)));
    }
    if !args.dry_run {
        context.summary("deleted");
    }
    Ok(exit)
}
