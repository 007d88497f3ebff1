//! `HeadObject`.

use super::object_head::ObjectHead;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use http::Method;

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
    use crate::s3::header::http_date;

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
