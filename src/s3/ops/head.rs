//! `HeadObject`, and the facts in the headers of HEAD and GET.

use super::attributes::ContentHeaders;
use super::reported;
use crate::model::checksum::Checksum;
use crate::model::record::ETag;
use crate::s3::failure::Failure;
use crate::s3::header::{header, http_date};
use crate::s3::operation::{Answer, Operation, Parts, Store};
use http::{HeaderMap, Method};
use jiff::Timestamp;
use std::ops::Range;

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

/// `HeadObject` → [`ObjectHead`].
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html>
#[derive(Debug, Clone, Default)]
pub struct HeadObject {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Version; `None` is the current one.
    pub version_id: Option<String>,
    /// Send `x-amz-checksum-mode: ENABLED`.
    pub checksum_mode: bool,
}

impl Operation for HeadObject {
    type Output = ObjectHead;
    const NAME: &'static str = "HeadObject";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        Parts::new(Method::HEAD)
            .maybe_query("versionId", self.version_id.as_deref())
            .maybe_header("x-amz-checksum-mode", self.checksum_mode.then_some("ENABLED"))
    }

    fn parse(&self, answer: &Answer) -> Result<ObjectHead, Failure> {
        let length = answer.header("content-length").and_then(|text| text.trim().parse().ok());
        let size = length.ok_or_else(|| Failure::unusable_answer("no Content-Length in the answer to HEAD"))?;
        Ok(ObjectHead::read(&answer.headers, size, 0..size))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::answer;
    use super::*;

    #[test]
    fn a_head_is_read_whole() {
        let head = HeadObject::default()
            .parse(&answer(
                &[
                    ("content-length", "5"),
                    ("etag", "\"abc-2\""),
                    ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
                    ("x-amz-meta-a", "1"),
                    ("x-amz-meta-b", "2"),
                    ("x-amz-tagging-count", "3"),
                    ("x-amz-checksum-crc32", "AAAAAA=="),
                    ("x-amz-checksum-type", "FULL_OBJECT"),
                    ("x-amz-mp-parts-count", "2"),
                ],
                "",
            ))
            .unwrap();
        assert_eq!((head.size, head.range, head.tag_count, head.parts_count), (5, 0..5, 3, Some(2)));
        assert_eq!(head.etag.unwrap().as_str(), "abc-2");
        assert_eq!(head.last_modified.unwrap().as_second(), 784_111_777);
        assert_eq!(head.metadata, [("a".into(), "1".into()), ("b".into(), "2".into())]);
        assert_eq!(head.checksum.unwrap().digest(), [0; 4]);
        assert_eq!(head.checksums, [("CRC32".into(), "AAAAAA==".into())]);
    }

    #[test]
    fn composite_checksums_are_shown_but_never_trusted() {
        for headers in [
            [("x-amz-checksum-crc32", "AAAAAA==-2"), ("x-amz-checksum-type", "FULL_OBJECT")],
            [("x-amz-checksum-crc32", "AAAAAA=="), ("x-amz-checksum-type", "COMPOSITE")],
        ] {
            let all = [&headers[..], &[("content-length", "5")]].concat();
            let head = HeadObject::default().parse(&answer(&all, "")).unwrap();
            assert_eq!((head.checksum, head.checksums.len()), (None, 1));
        }
    }

    #[test]
    fn a_wrong_weekday_in_a_date_is_forgiven() {
        assert_eq!(http_date("Mon, 06 Nov 1994 08:49:37 GMT").unwrap().as_second(), 784_111_777);
        assert_eq!(http_date("yesterday"), None);
    }
}
