//! `stat`: prints all facts about objects, one JSON line each.

use super::input::InputArgs;
use super::{Context, Exit};
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Objects, as `s3://bucket/key`; globs are expanded
    #[arg(value_name = "URI")]
    pub operands: Vec<String>,
    /// Version of the one object named
    #[arg(long, value_name = "ID")]
    pub version_id: Option<String>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Write the input records of what failed to FILE, ready for another run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub failed: Option<PathBuf>,
}

/// Runs `stat`.
pub async fn run(_context: &Context, _args: Args) -> Exit {
    todo!()
}
