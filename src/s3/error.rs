//! What went wrong with an S3 operation, with everything a person or a support ticket needs.

/// What a failure means to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The store asked to slow down.
    Throttle,
    /// Would likely work later (5xx, I/O).
    Transient,
    /// Credentials missing, wrong or expired; permission denied.
    Auth,
    /// No such bucket, key, upload or version.
    NotFound,
    /// 304, 409, 412: a condition did not hold.
    Precondition,
    /// The answer breaks the protocol (truncated XML, wrong range, short body…).
    Protocol,
    /// The sink (a local file, stdout) refused the bytes; `source` holds the `io::Error`.
    Sink,
    /// Anything else the store refused, or a request that must not be sent.
    Fatal,
}

/// One failed operation, after all its attempts.
#[derive(Debug, thiserror::Error)]
#[error("{operation}: {message} ({code})")]
pub struct Error {
    /// What it means to the caller.
    pub kind: Kind,
    /// S3's API name, `GetObject`.
    pub operation: &'static str,
    /// Bucket, empty for operations on the service.
    pub bucket: String,
    /// Key, empty for bucket operations.
    pub key: String,
    /// HTTP status of the last answer, if there was one.
    pub status: Option<u16>,
    /// S3's code (`NoSuchKey`), or one of ours: `Timeout`, `ConnectFailed`, `ConnectionReset`, `ShortBody`, `ChecksumMismatch`, `BadResponse`, `RangeIgnored`, `ObjectChanged`, `NoCredentials`, `Sink`, `Tls` …
    pub code: String,
    /// S3's message, or ours.
    pub message: String,
    /// `x-amz-request-id` of the last answer.
    pub request_id: Option<String>,
    /// `x-amz-id-2` of the last answer.
    pub host_id: Option<String>,
    /// Requests sent.
    pub attempts: u32,
    /// Time from the first attempt to the last failure.
    pub elapsed: std::time::Duration,
    /// What caused it.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}
