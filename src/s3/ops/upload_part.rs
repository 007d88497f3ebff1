//! `UploadPart`.

use super::reported;
use crate::model::checksum::Checksum;
use crate::model::record::ETag;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use crate::transport::http::Patience;
use bytes::Bytes;
use http::Method;

/// `UploadPart` → [`PartDone`].
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html>
#[derive(Debug, Clone, Default)]
pub struct UploadPart {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Upload.
    pub upload_id: String,
    /// Part number, 1 to 10,000.
    pub number: u32,
    /// Body, in order.
    pub body: Vec<Bytes>,
    /// Checksum of the body, which the store verifies.
    pub checksum: Option<Checksum>,
}

/// A stored part: what Complete needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartDone {
    /// Part number.
    pub number: u32,
    /// `ETag`.
    pub etag: ETag,
    /// Bytes; 0 for a part that was copied from a whole object, for nothing says how long that was.
    pub size: u64,
    /// As the store reported it.
    pub checksum: Option<Checksum>,
}

impl Operation for UploadPart {
    type Output = PartDone;
    const NAME: &'static str = "UploadPart";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        Parts::new(Method::PUT)
            .query("partNumber", &self.number.to_string())
            .query("uploadId", &self.upload_id)
            .checksum(self.checksum.as_ref())
            .body(self.body.clone())
            .patience(Patience::Flow)
    }

    fn parse(&self, answer: &Answer) -> Result<PartDone, Failure> {
        reported::verify(&answer.headers, self.checksum.as_ref(), &self.body)?;
        // Without its ETag a part cannot be named in Complete; sending it again replaces it.
        let etag = answer.header("etag").ok_or_else(|| Failure::bad_answer("no ETag in the answer to UploadPart"))?;
        Ok(PartDone {
            number: self.number,
            etag: ETag::new(&etag),
            size: self.body.iter().map(|piece| piece.len() as u64).sum(),
            checksum: reported::full(&answer.headers),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{answer, request};
    use super::*;

    #[test]
    fn an_upload_id_is_encoded_and_an_answer_without_etag_is_no_success() {
        let body = vec![Bytes::from_static(b"12"), Bytes::from_static(b"3")];
        let part = UploadPart { number: 7, upload_id: "a+b/c=".into(), body, ..UploadPart::default() };
        assert_eq!(request(&part).query, "partNumber=7&uploadId=a%2Bb%2Fc%3D");
        assert_eq!(part.parse(&answer(&[], "")).unwrap_err().code, "BadResponse");
        let done = part.parse(&answer(&[("etag", "\"e\"")], "")).unwrap();
        assert_eq!((done.number, done.size, done.etag.as_str()), (7, 3, "e"));
    }
}
