//! One S3 operation a file: what its request says and what its answer means. Public fields, `Default` where it makes sense.
use crate::model::{
    checksum::Checksum,
    record::{ETag, Record},
};
use bytes::Bytes;
use jiff::Timestamp;
use std::ops::Range;

/// Facts from a GET's or HEAD's headers.
#[derive(Debug, Clone, Default)]
pub struct ObjectHead {
    /// Size of the whole object, also for a ranged answer.
    pub size: u64,
    /// The range this answer holds; `0..size` for a whole one.
    pub range: Range<u64>,
    pub etag: Option<ETag>,
    pub last_modified: Option<Timestamp>,
    pub version_id: Option<String>,
    pub storage_class: Option<String>,
    pub content: ContentHeaders,
    /// `x-amz-meta-*`, names without the prefix, in order.
    pub metadata: Vec<(String, String)>,
    pub tag_count: u32,
    /// Checksum of the whole object (FULL_OBJECT type, whole answer) if the store sent one.
    pub checksum: Option<Checksum>,
    /// `FULL_OBJECT` or `COMPOSITE`, as sent.
    pub checksum_type: Option<String>,
    /// All `x-amz-checksum-*` values as sent (algorithm name, value), also composite ones.
    pub checksums: Vec<(String, String)>,
    pub parts_count: Option<u32>,
    pub restore: Option<String>,
    pub sse: Option<String>,
    pub sse_kms_key_id: Option<String>,
    pub website_redirect: Option<String>,
    pub delete_marker: bool,
}
/// The content headers S3 stores with an object, verbatim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentHeaders {
    pub content_type: Option<String>,
    pub cache_control: Option<String>,
    pub content_disposition: Option<String>,
    pub content_encoding: Option<String>,
    pub content_language: Option<String>,
    pub expires: Option<String>,
}
/// What is fixed when an object is created: PutObject, CreateMultipartUpload and CopyObject (with REPLACE) share it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectAttributes {
    pub content: ContentHeaders,
    pub metadata: Vec<(String, String)>,
    /// `None`: nothing said.
    pub tags: Option<Vec<(String, String)>>,
    pub storage_class: Option<String>,
    pub acl: Option<String>,
    pub sse: Option<String>,
    pub sse_kms_key_id: Option<String>,
    pub website_redirect: Option<String>,
}
/// A condition on the destination of a write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum WriteCondition {
    #[default]
    None,
    /// `If-None-Match: *`
    Absent,
    /// `If-Match`
    Matches(ETag),
}

/// ListObjectsV2, one page. `encoding-type=url` always.
#[derive(Debug, Clone, Default)]
pub struct ListObjectsV2 {
    pub bucket: String,
    pub prefix: String,
    pub delimiter: Option<String>,
    pub start_after: Option<String>,
    pub continuation_token: Option<String>,
    /// 0 means unset (the store's 1,000)
    pub max_keys: u32,
    pub fetch_owner: bool,
}
/// A page.
#[derive(Debug, Clone, Default)]
pub struct ListPage {
    /// Objects, bucket filled in, in the store's order.
    pub objects: Vec<Record>,
    pub common_prefixes: Vec<String>,
    pub truncated: bool,
    pub next_token: Option<String>,
}

/// ListBuckets.
#[derive(Debug, Clone, Default)]
pub struct ListBuckets {}
/// A bucket's name and creation time.
#[derive(Debug, Clone)]
pub struct Bucket {
    pub name: String,
    pub created: Option<Timestamp>,
    pub region: Option<String>,
}

/// GetObject: `range` is half-open; `if_match` pins the version of the bytes.
#[derive(Debug, Clone, Default)]
pub struct GetObject {
    pub bucket: String,
    pub key: String,
    pub version_id: Option<String>,
    pub range: Option<Range<u64>>,
    pub if_match: Option<ETag>,
    /// send `x-amz-checksum-mode: ENABLED`
    pub checksum_mode: bool,
    /// with `range: None`: ask for the whole object (its headers carry the whole checksum) but take only its first so many bytes into the sink and close; a resumed attempt asks for the rest of those bytes by Range. No checksum is compared when the object is longer: the caller does that.
    pub first: Option<u64>,
}
/// HeadObject → [`ObjectHead`].
#[derive(Debug, Clone, Default)]
pub struct HeadObject {
    pub bucket: String,
    pub key: String,
    pub version_id: Option<String>,
    pub checksum_mode: bool,
}
/// HeadBucket → ().
#[derive(Debug, Clone, Default)]
pub struct HeadBucket {
    pub bucket: String,
}
/// GetObjectTagging → `Vec<(String, String)>`.
#[derive(Debug, Clone, Default)]
pub struct GetObjectTagging {
    pub bucket: String,
    pub key: String,
    pub version_id: Option<String>,
}

/// PutObject → [`Put`]. With `checksum` it goes as a header and the payload is unsigned; without, the payload is signed.
#[derive(Debug, Clone, Default)]
pub struct PutObject {
    pub bucket: String,
    pub key: String,
    /// body, in order; several pieces are sent without joining them
    pub body: Vec<Bytes>,
    pub checksum: Option<Checksum>,
    pub attributes: ObjectAttributes,
    pub condition: WriteCondition,
}
/// What a finished write reports.
#[derive(Debug, Clone, Default)]
pub struct Put {
    pub etag: Option<ETag>,
    pub version_id: Option<String>,
    pub checksums: Vec<(String, String)>,
    pub checksum_type: Option<String>,
}

