//! `CompleteMultipartUpload`: joins the parts. The one operation whose lost answer cannot just be asked for again.

use super::attributes::WriteCondition;
use super::copy_object::written;
use super::object_head::ObjectHead;
use super::put_object::Put;
use super::reported;
use super::upload_part::PartDone;
use super::upload_part_copy::first;
use crate::model::checksum::{Algorithm, Checksum};
use crate::s3::Kind;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use crate::s3::xml;
use crate::transport::http::Patience;
use crate::transport::retry::Class;
use bytes::Bytes;
use http::Method;

/// `CompleteMultipartUpload` → [`Put`]. Lost answers are settled inside: `NoSuchUpload` on a retry is checked by HEAD (size, and
/// full-object checksum or multipart `ETag`); if that proves nothing the error's code is `UnknownOutcome`.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html>
#[derive(Debug, Clone, Default)]
pub struct CompleteMultipartUpload {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Upload.
    pub upload_id: String,
    /// The parts, in ascending order.
    pub parts: Vec<PartDone>,
    /// Asserted as `FULL_OBJECT`.
    pub checksum: Option<Checksum>,
    /// Total size, sent as `x-amz-mp-object-size` on AWS.
    pub size: u64,
    /// Condition.
    pub condition: WriteCondition,
}

impl Operation for CompleteMultipartUpload {
    type Output = Put;
    const NAME: &'static str = "CompleteMultipartUpload";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, store: Store<'_>) -> Parts {
        let mut parts = Parts::new(Method::POST)
            .query("uploadId", &self.upload_id)
            .header("content-type", "application/xml")
            .body(vec![Bytes::from(self.document())])
            .patience(Patience::Long);
        if store.aws {
            parts = parts.header("x-amz-mp-object-size", &self.size.to_string());
        }
        if let Some(checksum) = &self.checksum {
            parts = parts
                .header(checksum.algorithm().header(), &checksum.base64())
                .header("x-amz-checksum-type", "FULL_OBJECT");
        }
        self.condition.apply(parts)
    }

    fn parse(&self, answer: &Answer) -> Result<Put, Failure> {
        let mut put = written(answer.xml("CompleteMultipartUploadResult")?)?;
        put.version_id = answer.header("x-amz-version-id");
        let composite = put.checksum_type.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("COMPOSITE"));
        if let (false, Some(ours), Some(stores)) = (composite, &self.checksum, first(&put.checksums))
            && ours.algorithm() == stores.algorithm()
            && *ours != stores
        {
            return Err(reported::mismatch(ours, &stores, Class::Fatal));
        }
        match put.etag {
            Some(_) => Ok(put),
            None => Err(Failure::bad_answer("no ETag in the answer to CompleteMultipartUpload")),
        }
    }

    /// Another write won: S3 drops the upload, so there is nothing left to complete.
    fn judge(&self, failure: Failure) -> Failure {
        let conflict = failure.code == "ConditionalRequestConflict";
        Failure { class: if conflict { Class::Fatal } else { failure.class }, ..failure }
    }

    /// A finished upload is no more, and a condition that it met is not met again.
    fn is_doubtful(&self, failure: &Failure) -> bool {
        let conditional = self.condition != WriteCondition::None;
        failure.code == "NoSuchUpload" || (conditional && failure.code == "PreconditionFailed")
    }

    fn settle(&self, head: &ObjectHead) -> Option<Put> {
        let same = match (&self.checksum, &head.checksum) {
            (Some(ours), Some(stores)) if ours.algorithm() == stores.algorithm() => ours == stores,
            _ => self.multipart_etag()? == head.etag.as_ref()?.as_str(),
        };
        (head.size == self.size && same).then(|| Put::found(head))
    }

    fn unsettled(&self, failure: Failure) -> Failure {
        Failure {
            kind: Kind::Fatal,
            code: "UnknownOutcome".into(),
            message: format!(
                "an answer was lost and the store now says {}; the object at the key cannot be proven to be this upload",
                failure.code
            ),
            ..failure
        }
    }
}

