//! `rb`: removes empty buckets.

use super::{Context, Exit};

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Buckets, as `s3://bucket`
    #[arg(value_name = "URI", required = true)]
    pub operands: Vec<String>,
}

/// Runs `rb`.
pub async fn run(_context: &Context, _args: Args) -> Exit {
    todo!()
}
