//! One attempt on the wire: address, headers, signature, and the reading of an answer that is not content.

use super::Client;
use super::Payload;
use crate::s3::failure::Failure;
use crate::s3::header::header;
use crate::s3::operation::{Answer, Parts, Store};
use crate::s3::{Kind, endpoint::Endpoint};
use crate::transport::http::{Patience, Progress, Request, Response};
use crate::transport::retry::Class;
use crate::transport::sign;
use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, HeaderValue};
use http::{HeaderMap, Method};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Skews up to here are what networks and lazy clocks make; S3 itself bears fifteen minutes.
const HARMLESS_SKEW: i64 = 4 * 60;

/// Codes that a wrong clock causes (or may cause: only a measured skew decides).
const CLOCK_CODES: [&str; 5] = [
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "InvalidSignatureException",
    "AuthFailure",
    "AccessDeniedException",
];

/// Longest error document that is read.
const LONGEST_ERROR: usize = 256 << 10;

const CHECKSUM_MODE: &str = "x-amz-checksum-mode";

/// A request that only lacks what each attempt makes anew: address, date and signature.
#[derive(Debug)]
pub(super) struct Call {
    operation: &'static str,
    bucket: String,
    key: String,
    method: Method,
    query: String,
    pub(super) headers: HeaderMap,
    body: Vec<Bytes>,
    patience: Patience,
    payload: sign::Payload,
}

impl Client {
    /// Makes a call of a request's parts: adds what all requests carry, digests the body where that is to be signed.
    pub(super) async fn call(
        &self,
        operation: &'static str,
        (bucket, key): (&str, &str),
        mut parts: Parts,
    ) -> Result<Call, Failure> {
        let config = &self.inner.config;
        if config.request_payer && !bucket.is_empty() {
            parts = parts.header("x-amz-request-payer", "requester");
        }
        if !bucket.is_empty() && operation != "CreateBucket" {
            parts = parts.maybe_header("x-amz-expected-bucket-owner", config.expected_bucket_owner.as_deref());
        }
        if let Some(problem) = parts.problem {
            return Err(Failure::refused(problem));
        }
        if parts.method == Method::PUT || parts.method == Method::POST {
            let length: usize = parts.body.iter().map(Bytes::len).sum();
            parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(length as u64));
        }
        let proven = parts.checksum && config.payload != Payload::Signed;
        let payload = if proven || self.inner.signer.is_none() {
            sign::Payload::Unsigned
        } else {
            sign::Payload::of(&parts.body).await
        };
        Ok(Call {
            operation,
            bucket: bucket.to_owned(),
            key: key.to_owned(),
            method: parts.method,
            query: parts.query,
            headers: parts.headers,
            body: parts.body,
            patience: parts.patience,
            payload,
        })
    }

    /// What operations may know of the store.
    pub(super) fn store<'a>(&self, region: &'a str) -> Store<'a> {
        Store { aws: self.inner.config.endpoint.is_aws(), region }
    }

    /// Region of a bucket as far as it is known.
    pub(super) fn region(&self, bucket: &str) -> String {
        let regions = self.inner.regions.lock().unwrap_or_else(PoisonError::into_inner);
        regions.get(bucket).unwrap_or(&self.inner.config.region).clone()
    }

    /// Sends one attempt and waits for the head of its answer; every failure of the wire comes back classed.
    pub(super) async fn exchange(&self, call: &Call) -> Result<Response, Failure> {
        let request = self.sign(call)?;
        self.inner.stats.request(call.operation);
        self.inner.http.execute(request).await.map_err(Failure::of_http)
    }

    fn sign(&self, call: &Call) -> Result<Request, Failure> {
        let inner = &self.inner;
        let region = self.region(&call.bucket);
        let location = inner.config.endpoint.locate(&region, &call.bucket, &call.key);
        let location = location.map_err(|error| Failure::refused(error.to_string()))?;
        let mut target = location.path;
        if !call.query.is_empty() {
            target.push('?');
            target.push_str(&call.query);
        }
        let mut headers = call.headers.clone();
        if inner.no_checksum_mode.load(Ordering::Relaxed) {
            headers.remove(CHECKSUM_MODE);
        }
        if let Some(signer) = &inner.signer {
            let skew = inner.skew.load(Ordering::Relaxed);
            let (method, url) = (call.method.as_str(), format!("{}{target}", location.origin));
            signer
                .sign(shifted((inner.ambient.now)(), skew), &region, method, &url, &mut headers, &call.payload)
                .map_err(|error| Failure::refused(error.to_string()))?;
        }
        Ok(Request {
            method: call.method.clone(),
            origin: location.origin,
            target,
            headers,
            body: call.body.clone(),
            patience: call.patience,
            progress: Arc::new(Progress::default()),
        })
    }

    /// Reads a whole answer of at most `longest` bytes; whatever is not a success comes back as a failure, also a 200 that holds one.
    pub(super) async fn read(&self, call: &Call, response: Response, longest: usize) -> Result<Answer, Failure> {
        let success = (200..300).contains(&response.status);
        let longest = if success { longest } else { LONGEST_ERROR };
        let (status, headers) = (response.status, response.headers.clone());
        let body = match collect(response, longest).await {
            Ok(body) => body,
            // The status of a refusal says more than the way its explanation was lost.
            Err(_) if !success => Bytes::new(),
            Err(failure) => return Err(failure.with_headers(status, &headers)),
        };
        let answer = Answer { status, headers, body };
        if success && !answer.is_error() {
            return Ok(answer);
        }
        Err(self.learn(call, Failure::of_answer(status, &answer.headers, &answer.body)))
    }

    /// Takes from a refusal what would make the next attempt succeed.
    fn learn(&self, call: &Call, failure: Failure) -> Failure {
        let learnt =
            self.learn_region(call, &failure) || self.learn_clock(&failure) || self.learn_manners(call, &failure);
        if learnt { Failure { class: Class::Learnt, ..failure } } else { explain(failure) }
    }

    fn learn_region(&self, call: &Call, failure: &Failure) -> bool {
        let misdirected = matches!(failure.status, Some(301 | 307))
            || matches!(failure.code.as_str(), "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException")
            || (failure.status == Some(400) && failure.code == "BadRequest");
        let Some(region) = failure.told.region.as_ref().filter(|_| misdirected && !call.bucket.is_empty()) else {
            return false;
        };
        if Endpoint::check_region(region).is_err() || *region == self.region(&call.bucket) {
            return false;
        }
        let mut regions = self.inner.regions.lock().unwrap_or_else(PoisonError::into_inner);
        regions.insert(call.bucket.clone(), region.clone());
        true
    }

    fn learn_clock(&self, failure: &Failure) -> bool {
        let Some(theirs) = failure.told.server_time.filter(|_| CLOCK_CODES.contains(&failure.code.as_str())) else {
            return false;
        };
        let ours = seconds((self.inner.ambient.now)());
        let measured = theirs - ours;
        let wrong = (measured - self.inner.skew.load(Ordering::Relaxed)).abs() > HARMLESS_SKEW;
        if wrong {
            self.inner.skew.store(measured, Ordering::Relaxed);
        }
        wrong
    }

    /// Some stores refuse the request for checksums instead of ignoring it.
    fn learn_manners(&self, call: &Call, failure: &Failure) -> bool {
        let refused = matches!(failure.status, Some(400 | 501)) && failure.message.contains("checksum");
        refused
            && call.headers.contains_key(CHECKSUM_MODE)
            && !self.inner.no_checksum_mode.swap(true, Ordering::Relaxed)
    }
}