impl CompleteMultipartUpload {
    fn document(&self) -> String {
        let mut out = String::with_capacity(self.parts.len() * 110 + 140);
        out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?><CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        for part in &self.parts {
            out.push_str("<Part>");
            xml::element(&mut out, "PartNumber", &part.number.to_string());
            xml::element(&mut out, "ETag", &part.etag.quoted());
            out.push_str("</Part>");
        }
        out.push_str("</CompleteMultipartUpload>");
        out
    }

    /// The `ETag` that S3 makes from the parts' MD5s, if that is what their `ETag`s are.
    fn multipart_etag(&self) -> Option<String> {
        let mut digests = Vec::with_capacity(self.parts.len() * 16);
        for part in &self.parts {
            let digest = hex::decode(part.etag.as_str()).ok().filter(|digest| digest.len() == 16)?;
            digests.extend_from_slice(&digest);
        }
        Some(format!("{}-{}", Checksum::of(Algorithm::Md5, &digests).hex(), self.parts.len()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{answer, body, headers, request};
    use super::*;
    use crate::model::record::ETag;

    fn complete() -> CompleteMultipartUpload {
        let part = |number, etag: &str| PartDone { number, etag: ETag::new(etag), size: 5, checksum: None };
        let parts = vec![part(1, "0123456789abcdef0123456789abcdef"), part(2, "00000000000000000000000000000000")];
        CompleteMultipartUpload { upload_id: "u".into(), parts, size: 10, ..CompleteMultipartUpload::default() }
    }

    #[test]
    fn the_document_names_parts_and_quoted_etags_and_aws_is_told_the_size() {
        let parts = request(&complete());
        assert!(body(&parts).contains(
            "<Part><PartNumber>1</PartNumber><ETag>&quot;0123456789abcdef0123456789abcdef&quot;</ETag></Part><Part>"
        ));
        assert!(!headers(&parts).contains("x-amz-mp-object-size"));
        let aws = complete().request(Store { aws: true, region: "r" });
        assert!(headers(&aws).contains("x-amz-mp-object-size: 10"));
    }

    #[test]
    fn only_size_and_identity_together_settle_a_lost_answer() {
        let complete = complete();
        let etag = complete.multipart_etag().unwrap();
        assert!(etag.ends_with("-2"));
        let head = |size, etag: &str| ObjectHead { size, etag: Some(ETag::new(etag)), ..ObjectHead::default() };
        assert!(complete.settle(&head(10, &etag)).is_some());
        assert!(complete.settle(&head(9, &etag)).is_none());
        assert!(complete.settle(&head(10, "0123456789abcdef0123456789abcdef-2")).is_none());
        let sum = |text: &[u8]| Some(Checksum::of(Algorithm::Crc32, text));
        let with = CompleteMultipartUpload { checksum: sum(b"a"), ..complete };
        assert!(with.settle(&ObjectHead { size: 10, checksum: sum(b"a"), ..ObjectHead::default() }).is_some());
        assert!(with.settle(&ObjectHead { checksum: sum(b"b"), ..head(10, &etag) }).is_none());
    }

    #[test]
    fn a_full_object_checksum_in_the_result_is_compared() {
        let with = CompleteMultipartUpload { checksum: Some(Checksum::of(Algorithm::Crc32, b"")), ..complete() };
        let result = |kind: &str| {
            let body = format!(
                "  <CompleteMultipartUploadResult><ETag>e-2</ETag><ChecksumCRC32>y/Q5Jg==</ChecksumCRC32>\
                 <ChecksumType>{kind}</ChecksumType></CompleteMultipartUploadResult>"
            );
            with.parse(&answer(&[], &body))
        };
        assert_eq!(result("FULL_OBJECT").unwrap_err().code, "ChecksumMismatch");
        assert!(result("COMPOSITE").is_ok());
    }
}
