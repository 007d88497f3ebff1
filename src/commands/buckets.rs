//! What `mb` and `rb` share: one operation on each bucket named, one summary line.

use super::{Context, Exit};
use crate::engine::Failure;
use crate::model::uri::S3Uri;
use crate::s3::Operation;

/// Runs an operation on every bucket named, in order; `verb` is for the summary.
pub(super) async fn each<O: Operation<Output = ()>>(
    context: &Context,
    operands: &[String],
    verb: &str,
    operation: impl Fn(String) -> O,
) -> Exit {
    let buckets = match operands.iter().map(|text| bucket(text)).collect::<Result<Vec<_>, _>>() {
        Ok(buckets) => buckets,
        Err(text) => return context.usage(&text),
    };
    let client = match context.client() {
        Ok(client) => client,
        Err(exit) => return exit,
    };
    let mut exit = Exit::Success;
    for bucket in buckets {
        let name = format!("s3://{bucket}");
        context.stats.job_started();
        match client.send(&operation(bucket)).await {
            Ok(()) => context.stats.job_done(0),
            Err(error) => {
                context.stats.job_failed();
                exit = exit.and(context.printer.failure(&name, &Failure::S3(error)));
            }
        }
    }
    context.summary(verb);
    exit
}

/// The bucket an operand names, with or without `s3://`.
fn bucket(text: &str) -> Result<String, String> {
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
