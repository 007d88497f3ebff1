//! Runs operations: the one retry loop, with signing and parsing inside it. Content is fetched by [`super::get`].

mod exchange;
mod get;
mod tries;

use super::Error;
use super::credentials::Credentials;
use super::endpoint::Endpoint;
use super::failure::Failure;
use super::operation::{Level, Operation};
use super::ops::{self, HeadObject};
use crate::model::checksum::Algorithm;
use crate::model::stats::Stats;
use crate::transport::governor::{Governor, Permit};
use crate::transport::http::{self, Http, HttpConfig};
use crate::transport::retry::{Budget, Class, RetryPolicy};
use crate::transport::sign::Signer;
use bytes::Bytes;
use exchange::Call;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;
use tries::Tries;

/// How one store is reached. A value: two sides of a copy have two.
#[derive(Debug, Clone)]
pub struct Config {
    /// The store's address.
    pub endpoint: Endpoint,
    /// Region that is signed for and, on AWS, asked; where a bucket turns out to be elsewhere, it is asked there.
    pub region: String,
    /// Who signs.
    pub credentials: Credentials,
    /// How hard to try.
    pub retry: RetryPolicy,
    /// `x-amz-request-payer: requester`.
    pub request_payer: bool,
    /// `x-amz-expected-bucket-owner`.
    pub expected_bucket_owner: Option<String>,
    /// How bodies are proven to the store (see `docs/semantics.md`).
    pub payload: Payload,
}

/// How an upload's bytes are proven: CRC header or signed SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Payload {
    /// On AWS over TLS a CRC64NVME header and an unsigned payload; else a signed SHA-256, which every store verifies.
    #[default]
    Auto,
    /// CRC64NVME header, unsigned payload.
    Unsigned,
    /// Signed SHA-256 of the body.
    Signed,
}

/// Runs S3 operations against one store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    pub(super) inner: Arc<Inner>,
    retries: Arc<AtomicU32>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) config: Config,
    pub(super) http: Arc<dyn Http>,
    pub(super) governor: Arc<Governor>,
    pub(super) stats: Arc<Stats>,
    pub(super) ambient: Ambient,
    pub(super) signer: Option<Signer>,
    pub(super) budget: Budget,
    /// What the store's clock is ahead of ours, in seconds.
    pub(super) skew: AtomicI64,
    /// Regions of buckets that were found to be elsewhere.
    pub(super) regions: Mutex<HashMap<String, String>>,
    /// The store refuses `x-amz-checksum-mode`.
    pub(super) no_checksum_mode: AtomicBool,
}

/// What a client takes from the world around it; tests take something else.
#[derive(Debug, Clone, Copy)]
pub struct Ambient {
    /// The wall clock, for signatures.
    pub now: fn() -> SystemTime,
    /// Uniform in `0.0..1.0`, for the jitter of delays.
    pub random: fn() -> f64,
}

impl Default for Ambient {
    fn default() -> Self {
        Self { now: SystemTime::now, random: fastrand::f64 }
    }
}

/// Where a GET's bytes go. Driven inside the retry loop: a broken body is resumed at the byte it broke, with the same `ETag`.
pub trait Sink: Send {
    /// Called once, with the first answer's facts, before any byte; may refuse.
    fn begin(&mut self, head: &ops::ObjectHead) -> std::io::Result<()>;
    /// Takes the next bytes in order; awaiting here is back-pressure (does not count as a stalled network).
    fn write(&mut self, chunk: Bytes) -> impl Future<Output = std::io::Result<()>> + Send;
}

impl Client {
    /// A client over the real network. Sends nothing; fails when the HTTP client cannot be made, for example because of a broken CA
    /// bundle. `permits`: requests in flight to start with, and at most.
    pub fn connect(
        config: Config,
        network: &HttpConfig,
        permits: &RangeInclusive<usize>,
        stats: Arc<Stats>,
    ) -> Result<Self, String> {
        let http = http::client(network)?;
        Ok(Self::new(config, http, Governor::new(*permits.start(), *permits.end()), stats))
    }

    /// A client over an HTTP implementation; `stats` counts requests by S3 operation, retries and throttles.
    pub fn new(config: Config, http: Arc<dyn Http>, governor: Arc<Governor>, stats: Arc<Stats>) -> Self {
        Self::with_ambient(config, http, governor, stats, Ambient::default())
    }

    /// A client with a clock and a source of randomness of the caller's choosing.
    pub fn with_ambient(
        config: Config,
        http: Arc<dyn Http>,
        governor: Arc<Governor>,
        stats: Arc<Stats>,
        ambient: Ambient,
    ) -> Self {
        let signer = match &config.credentials {
            Credentials::Anonymous => None,
            Credentials::Static(keys) => {
                Some(Signer::new(&keys.access_key_id, &keys.secret_access_key, keys.session_token.as_deref()))
            }
        };
        let budget = Budget::new(governor.max());
        let inner = Inner {
            config,
            http,
            governor,
            stats,
            ambient,
            signer,
            budget,
            skew: AtomicI64::new(0),
            regions: Mutex::default(),
            no_checksum_mode: AtomicBool::new(false),
        };
        Self { inner: Arc::new(inner), retries: Arc::default() }
    }

