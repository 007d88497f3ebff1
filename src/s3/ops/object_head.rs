//! The facts about an object that the headers of GET and HEAD tell.

use super::reported;
use crate::model::checksum::Checksum;
use crate::model::record::ETag;
use crate::s3::header::{header, http_date};
use http::HeaderMap;
use jiff::Timestamp;
use std::ops::Range;

/// The content headers S3 stores with an object, verbatim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentHeaders {
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Cache-Control`.
    pub cache_control: Option<String>,
    /// `Content-Disposition`.
    pub content_disposition: Option<String>,
    /// `Content-Encoding`.
    pub content_encoding: Option<String>,
    /// `Content-Language`.
    pub content_language: Option<String>,
    /// `Expires`: any text, S3 does not check it.
    pub expires: Option<String>,
}

/// Facts from a GET's or HEAD's headers.
#[derive(Debug, Clone, Default)]
pub struct ObjectHead {
    /// Size of the whole object, also for a ranged answer.
    pub size: u64,
    /// The range this answer holds; `0..size` for a whole one.
    pub range: Range<u64>,
    /// `ETag`.
    pub etag: Option<ETag>,
    /// `Last-Modified`.
    pub last_modified: Option<Timestamp>,
    /// `x-amz-version-id`.
    pub version_id: Option<String>,
    /// `x-amz-storage-class`; S3 leaves it out for STANDARD.
    pub storage_class: Option<String>,
    /// Content headers.
    pub content: ContentHeaders,
    /// `x-amz-meta-*`, names without the prefix, in order.
    pub metadata: Vec<(String, String)>,
    /// `x-amz-tagging-count`.
    pub tag_count: u32,
    /// Checksum of the whole object (`FULL_OBJECT` type, whole answer) if the store sent one.
    pub checksum: Option<Checksum>,
    /// `FULL_OBJECT` or `COMPOSITE`, as sent.
    pub checksum_type: Option<String>,
    /// All `x-amz-checksum-*` values as sent (algorithm name, value), also composite ones.
    pub checksums: Vec<(String, String)>,
    /// `x-amz-mp-parts-count`.
    pub parts_count: Option<u32>,
    /// `x-amz-restore`, as sent.
    pub restore: Option<String>,
    /// `x-amz-server-side-encryption`.
    pub sse: Option<String>,
    /// `x-amz-server-side-encryption-aws-kms-key-id`.
    pub sse_kms_key_id: Option<String>,
    /// `x-amz-website-redirect-location`.
    pub website_redirect: Option<String>,
    /// `x-amz-delete-marker`.
    pub delete_marker: bool,
}

impl ObjectHead {
    /// Reads the headers of an answer that holds `range` of an object of `size` bytes.
    pub(in crate::s3) fn read(headers: &HeaderMap, size: u64, range: Range<u64>) -> Self {
        let get = |name| header(headers, name);
        Self {
            size,
            etag: get("etag").map(|text| ETag::new(&text)),
            last_modified: get("last-modified").and_then(|text| http_date(&text)),
            version_id: get("x-amz-version-id"),
            storage_class: get("x-amz-storage-class"),
            content: content(headers),
            metadata: metadata(headers),
            tag_count: get("x-amz-tagging-count").and_then(|text| text.parse().ok()).unwrap_or(0),
            checksum: if range == (0..size) { reported::full(headers) } else { None },
            checksum_type: reported::checksum_type(headers),
            checksums: reported::checksums(headers),
            parts_count: get("x-amz-mp-parts-count").and_then(|text| text.parse().ok()),
            restore: get("x-amz-restore"),
            sse: get("x-amz-server-side-encryption"),
            sse_kms_key_id: get("x-amz-server-side-encryption-aws-kms-key-id"),
            website_redirect: get("x-amz-website-redirect-location"),
            delete_marker: get("x-amz-delete-marker").as_deref() == Some("true"),
            range,
        }
    }
}

fn content(headers: &HeaderMap) -> ContentHeaders {
    let get = |name| header(headers, name);
    ContentHeaders {
        content_type: get("content-type"),
        cache_control: get("cache-control"),
        content_disposition: get("content-disposition"),
        content_encoding: get("content-encoding"),
        content_language: get("content-language"),
        expires: get("expires"),
    }
}

fn metadata(headers: &HeaderMap) -> Vec<(String, String)> {
    let pairs = headers.iter().filter_map(|(name, value)| {
        let name = name.as_str().strip_prefix("x-amz-meta-")?;
        Some((name.to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
    });
    pairs.collect()
}
