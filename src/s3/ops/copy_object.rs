//! `CopyObject`: a whole object copied by the store, in one request.

use super::attributes::{ObjectAttributes, WriteCondition};
use super::put_object::Put;
use crate::model::record::ETag;
use crate::s3::encode;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use crate::s3::xml::Xml;
use crate::transport::http::Patience;
use http::Method;

/// `CopyObject` (source ≤ 5 GiB) → [`Put`]. `attributes: None` copies metadata and tags (directives COPY); `Some` replaces the
/// metadata, and the tags if it says any.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html>
#[derive(Debug, Clone, Default)]
pub struct CopyObject {
    /// Source.
    pub source: CopySource,
    /// Bucket of the copy.
    pub bucket: String,
    /// Key of the copy.
    pub key: String,
    /// What the copy keeps instead of the source's.
    pub attributes: Option<ObjectAttributes>,
    /// Storage class, set also without REPLACE.
    pub storage_class: Option<String>,
    /// Canned ACL, set also without REPLACE.
    pub acl: Option<String>,
    /// Condition on the destination.
    pub condition: WriteCondition,
}

/// Source of a server-side copy; `if_match` pins it.
#[derive(Debug, Clone, Default)]
pub struct CopySource {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Version; `None` is the current one.
    pub version_id: Option<String>,
    /// The `ETag` it must have.
    pub if_match: Option<ETag>,
}

impl CopySource {
    /// Adds the source to a request.
    pub(super) fn apply(&self, parts: Parts) -> Parts {
        let mut source = String::new();
        encode::push_path(&mut source, &self.bucket);
        source.push('/');
        encode::push_path(&mut source, &self.key);
        if let Some(version) = &self.version_id {
            source.push('?');
            let mut query = String::new();
            encode::push_query(&mut query, "versionId", Some(version));
            source.push_str(&query);
        }
        let if_match = self.if_match.as_ref().map(ETag::quoted);
        parts
            .header("x-amz-copy-source", &source)
            .maybe_header("x-amz-copy-source-if-match", if_match.as_deref())
            .patience(Patience::Long)
    }
}

impl Operation for CopyObject {
    type Output = Put;
    const NAME: &'static str = "CopyObject";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        let mut parts = self.source.apply(Parts::new(Method::PUT));
        if let Some(attributes) = &self.attributes {
            parts = attributes.apply(parts).header("x-amz-metadata-directive", "REPLACE");
            if attributes.tags.is_some() {
                parts = parts.header("x-amz-tagging-directive", "REPLACE");
            }
        }
        let parts = parts
            .maybe_header("x-amz-storage-class", self.storage_class.as_deref())
            .maybe_header("x-amz-acl", self.acl.as_deref());
        self.condition.apply(parts)
    }

    fn parse(&self, answer: &Answer) -> Result<Put, Failure> {
        let mut put = written(answer.xml("CopyObjectResult")?)?;
        put.version_id = answer.header("x-amz-version-id");
        match put.etag {
            Some(_) => Ok(put),
            None => Err(Failure::bad_answer("no ETag in the answer to CopyObject")),
        }
    }
}

/// Reads the `ETag` and checksums of a copy's or a completed upload's result.
pub(super) fn written(mut xml: Xml<'_>) -> Result<Put, Failure> {
    let mut put = Put::default();
    while let Some(name) = xml.child()? {
        match name {
            "ETag" => put.etag = Some(ETag::new(&xml.text()?)).filter(|etag| !etag.as_str().is_empty()),
            "ChecksumType" => put.checksum_type = Some(xml.text()?.into_owned()),
            name => match name.strip_prefix("Checksum").map(str::to_owned) {
                Some(algorithm) => put.checksums.push((algorithm, xml.text()?.into_owned())),
                None => xml.skip()?,
            },
        }
    }
    Ok(put)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{answer, headers, request};
    use super::*;

    fn copy() -> CopyObject {
        let source = CopySource { bucket: "src".into(), key: "a?b c/é".into(), version_id: None, if_match: None };
        CopyObject { source, bucket: "b".into(), key: "k".into(), ..CopyObject::default() }
    }

    #[test]
    fn the_source_is_encoded_and_its_version_is_not_part_of_the_key() {
        assert_eq!(headers(&request(&copy())), "x-amz-copy-source: src/a%3Fb%20c/%C3%A9");
        let mut pinned = copy();
        pinned.source.version_id = Some("v=1".into());
        pinned.source.if_match = Some(ETag::new("e"));
        assert_eq!(
            headers(&request(&pinned)),
            "x-amz-copy-source-if-match: \"e\"\nx-amz-copy-source: src/a%3Fb%20c/%C3%A9?versionId=v%3D1"
        );
    }

    #[test]
    fn attributes_replace_the_metadata_and_the_tags_only_if_there_are_any() {
        let mut with = CopyObject { attributes: Some(ObjectAttributes::default()), ..copy() };
        assert!(headers(&request(&with)).ends_with("x-amz-metadata-directive: REPLACE"));
        with.attributes = Some(ObjectAttributes { tags: Some(Vec::new()), ..ObjectAttributes::default() });
        assert!(headers(&request(&with)).ends_with("x-amz-tagging-directive: REPLACE"));
    }

    #[test]
    fn a_result_has_an_etag_or_is_none() {
        let result = "  \n<CopyObjectResult><LastModified>x</LastModified><ETag>\"e\"</ETag>\
                      <ChecksumCRC32>AAAAAA==</ChecksumCRC32></CopyObjectResult>";
        let put = copy().parse(&answer(&[("x-amz-version-id", "v")], result)).unwrap();
        assert_eq!((put.etag.unwrap().as_str(), put.version_id.as_deref()), ("e", Some("v")));
        assert_eq!(put.checksums, [("CRC32".into(), "AAAAAA==".into())]);
        for body in ["", "   \n", "<CopyObjectResult/>"] {
            assert_eq!(copy().parse(&answer(&[], body)).unwrap_err().code, "BadResponse");
        }
    }
}
