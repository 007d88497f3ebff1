//! `rm`: deletes objects and versions.

use super::filters::FilterArgs;
use super::input::InputArgs;
use super::{Context, Exit};
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Objects, as `s3://bucket/key`; globs are expanded
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

    #[command(flatten)]
    pub input: InputArgs,
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
pub async fn run(_context: &Context, _args: Args) -> Exit {
    todo!()
}