    /// The same client with a count of retries of its own, for one job; its clones share the count.
    #[must_use]
    pub fn counting(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), retries: Arc::default() }
    }

    /// Attempts beyond the first that operations of this client and its clones took, since it was made or [`Self::counting`] was asked.
    pub fn retries(&self) -> u32 {
        self.retries.load(Ordering::Relaxed)
    }

    /// How the store is reached.
    pub fn config(&self) -> &Config {
        &self.inner.config
    }

    /// Checksum algorithm to compute for an upload through this client (CRC64NVME with [`Payload::Unsigned`] or on AWS; `None` means
    /// that the payload is signed).
    pub fn upload_checksum(&self) -> Option<Algorithm> {
        let config = &self.inner.config;
        let unsigned = match config.payload {
            Payload::Auto => config.endpoint.is_aws() && config.endpoint.is_https(),
            Payload::Unsigned => true,
            Payload::Signed => false,
        };
        unsigned.then_some(Algorithm::Crc64Nvme)
    }

    /// Runs an operation to its end.
    pub async fn send<O: Operation>(&self, operation: &O) -> Result<O::Output, Box<Error>> {
        let mut tries = Tries::new(self);
        match self.attempts(operation, &mut tries).await {
            Ok(output) => Ok(output),
            Err(failure) => {
                let settled = self.settle(operation, failure, tries.lost).await;
                let place = (operation.bucket(), operation.key());
                settled.map_err(|failure| tries.into_error(failure, O::NAME, place))
            }
        }
    }

    /// GETs an object (or a range of it) into a sink. Verifies length, Content-Range, same `ETag` across resumed attempts, and for a
    /// whole GET the store's full-object checksum when it sent one (CRC32, CRC32C, CRC64NVME, SHA1, SHA256). Returns the first answer's
    /// facts.
    ///
    /// The permit is held until the sink has all bytes, also while the sink makes us wait: a sink that waits for another GET's sink
    /// must have started after it.
    pub async fn get(&self, operation: &ops::GetObject, sink: &mut impl Sink) -> Result<ops::ObjectHead, Box<Error>> {
        get::run(self, operation, sink).await
    }

    /// Attempts until success or until no attempt is left.
    async fn attempts<O: Operation>(&self, operation: &O, tries: &mut Tries<'_>) -> Result<O::Output, Failure> {
        let call = self.prepare(operation).await?;
        loop {
            let mut permit = self.inner.governor.acquire().await;
            let failure = match self.attempt(operation, &call).await {
                Ok(output) => {
                    permit.succeeded();
                    tries.succeeded();
                    return Ok(output);
                }
                Err(failure) => operation.judge(failure),
            };
            if let Some(output) = operation.forgive(&failure, tries.lost) {
                return Ok(output);
            }
            self.note(&failure, &mut permit);
            drop(permit);
            tries.again(failure).await?;
        }
    }

    /// One exchange, read and judged.
    async fn attempt<O: Operation>(&self, operation: &O, call: &Call) -> Result<O::Output, Failure> {
        let response = self.exchange(call).await?;
        let answer = self.read(call, response, O::LONGEST).await?;
        operation.parse(&answer).map_err(|failure| failure.with_headers(answer.status, &answer.headers))
    }

    async fn prepare<O: Operation>(&self, operation: &O) -> Result<Call, Failure> {
        let (bucket, key) = (operation.bucket(), operation.key());
        let named = match O::LEVEL {
            Level::Service => true,
            Level::Bucket => !bucket.is_empty(),
            Level::Object => !bucket.is_empty() && !key.is_empty(),
        };
        if !named {
            return Err(Failure::refused("a bucket and key are needed: an empty name would address something else"));
        }
        let region = self.region(bucket);
        let parts = operation.request(self.store(&region));
        self.call(O::NAME, (bucket, key), parts).await
    }

    /// Tells a throttled answer to the governor and the statistics.
    pub(super) fn note(&self, failure: &Failure, permit: &mut Permit) {
        if failure.class == Class::Throttle {
            permit.throttled();
            self.inner.stats.throttle();
        }
    }

    /// After a lost answer, asks the object itself whether a failure is one.
    async fn settle<O: Operation>(&self, operation: &O, failure: Failure, lost: bool) -> Result<O::Output, Failure> {
        if !lost || !operation.is_doubtful(&failure) {
            return Err(failure);
        }
        let (bucket, key) = (operation.bucket().to_owned(), operation.key().to_owned());
        let head = HeadObject { bucket, key, version_id: None, checksum_mode: true };
        match self.attempts(&head, &mut Tries::new(self)).await {
            Ok(head) => operation.settle(&head).ok_or_else(|| operation.unsettled(failure)),
            Err(_) => Err(operation.unsettled(failure)),
        }
    }
}
