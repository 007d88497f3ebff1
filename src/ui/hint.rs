//! What to do about a failure: the one place that knows remedies.

use crate::engine::Failure;
use crate::s3::Error;
use std::io;

/// The remedy for an S3 failure, by its code.
pub(super) fn of_s3(error: &Error) -> Option<String> {
    let bucket = &error.bucket;
    let text = match error.code.as_str() {
        "NoSuchBucket" => {
            format!("check the name, or make it: `s3kit mb s3://{bucket}`; `s3kit ls` lists your buckets")
        }
        "NoSuchKey" | "404" if error.key.ends_with('/') => "add -r to work on everything below a path".into(),
        "NoSuchKey" | "NotFound" | "404" if !error.key.is_empty() => {
            let directory = &error.key[..error.key.rfind('/').map_or(0, |slash| slash + 1)];
            format!("`s3kit ls s3://{bucket}/{directory}` shows what is there")
        }
        "AccessDenied" | "Forbidden" | "403" => {
            format!("the credentials in use do not allow {}; -vv says where they come from", error.operation)
        }
        "NoCredentials" => no_credentials(),
        "InvalidAccessKeyId" => {
            "the key may belong to another store: check --endpoint-url and --profile; -vv says where it comes from"
                .into()
        }
        "SignatureDoesNotMatch" => {
            "check the secret key, and that no proxy changes requests; -vv says where the key comes from".into()
        }
        "ExpiredToken" | "ExpiredTokenException" | "InvalidToken" => {
            "get fresh credentials and run the same command again".into()
        }
        "RequestTimeTooSkewed" => "set this machine's clock, for example with `timedatectl set-ntp true`".into(),
        "PermanentRedirect" | "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException" => {
            "the bucket is in another region: give it with --region".into()
        }
        "Resolve" | "Dns" => "check the host name in --endpoint-url, and --region".into(),
        "Connect" | "ConnectFailed" => {
            "is the store running, and the port in --endpoint-url right? proxies come from HTTPS_PROXY and NO_PROXY"
                .into()
        }
        "Tls" => "trust a private authority with --ca-bundle FILE, or use http:// if the store speaks no TLS".into(),
        "Timeout" | "TooSlow" => {
            "give a slow store more time with --read-timeout, or use fewer requests with -j".into()
        }
        "SlowDown" | "ServiceUnavailable" | "TooManyRequests" | "ThrottlingException" => {
            "use fewer requests at once with -j, or try longer with --max-attempts".into()
        }
        "EntityTooLarge" => "a single PUT holds 5 GiB: lower --multipart-threshold".into(),
        "EntityTooSmall" => "parts must have 5 MiB at least: raise --part-size".into(),
        "InvalidObjectState" => "restore it first (aws s3api restore-object); that takes minutes to hours".into(),
        "ObjectChanged" => "someone wrote to it meanwhile: run the command again".into(),
        "BucketNotEmpty" => format!("empty it first: `s3kit rm -r s3://{bucket}/`"),
        "BucketAlreadyExists" => "bucket names are shared by all users of a store: choose another".into(),
        "XAmzContentSHA256Mismatch" | "BadDigest" | "InvalidDigest" => {
            "the store received other bytes than were sent, or does not understand the checksum: try --payload signed"
                .into()
        }
        "NotImplemented" => "this store does not offer that operation or option".into(),
        "MissingContentLength" => "this store does not take chunked bodies: try --payload signed".into(),
        _ => return None,
    };
    Some(text)
}

/// How to give credentials.
pub fn no_credentials() -> String {
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, choose a --profile, or use --no-sign-request for public data"
        .into()
}

/// The remedy for a local failure.
pub(super) fn of_io(error: &io::Error) -> Option<String> {
    use io::ErrorKind as K;
    let text = match error.kind() {
        K::StorageFull | K::QuotaExceeded => {
            "free some space and run the same command again; with --no-clobber it skips what is done"
        }
        K::PermissionDenied | K::ReadOnlyFilesystem => "choose another target, or change who may write there",
        K::InvalidFilename => "file names hold 255 bytes: rename with --name or --flatten",
        K::IsADirectory => "add -r to copy a directory",
        _ if error.raw_os_error() == Some(TOO_MANY_FILES) => {
            "raise the limit of open files (`ulimit -n 4096`) or use fewer jobs with -j"
        }
        _ => return None,
    };
    Some(text.into())
}

/// `EMFILE`, for which the standard library has no stable kind.
const TOO_MANY_FILES: i32 = 24;

/// The remedy for a failure that is neither S3's nor the file system's.
pub(super) fn of_failure(failure: &Failure) -> Option<String> {
    let text = match failure {
        Failure::SourceChanged(_) => "run the command again when nobody writes to the file",
        Failure::Checksum { .. } => {
            "the bytes were damaged on their way, or the stored checksum is wrong: run the command again"
        }
        Failure::Conflict { .. } => "keep both with --on-conflict suffix, or name them apart with --name",
        Failure::Name(_) => "rename with --name or --strip, or copy this object to a file you name",
        _ => return None,
    };
    Some(text.into())
}
