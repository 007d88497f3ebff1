//! `rb`: removes empty buckets. One that holds objects is refused by the store, and stays.

use super::{Context, Exit, buckets};
use crate::s3::ops::DeleteBucket;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Buckets, as `s3://bucket`
    #[arg(value_name = "URI", required = true)]
    pub operands: Vec<String>,
}

/// Runs `rb`.
pub async fn run(context: &Context, args: Args) -> Exit {
    buckets::each(context, &args.operands, "removed", |bucket| DeleteBucket { bucket }).await
}
