//! Runs operations: the one retry loop, with signing and parsing inside it.

use super::{Error, credentials::Credentials, endpoint::Endpoint, ops};
use crate::{
    model::stats::Stats,
    transport::{governor::Governor, http::Http, retry::RetryPolicy},
};
use bytes::Bytes;
use std::sync::Arc;

/// How one store is reached. A value: two sides of a copy have two.
#[derive(Debug, Clone)]
pub struct Config {
    pub endpoint: Endpoint,
    pub region: String,
    pub credentials: Credentials,
    pub retry: RetryPolicy,
    /// `x-amz-request-payer: requester`.
    pub request_payer: bool,
    pub expected_bucket_owner: Option<String>,
    /// How bodies are proven to the store (see `docs/semantics.md`).
    pub payload: Payload,
}
/// How an upload's bytes are proven: CRC header, signed SHA-256, MD5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Payload {
    /// CRC64NVME header (unsigned payload) on stores known to verify it (AWS hosts, or a store that has shown it); else signed SHA-256 + Content-MD5-free. Over TLS elsewhere: signed SHA-256 too, which every store verifies.
    #[default]
    Auto,
    /// UNSIGNED-PAYLOAD + CRC64NVME header.
    Unsigned,
    /// Signed SHA-256 of the body.
    Signed,
}

/// Runs S3 operations against one store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    _inner: Arc<()>,
}

/// What a request and its answer look like, as data.
pub trait Operation: Sync {
    // WIRE: complete this trait as you see fit; callers only use Client::send(&op)
    /// What success means.
    type Output;
}

/// Where a GET's bytes go. Driven inside the retry loop: a broken body is resumed at the byte it broke, with the same ETag.
pub trait Sink: Send {
    /// Called once, with the first answer's facts, before any byte; may refuse.
    fn begin(&mut self, head: &ops::ObjectHead) -> std::io::Result<()>;
    /// Takes the next bytes in order; awaiting here is back-pressure (does not count as a stalled network).
    fn write(&mut self, chunk: Bytes) -> impl Future<Output = std::io::Result<()>> + Send;
}

impl Client {
    /// A client over an HTTP implementation; `stats` counts requests by S3 operation, retries and throttles.
    pub fn new(_config: Config, _http: Arc<dyn Http>, _governor: Arc<Governor>, _stats: Arc<Stats>) -> Self {
        todo!()
    }
    pub fn config(&self) -> &Config {
        todo!()
    }
    /// Checksum algorithm to compute for an upload through this client (CRC64NVME with `Payload::Unsigned`/AWS; `None` means the payload is signed).
    pub fn upload_checksum(&self) -> Option<crate::model::checksum::Algorithm> {
        todo!()
    }
    /// Runs an operation to its end.
    pub async fn send<O: Operation>(&self, _operation: &O) -> Result<O::Output, Box<Error>> {
        todo!()
    }
    /// GETs an object (or a range of it) into a sink. Verifies length, Content-Range, same ETag across resumed attempts, and for a whole GET the
    /// store's full-object checksum when it sent one (CRC32, CRC32C, CRC64NVME, SHA1, SHA256). Returns the first answer's facts.
    pub async fn get(&self, _operation: &ops::GetObject, _sink: &mut impl Sink) -> Result<ops::ObjectHead, Box<Error>> {
        todo!()
    }
}