/// Adds to a refusal what its own message leaves out.
fn explain(mut failure: Failure) -> Failure {
    if let (Some(301 | 307 | 400), Some(region)) = (failure.status, &failure.told.region) {
        failure.message = format!("{} (the bucket is in region {region})", failure.message);
    }
    failure
}

async fn collect(mut response: Response, longest: usize) -> Result<Bytes, Failure> {
    let announced = header(&response.headers, "content-length").and_then(|text| text.parse::<usize>().ok());
    let mut body = BytesMut::new();
    let mut first: Option<Bytes> = None;
    while let Some(chunk) = response.body.chunk().await.map_err(Failure::of_http)? {
        if body.len() + first.as_ref().map_or(0, Bytes::len) + chunk.len() > longest {
            return Err(Failure::unusable_answer(format!("an answer of more than {longest} bytes")));
        }
        // Most answers come in one piece, which is not copied then.
        match first.take() {
            None if body.is_empty() => first = Some(chunk),
            None => body.extend_from_slice(&chunk),
            Some(piece) => {
                body.reserve(announced.unwrap_or(0).min(longest).max(piece.len() + chunk.len()));
                body.extend_from_slice(&piece);
                body.extend_from_slice(&chunk);
            }
        }
    }
    Ok(first.unwrap_or_else(|| body.freeze()))
}

fn seconds(time: std::time::SystemTime) -> i64 {
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn shifted(time: std::time::SystemTime, skew: i64) -> std::time::SystemTime {
    let by = Duration::from_secs(skew.unsigned_abs());
    if skew < 0 { time.checked_sub(by).unwrap_or(time) } else { time.checked_add(by).unwrap_or(time) }
}

/// A sink that refuses bytes is no fault of the store's.
pub(super) fn sink_failure(error: std::io::Error) -> Failure {
    let mut failure = Failure::new(Class::Fatal, Kind::Sink, "Sink", error.to_string());
    failure.source = Some(Box::new(error));
    failure
}
