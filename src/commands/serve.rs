//! `serve`: starts the embedded S3 endpoint.

use super::{Context, Exit};
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Directory that holds the store; none: --memory
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

/// Runs `serve`.
pub async fn run(_context: &Context, _args: Args) -> Exit {
    todo!()
}
