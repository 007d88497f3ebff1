//! `mb`: makes buckets.

use super::{Context, Exit, buckets};
use crate::s3::ops::CreateBucket;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Buckets, as `s3://bucket`
    #[arg(value_name = "URI", required = true)]
    pub operands: Vec<String>,
}

/// Runs `mb`.
pub async fn run(context: &Context, args: Args) -> Exit {
    buckets::each(context, &args.operands, "made", |bucket| CreateBucket { bucket }).await
}
