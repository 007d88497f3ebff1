//! S3's operations: one request in, one answer out. Everything here has passed the signature check.
//!
//! [`Call`] is the request, [`Reply`] the answer, [`Api`] what all operations share.

mod attributes;
mod bucket;
mod checksums;
mod conditions;
mod copy;
mod delete;
mod encryption;
mod get;
mod list;
mod listing;
mod multipart;
mod part;
mod put;
mod tagging;
mod uploads;
mod versioned;
mod versions;

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use s3s::Body;

use super::error::ApiError;
use super::operation::Operation;
use super::options::Provider;
use super::store::Store;
use super::synthetic::Synthetic;
use super::target::{Query, Target};

/// What all operations share.
#[derive(Debug)]
pub(super) struct Api {
    /// What is stored.
    pub(super) store: Arc<Store>,
    /// Whose habits to have.
    pub(super) provider: Provider,
    /// The region of the endpoint.
    pub(super) region: String,
    /// A generated listing, served as a bucket of its own.
    pub(super) synthetic: Option<Synthetic>,
}

/// A request whose signature was checked.
pub(super) struct Call {
    /// Which operation.
    pub(super) operation: Operation,
    /// What it addresses.
    pub(super) target: Target,
    /// Its parameters.
    pub(super) query: Query,
    /// Its headers.
    pub(super) headers: HeaderMap,
    /// Its body, with aws-chunked framing removed.
    pub(super) body: Body,
    /// Headers that come after an aws-chunked body.
    pub(super) trailers: Option<s3s::TrailingHeaders>,
    /// The region it was signed for; `None` if it was not signed.
    pub(super) signed_region: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Body,
    /// Common prefixes answered, or MiB copied: what latency is counted by.
    pub(super) units: f64,
}

impl Reply {
    /// An answer without a body.
    pub(super) fn empty(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Body::empty(), units: 0.0 }
    }

    /// An error and its document.
    pub(super) fn error(error: &ApiError, resource: &str, request_id: &str, host_id: &str) -> Self {
        let mut reply = Self::xml(error.to_xml(resource, request_id, host_id));
        reply.status = error.status();
        if reply.status == StatusCode::NOT_MODIFIED {
            reply.body = Body::empty();
        }
        reply.headers.extend(error.headers().map(|(name, value)| (name.clone(), value.clone())));
        reply
    }

    /// A document.
    pub(super) fn xml(document: String) -> Self {
        let mut reply = Self::empty(StatusCode::OK);
        reply.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/xml"));
        reply.body = Body::from(document);
        reply
    }

    /// With a header. A value no header can hold is left out.
    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    /// With a header, if there is a value.
    pub(super) fn maybe(mut self, name: &'static str, value: Option<&str>) -> Self {
        if let Some(value) = value {
            self.set(name, value);
        }
        self
    }

    /// Sets a header.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        // Values are sent as the UTF-8 they came as.
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_bytes()))
        {
            self.headers.insert(name, value);
        }
    }

    /// Counts units of latency.
    pub(super) fn units(mut self, units: f64) -> Self {
        self.units = units;
        self
    }
}

/// Bodies that are documents may not be larger.
const DOCUMENT_LIMIT: usize = 4 << 20;

impl Call {
    /// A header's value; bytes that are not UTF-8 are replaced.
    pub(super) fn header(&self, name: &str) -> Option<std::borrow::Cow<'_, str>> {
        self.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()))
    }

    /// The bucket it addresses.
    fn bucket(&self) -> &str {
        self.target.bucket().unwrap_or_default()
    }

    /// The key it addresses.
    fn key(&self) -> &str {
        self.target.key().unwrap_or_default()
    }

    /// The version it names.
    fn version(&self) -> Result<Option<&str>, ApiError> {
        match self.query.get("versionId") {
            None => Ok(None),
            Some(id) if id == "null" || id.len() == 32 => Ok(Some(id)),
            Some(id) => Err(ApiError::argument("versionId", id, "Invalid version id specified")),
        }
    }

    /// The whole body, which must be a document, with its checksums verified.
    async fn document(&mut self) -> Result<Bytes, ApiError> {
        let body = std::mem::take(&mut self.body);
        let collected = http_body_util::Limited::new(body, DOCUMENT_LIMIT).collect().await;
        let bytes = collected.map_err(|error| put::body_error(&*error))?.to_bytes();
        checksums::verify_document(self, &bytes)?;
        Ok(bytes)
    }
}

