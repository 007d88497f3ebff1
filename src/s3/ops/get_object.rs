//! `GetObject`. Its answer is content, so it is run by [`crate::s3::Client::get`], not as an ordinary operation.

use crate::model::record::ETag;
use std::ops::Range;

/// `GetObject`: `range` is half-open; `if_match` pins the version of the bytes.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html>
#[derive(Debug, Clone, Default)]
pub struct GetObject {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Version; `None` is the current one.
    pub version_id: Option<String>,
    /// Bytes wanted; `None` is all. What lies beyond the object's end is left out.
    pub range: Option<Range<u64>>,
    /// `If-Match`; an answer with another `ETag` is refused too.
    pub if_match: Option<ETag>,
    /// Send `x-amz-checksum-mode: ENABLED`.
    pub checksum_mode: bool,
    /// With `range: None`: ask for the whole object (its headers carry the whole checksum) but take only its first so many bytes into
    /// the sink and close; a resumed attempt asks for the rest of those bytes by Range. No checksum is compared when the object is
    /// longer: the caller does that.
    pub first: Option<u64>,
}
