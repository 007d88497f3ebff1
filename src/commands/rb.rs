//! `rb`: removes empty buckets. One that holds objects is refused by the store, and stays.

use super::mb::bucket;
use super::{Context, Exit};
use crate::engine::Failure;
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
    let buckets = match args.operands.iter().map(|text| bucket(text)).collect::<Result<Vec<_>, _>>() {
        Ok(buckets) => buckets,
        Err(text) => return context.usage(&text),
    };
    let client = match context.client() {
        Ok(client) => client,
        Err(exit) => return exit,
    };
    let mut exit = Exit::Success;
    for bucket in buckets {
        match client.send(&DeleteBucket { bucket: bucket.clone() }).await {
            Ok(()) => context.stats.job_done(0),
            Err(error) => {
                context.stats.job_failed();
                exit = exit.and(context.printer.failure(&format!("s3://{bucket}"), &Failure::S3(error)));
            }
        }
    }
    context.summary("removed");
    exit
}
