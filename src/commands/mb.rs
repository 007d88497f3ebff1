//! `mb`: makes buckets.

use super::{Context, Exit};
use crate::engine::Failure;
use crate::model::uri::S3Uri;
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
        match client.send(&CreateBucket { bucket: bucket.clone() }).await {
            Ok(()) => context.stats.job_done(0),
            Err(error) => {
                context.stats.job_failed();
                exit = exit.and(context.printer.failure(&format!("s3://{bucket}"), &Failure::S3(error)));
            }
        }
    }
    context.summary("made");
    exit
}

/// The bucket an operand names, with or without `s3://`.
pub(super) fn bucket(text: &str) -> Result<String, String> {
    match S3Uri::parse_lenient(text) {
        Ok(uri) if uri.key.is_empty() => Ok(uri.bucket),
        Ok(_) => Err(format!("{text}: an object, where a bucket is expected")),
        Err(error) => Err(format!("{text}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_named_without_a_key() {
        assert_eq!(bucket("s3://b"), Ok("b".into()));
        assert_eq!(bucket("b/"), Ok("b".into()));
        assert!(bucket("s3://b/k").is_err());
    }
}