impl Api {
    /// Runs the operation.
    pub(super) async fn run(&self, call: Call) -> Result<Reply, ApiError> {
        self.check(&call)?;
        match call.operation {
            Operation::ListBuckets => bucket::list(self, &call),
            Operation::CreateBucket => bucket::create(self, call).await,
            Operation::HeadBucket => bucket::head(self, &call),
            Operation::DeleteBucket => bucket::delete(self, &call),
            Operation::GetBucketLocation => bucket::location(self, &call),
            Operation::GetBucketVersioning => bucket::versioning(self, &call),
            Operation::PutBucketVersioning => bucket::set_versioning(self, call).await,
            Operation::GetBucketAcl | Operation::GetObjectAcl => bucket::acl(self, &call),
            Operation::ListObjectsV2 | Operation::ListObjects => list::objects(self, &call),
            Operation::ListObjectVersions => versions::list(self, &call),
            Operation::ListMultipartUploads => uploads::list(self, &call),
            Operation::ListParts => uploads::parts(self, &call),
            Operation::GetObject | Operation::HeadObject => get::object(self, &call),
            Operation::GetObjectAttributes => attributes::get(self, &call),
            Operation::GetObjectTagging => tagging::get(self, &call),
            Operation::PutObjectTagging => tagging::put(self, call).await,
            Operation::DeleteObjectTagging => tagging::delete(self, &call),
            Operation::PutObject => put::object(self, call).await,
            Operation::CopyObject => copy::object(self, &call).await,
            Operation::RestoreObject => get::restore(self, &call),
            Operation::DeleteObject => delete::object(self, &call),
            Operation::DeleteObjects => delete::batch(self, call).await,
            Operation::CreateMultipartUpload => multipart::create(self, &call),
            Operation::UploadPart => part::upload_part(self, call).await,
            Operation::UploadPartCopy => part::copy_part(self, &call).await,
            Operation::CompleteMultipartUpload => multipart::complete(self, call).await,
            Operation::AbortMultipartUpload => multipart::abort(self, &call),
            Operation::Unknown => Err(ApiError::of("NotImplemented")),
        }
    }

    /// Checks that do not depend on the operation: names, regions, what the provider refuses.
    fn check(&self, call: &Call) -> Result<(), ApiError> {
        if call.target.key().is_some_and(|key| key.len() > 1024) {
            return Err(ApiError::of("KeyTooLongError").with("MaxSizeAllowed", "1024"));
        }
        check_expiry(&call.query)?;
        if self.provider == Provider::Minimal {
            refuse_extensions(&call.headers)?;
        }
        let Some(name) = call.target.bucket() else { return Ok(()) };
        if !bucket::is_name(name) {
            return Err(ApiError::of("InvalidBucketName").with("BucketName", name));
        }
        if self.provider == Provider::Aws && call.operation != Operation::CreateBucket {
            self.check_region(call, name)?;
        }
        Ok(())
    }

    /// A request must be signed for the bucket's region; one that is signed for the endpoint's is sent there.
    fn check_region(&self, call: &Call, bucket: &str) -> Result<(), ApiError> {
        let Some(signed) = call.signed_region.as_deref() else { return Ok(()) };
        let of_bucket = self.store.read(bucket, |bucket| bucket.facts.region.clone());
        let region = of_bucket.unwrap_or_else(|_| self.region.clone());
        if signed == region {
            return Ok(());
        }
        let error = if signed == self.region {
            ApiError::of("PermanentRedirect")
                .with("Endpoint", format!("{bucket}.s3.{region}.amazonaws.com"))
                .with("Bucket", bucket)
        } else {
            let message =
                format!("The authorization header is malformed; the region '{signed}' is wrong; expecting '{region}'");
            ApiError::of("AuthorizationHeaderMalformed").message(message).with("Region", region.as_str())
        };
        Err(error.header("x-amz-bucket-region", &region))
    }
}

/// A presigned URL may not live longer than a week.
fn check_expiry(query: &Query) -> Result<(), ApiError> {
    const WEEK: u64 = 7 * 24 * 60 * 60;
    match query.get("X-Amz-Expires").map(str::parse::<u64>) {
        None | Some(Ok(0..=WEEK)) => Ok(()),
        Some(_) => Err(ApiError::of("AuthorizationQueryParametersError")
            .message("X-Amz-Expires must be between 0 and a week (in seconds), that is 604800")),
    }
}

/// What the least of stores does not understand.
fn refuse_extensions(headers: &HeaderMap) -> Result<(), ApiError> {
    let checksum = |name: &HeaderName| {
        let name = name.as_str();
        name.starts_with("x-amz-checksum-") && name != "x-amz-checksum-mode" || name == "x-amz-sdk-checksum-algorithm"
    };
    if let Some(name) = headers.keys().find(|name| checksum(name)) {
        return Err(ApiError::of("NotImplemented").with("Header", name.as_str()));
    }
    let chunked = headers.get("x-amz-content-sha256").is_some_and(|value| value.as_bytes().starts_with(b"STREAMING-"));
    if chunked { Err(ApiError::of("NotImplemented").with("Header", "x-amz-content-sha256")) } else { Ok(()) }
}
