//! What is fixed when an object is created, and the conditions of a write, as headers.

use super::object_head::ContentHeaders;
use crate::model::record::ETag;
use crate::s3::encode;
use crate::s3::operation::Parts;

/// What is fixed when an object is created: `PutObject`, `CreateMultipartUpload` and `CopyObject` (with REPLACE) share it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectAttributes {
    /// Content headers.
    pub content: ContentHeaders,
    /// User metadata, names without `x-amz-meta-`.
    pub metadata: Vec<(String, String)>,
    /// `None`: nothing said.
    pub tags: Option<Vec<(String, String)>>,
    /// `x-amz-storage-class`.
    pub storage_class: Option<String>,
    /// `x-amz-acl`, a canned ACL.
    pub acl: Option<String>,
    /// `x-amz-server-side-encryption`.
    pub sse: Option<String>,
    /// `x-amz-server-side-encryption-aws-kms-key-id`.
    pub sse_kms_key_id: Option<String>,
    /// `x-amz-website-redirect-location`.
    pub website_redirect: Option<String>,
}

/// A condition on the destination of a write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum WriteCondition {
    /// None.
    #[default]
    None,
    /// `If-None-Match: *`.
    Absent,
    /// `If-Match`.
    Matches(ETag),
}

impl ObjectAttributes {
    /// Adds all of it to a request.
    pub(super) fn apply(&self, mut parts: Parts) -> Parts {
        let content = &self.content;
        parts = parts
            .maybe_header("content-type", content.content_type.as_deref())
            .maybe_header("cache-control", content.cache_control.as_deref())
            .maybe_header("content-disposition", content.content_disposition.as_deref())
            .maybe_header("content-encoding", content.content_encoding.as_deref())
            .maybe_header("content-language", content.content_language.as_deref())
            .maybe_header("expires", content.expires.as_deref())
            .maybe_header("x-amz-storage-class", self.storage_class.as_deref())
            .maybe_header("x-amz-acl", self.acl.as_deref())
            .maybe_header("x-amz-server-side-encryption", self.sse.as_deref())
            .maybe_header("x-amz-server-side-encryption-aws-kms-key-id", self.sse_kms_key_id.as_deref())
            .maybe_header("x-amz-website-redirect-location", self.website_redirect.as_deref());
        for (name, value) in &self.metadata {
            parts = parts.header(&format!("x-amz-meta-{name}"), value);
        }
        match &self.tags {
            Some(tags) if !tags.is_empty() => parts.header("x-amz-tagging", &tag_query(tags)),
            _ => parts,
        }
    }
}

impl WriteCondition {
    /// Adds the condition to a request.
    pub(super) fn apply(&self, parts: Parts) -> Parts {
        match self {
            Self::None => parts,
            Self::Absent => parts.header("if-none-match", "*"),
            Self::Matches(etag) => parts.header("if-match", &etag.quoted()),
        }
    }
}

fn tag_query(tags: &[(String, String)]) -> String {
    let mut query = String::new();
    for (name, value) in tags {
        encode::push_query(&mut query, name, Some(value));
    }
    query
}

#[cfg(test)]
mod tests {
    use super::super::testing::headers;
    use super::*;

    #[test]
    fn all_that_an_object_keeps_becomes_headers() {
        let attributes = ObjectAttributes {
            content: ContentHeaders { content_type: Some("text/plain".into()), ..ContentHeaders::default() },
            metadata: vec![("Owner".into(), "a  b".into())],
            tags: Some(vec![("k y".into(), "v&=".into())]),
            storage_class: Some("STANDARD_IA".into()),
            ..ObjectAttributes::default()
        };
        assert_eq!(
            headers(&attributes.apply(Parts::new(http::Method::PUT))),
            "content-type: text/plain\nx-amz-meta-owner: a  b\nx-amz-storage-class: STANDARD_IA\nx-amz-tagging: k%20y=v%26%3D"
        );
    }
}