/// CopyObject (source ≤ 5 GiB) → [`Put`]. `attributes: None` copies metadata and tags (directives COPY); `Some` replaces them.
#[derive(Debug, Clone, Default)]
pub struct CopyObject {
    pub source: CopySource,
    pub bucket: String,
    pub key: String,
    pub attributes: Option<ObjectAttributes>,
    /// set also without REPLACE
    pub storage_class: Option<String>,
    pub acl: Option<String>,
    pub condition: WriteCondition,
}
/// Source of a server-side copy; `if_match` pins it.
#[derive(Debug, Clone, Default)]
pub struct CopySource {
    pub bucket: String,
    pub key: String,
    pub version_id: Option<String>,
    pub if_match: Option<ETag>,
}

/// DeleteObject → [`Deleted`].
#[derive(Debug, Clone, Default)]
pub struct DeleteObject {
    pub bucket: String,
    pub key: String,
    pub version_id: Option<String>,
    pub if_match: Option<ETag>,
}
#[derive(Debug, Clone, Default)]
pub struct Deleted {
    pub version_id: Option<String>,
    pub delete_marker: bool,
}
/// DeleteObjects, up to 1,000 → one result a key, in the order asked (a key the answer does not name is an error).
#[derive(Debug, Clone, Default)]
pub struct DeleteObjects {
    pub bucket: String,
    /// key, version id
    pub keys: Vec<(String, Option<String>)>,
}
/// `Err` carries code and message.
pub type DeleteResult = Result<Deleted, (String, String)>;

/// CreateMultipartUpload → upload id. `checksum` asks for FULL_OBJECT of that algorithm.
#[derive(Debug, Clone, Default)]
pub struct CreateMultipartUpload {
    pub bucket: String,
    pub key: String,
    pub attributes: ObjectAttributes,
    pub checksum: Option<crate::model::checksum::Algorithm>,
}
/// UploadPart → [`PartDone`].
#[derive(Debug, Clone, Default)]
pub struct UploadPart {
    pub bucket: String,
    pub key: String,
    pub upload_id: String,
    pub number: u32,
    pub body: Vec<Bytes>,
    pub checksum: Option<Checksum>,
}
/// UploadPartCopy → [`PartDone`]. `range: None` copies the whole source.
#[derive(Debug, Clone, Default)]
pub struct UploadPartCopy {
    pub source: CopySource,
    pub range: Option<Range<u64>>,
    pub bucket: String,
    pub key: String,
    pub upload_id: String,
    pub number: u32,
}
/// A stored part: what Complete needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartDone {
    pub number: u32,
    pub etag: ETag,
    pub size: u64,
    /// as the store reported it
    pub checksum: Option<Checksum>,
}
/// CompleteMultipartUpload → [`Put`]. Lost answers are settled inside: NoSuchUpload on a retry is checked by HEAD (size, and full-object checksum or multipart ETag).
#[derive(Debug, Clone, Default)]
pub struct CompleteMultipartUpload {
    pub bucket: String,
    pub key: String,
    pub upload_id: String,
    pub parts: Vec<PartDone>,
    /// asserted as FULL_OBJECT
    pub checksum: Option<Checksum>,
    /// total size, sent as x-amz-mp-object-size on AWS
    pub size: u64,
    pub condition: WriteCondition,
}
/// AbortMultipartUpload → (); NoSuchUpload is success.
#[derive(Debug, Clone, Default)]
pub struct AbortMultipartUpload {
    pub bucket: String,
    pub key: String,
    pub upload_id: String,
}
/// ListParts, one page.
#[derive(Debug, Clone, Default)]
pub struct ListParts {
    pub bucket: String,
    pub key: String,
    pub upload_id: String,
    pub part_number_marker: Option<u32>,
}
#[derive(Debug, Clone, Default)]
pub struct PartsPage {
    pub parts: Vec<PartDone>,
    pub next_marker: Option<u32>,
}
/// ListMultipartUploads, one page.
#[derive(Debug, Clone, Default)]
pub struct ListMultipartUploads {
    pub bucket: String,
    pub prefix: String,
    pub key_marker: Option<String>,
    pub upload_id_marker: Option<String>,
}
#[derive(Debug, Clone)]
pub struct Upload {
    pub key: String,
    pub upload_id: String,
    pub initiated: Option<Timestamp>,
    pub storage_class: Option<String>,
}
#[derive(Debug, Clone, Default)]
pub struct UploadsPage {
    pub uploads: Vec<Upload>,
    pub next: Option<(String, String)>,
}
/// CreateBucket → (); the LocationConstraint is the client's region unless us-east-1.
#[derive(Debug, Clone, Default)]
pub struct CreateBucket {
    pub bucket: String,
}
/// DeleteBucket → ().
#[derive(Debug, Clone, Default)]
pub struct DeleteBucket {
    pub bucket: String,
}
macro_rules! contract_only { ($($op:ty => $out:ty;)*) => { $(impl super::Operation for $op { type Output = $out; })* } }
contract_only! { ListObjectsV2 => ListPage; ListBuckets => Vec<Bucket>; HeadObject => ObjectHead; HeadBucket => (); GetObjectTagging => Vec<(String, String)>; PutObject => Put; CopyObject => Put; DeleteObject => Deleted;
DeleteObjects => Vec<DeleteResult>; CreateMultipartUpload => String; UploadPart => PartDone; UploadPartCopy => PartDone; CompleteMultipartUpload => Put; AbortMultipartUpload => (); ListParts => PartsPage; ListMultipartUploads => UploadsPage; CreateBucket => (); DeleteBucket => (); }
