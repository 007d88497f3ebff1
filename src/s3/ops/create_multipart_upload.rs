//! `CreateMultipartUpload`: everything about the object to come is fixed here.

use super::attributes::ObjectAttributes;
use crate::model::checksum::Algorithm;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use http::Method;

/// `CreateMultipartUpload` → upload id. `checksum` asks for `FULL_OBJECT` of that algorithm.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html>
#[derive(Debug, Clone, Default)]
pub struct CreateMultipartUpload {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// What the object keeps.
    pub attributes: ObjectAttributes,
    /// Algorithm of the object's checksum.
    pub checksum: Option<Algorithm>,
}

impl Operation for CreateMultipartUpload {
    type Output = String;
    const NAME: &'static str = "CreateMultipartUpload";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        let parts = self.attributes.apply(Parts::new(Method::POST).resource("uploads"));
        match self.checksum {
            Some(algorithm) => parts
                .header("x-amz-checksum-algorithm", algorithm.as_str())
                .header("x-amz-checksum-type", "FULL_OBJECT"),
            None => parts,
        }
    }

    /// Only the id is read: the answer also echoes the key, which XML may not be able to hold.
    fn parse(&self, answer: &Answer) -> Result<String, Failure> {
        let mut xml = answer.xml("InitiateMultipartUploadResult")?;
        let mut id = None;
        while let Some(name) = xml.child()? {
            match name {
                "UploadId" => id = Some(xml.text()?.trim().to_owned()),
                _ => xml.skip()?,
            }
        }
        id.filter(|id| !id.is_empty()).ok_or_else(|| Failure::bad_answer("no UploadId in the answer"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{answer, headers, request};
    use super::*;

    #[test]
    fn a_full_object_checksum_is_asked_for_by_name_and_type() {
        let create = CreateMultipartUpload { checksum: Some(Algorithm::Crc64Nvme), ..Default::default() };
        assert_eq!(headers(&request(&create)), "x-amz-checksum-algorithm: CRC64NVME\nx-amz-checksum-type: FULL_OBJECT");
        assert_eq!(request(&create).query, "uploads");
    }

    #[test]
    fn the_id_is_found_beside_a_key_that_xml_cannot_hold() {
        let body = "<InitiateMultipartUploadResult><Key>a&#x8;&#0;b</Key><UploadId>id+/=</UploadId></InitiateMultipartUploadResult>";
        assert_eq!(CreateMultipartUpload::default().parse(&answer(&[], body)).unwrap(), "id+/=");
    }
}
