//! `PutObject`: a whole object in one request.

use super::attributes::{ObjectAttributes, WriteCondition};
use super::object_head::ObjectHead;
use super::reported;
use crate::model::checksum::{Algorithm, Checksum, Hasher};
use crate::model::record::ETag;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use crate::transport::http::Patience;
use bytes::Bytes;
use http::Method;

/// `PutObject` → [`Put`]. With `checksum` it goes as a header and the payload is unsigned; without, the payload is signed.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html>
#[derive(Debug, Clone, Default)]
pub struct PutObject {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Body, in order; several pieces are sent without joining them.
    pub body: Vec<Bytes>,
    /// Checksum of the body, which the store verifies.
    pub checksum: Option<Checksum>,
    /// What the object keeps.
    pub attributes: ObjectAttributes,
    /// Condition.
    pub condition: WriteCondition,
}

/// What a finished write reports.
#[derive(Debug, Clone, Default)]
pub struct Put {
    /// `ETag`.
    pub etag: Option<ETag>,
    /// `x-amz-version-id`.
    pub version_id: Option<String>,
    /// Checksums as the store reported them: algorithm name, value.
    pub checksums: Vec<(String, String)>,
    /// `FULL_OBJECT` or `COMPOSITE`.
    pub checksum_type: Option<String>,
}

impl Put {
    /// What the headers of a PUT's answer say.
    fn of(answer: &Answer) -> Self {
        Self {
            etag: answer.header("etag").map(|text| ETag::new(&text)),
            version_id: answer.header("x-amz-version-id"),
            checksums: reported::checksums(&answer.headers),
            checksum_type: reported::checksum_type(&answer.headers),
        }
    }

    /// The write that left this object.
    pub(super) fn found(head: &ObjectHead) -> Self {
        Self {
            etag: head.etag.clone(),
            version_id: head.version_id.clone(),
            checksums: head.checksums.clone(),
            checksum_type: head.checksum_type.clone(),
        }
    }
}

impl Operation for PutObject {
    type Output = Put;
    const NAME: &'static str = "PutObject";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        let parts = self.attributes.apply(Parts::new(Method::PUT)).patience(Patience::Flow);
        self.condition.apply(parts).checksum(self.checksum.as_ref()).body(self.body.clone())
    }

    fn parse(&self, answer: &Answer) -> Result<Put, Failure> {
        reported::verify(&answer.headers, self.checksum.as_ref(), &self.body)?;
        Ok(Put::of(answer))
    }

    /// A condition that no longer holds after a lost answer may have been broken by our own write.
    fn is_doubtful(&self, failure: &Failure) -> bool {
        self.condition != WriteCondition::None && failure.code == "PreconditionFailed"
    }

    fn settle(&self, head: &ObjectHead) -> Option<Put> {
        let size: u64 = self.body.iter().map(|piece| piece.len() as u64).sum();
        let same = match (&self.checksum, &head.checksum) {
            (Some(ours), Some(stores)) if ours.algorithm() == stores.algorithm() => ours == stores,
            _ => self.is_md5_of_body(head.etag.as_ref()?),
        };
        (head.size == size && same).then(|| Put::found(head))
    }
}

impl PutObject {
    fn is_md5_of_body(&self, etag: &ETag) -> bool {
        let mut hasher = Hasher::new(Algorithm::Md5);
        for piece in &self.body {
            hasher.update(piece);
        }
        hasher.finish().hex() == etag.as_str()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{answer, headers, request};
    use super::*;

    fn put(condition: WriteCondition) -> PutObject {
        let body = vec![Bytes::from_static(b"12345"), Bytes::from_static(b"6789")];
        PutObject { bucket: "b".into(), key: "k".into(), body, condition, ..PutObject::default() }
    }

    #[test]
    fn a_checksum_and_a_condition_go_as_headers() {
        let body = Checksum::of(Algorithm::Crc32, b"123456789");
        let put = PutObject { checksum: Some(body), ..put(WriteCondition::Absent) };
        assert_eq!(headers(&request(&put)), "if-none-match: *\nx-amz-checksum-crc32: y/Q5Jg==");
    }

    #[test]
    fn a_reported_checksum_of_other_bytes_is_a_failure() {
        let right = answer(&[("x-amz-checksum-crc32", "y/Q5Jg=="), ("etag", "\"e\"")], "");
        assert_eq!(put(WriteCondition::None).parse(&right).unwrap().etag.unwrap().as_str(), "e");
        let wrong = answer(&[("x-amz-checksum-crc32", "y/Q5Jw==")], "");
        assert_eq!(put(WriteCondition::None).parse(&wrong).unwrap_err().code, "ChecksumMismatch");
    }

    #[test]
    fn an_etag_is_never_taken_for_a_checksum() {
        let random = answer(&[("etag", "\"00000000000000000000000000000000\"")], "");
        assert!(put(WriteCondition::None).parse(&random).is_ok());
    }

    #[test]
    fn only_the_very_bytes_settle_a_doubtful_write() {
        let put = put(WriteCondition::Absent);
        let head = |size, etag: &str| ObjectHead { size, etag: Some(ETag::new(etag)), ..ObjectHead::default() };
        assert!(put.settle(&head(9, "25f9e794323b453885f5181f1b624d0b")).is_some());
        assert!(put.settle(&head(9, "25f9e794323b453885f5181f1b624d0c")).is_none());
        assert!(put.settle(&head(8, "25f9e794323b453885f5181f1b624d0b")).is_none());
    }
}
