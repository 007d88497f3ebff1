//! Which S3 operation a request is: found from method, path and query alone, before anything is read or checked.
//!
//! The names are S3's own, as the request log and fault specifications use them.

use http::{HeaderMap, Method};

use super::target::{Query, Target};
use super::{latency::Class, throttle::Tier};

macro_rules! operations {
    ($($name:ident),* $(,)?) => {
        /// An S3 operation the endpoint knows by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names are S3's")]
        pub enum Operation { $($name),* }

        impl Operation {
            /// All of them, in the order of their discriminants.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// S3's name of the operation.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),* }
            }
        }
    };
}

operations!(
    ListBuckets,
    CreateBucket,
    HeadBucket,
    DeleteBucket,
    GetBucketLocation,
    GetBucketVersioning,
    PutBucketVersioning,
    ListObjectsV2,
    ListObjects,
    ListObjectVersions,
    ListMultipartUploads,
    DeleteObjects,
    GetObject,
    HeadObject,
    PutObject,
    CopyObject,
    DeleteObject,
    GetObjectAttributes,
    GetObjectTagging,
    PutObjectTagging,
    DeleteObjectTagging,
    GetObjectAcl,
    GetBucketAcl,
    CreateMultipartUpload,
    UploadPart,
    UploadPartCopy,
    CompleteMultipartUpload,
    AbortMultipartUpload,
    ListParts,
    RestoreObject,
    Unknown,
);

/// Sub-resources that exist on S3 and that this endpoint does not offer: asking for one is answered `NotImplemented`, never served as
/// the plain operation.
const FOREIGN: &[&str] = &[
    "accelerate",
    "analytics",
    "cors",
    "encryption",
    "intelligent-tiering",
    "inventory",
    "legal-hold",
    "lifecycle",
    "logging",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "policy",
    "policyStatus",
    "publicAccessBlock",
    "replication",
    "requestPayment",
    "retention",
    "select",
    "session",
    "torrent",
    "website",
];

impl Operation {
    /// Reads S3's name, any case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str().eq_ignore_ascii_case(name))
    }

    /// The operation a request asks for.
    #[must_use]
    pub(super) fn of(method: &Method, target: &Target, query: &Query, headers: &HeaderMap) -> Self {
        if FOREIGN.iter().any(|name| query.has(name)) {
            return Self::Unknown;
        }
        match target {
            Target::Service if method == Method::GET => Self::ListBuckets,
            Target::Service => Self::Unknown,
            Target::Bucket(_) => Self::of_bucket(method, query),
            Target::Object(..) => Self::of_object(method, query, headers.contains_key("x-amz-copy-source")),
        }
    }

    fn of_bucket(method: &Method, query: &Query) -> Self {
        match method.as_str() {
            "GET" if query.has("location") => Self::GetBucketLocation,
            "GET" if query.has("versioning") => Self::GetBucketVersioning,
            "GET" if query.has("versions") => Self::ListObjectVersions,
            "GET" if query.has("uploads") => Self::ListMultipartUploads,
            "GET" if query.has("acl") => Self::GetBucketAcl,
            "GET" | "PUT" | "DELETE" if query.has("tagging") => Self::Unknown,
            "GET" if query.get("list-type") == Some("2") => Self::ListObjectsV2,
            "GET" => Self::ListObjects,
            "HEAD" => Self::HeadBucket,
            "PUT" if query.has("versioning") => Self::PutBucketVersioning,
            "PUT" if query.has("acl") => Self::Unknown,
            "PUT" => Self::CreateBucket,
            "DELETE" => Self::DeleteBucket,
            "POST" if query.has("delete") => Self::DeleteObjects,
            _ => Self::Unknown,
        }
    }

    fn of_object(method: &Method, query: &Query, copies: bool) -> Self {
        let part = query.has("uploadId");
        match method.as_str() {
            "GET" if query.has("attributes") => Self::GetObjectAttributes,
            "GET" if query.has("tagging") => Self::GetObjectTagging,
            "GET" if query.has("acl") => Self::GetObjectAcl,
            "GET" if part => Self::ListParts,
            "GET" => Self::GetObject,
            "HEAD" => Self::HeadObject,
            "PUT" if query.has("tagging") => Self::PutObjectTagging,
            "PUT" if query.has("acl") => Self::Unknown,
            "PUT" if part && copies => Self::UploadPartCopy,
            "PUT" if part => Self::UploadPart,
            "PUT" if copies => Self::CopyObject,
            "PUT" => Self::PutObject,
            "DELETE" if query.has("tagging") => Self::DeleteObjectTagging,
            "DELETE" if part => Self::AbortMultipartUpload,
            "DELETE" => Self::DeleteObject,
            "POST" if query.has("uploads") => Self::CreateMultipartUpload,
            "POST" if part => Self::CompleteMultipartUpload,
            "POST" if query.has("restore") => Self::RestoreObject,
            _ => Self::Unknown,
        }
    }

    /// Its latency class.
    #[must_use]
    pub(super) fn class(self, query: &Query) -> Class {
        match self {
            Self::ListObjectsV2 | Self::ListObjects | Self::ListObjectVersions => {
                if query.get("delimiter").is_some_and(|delimiter| !delimiter.is_empty()) {
                    Class::Delimiter
                } else {
                    Class::Page
                }
            }
            Self::GetObject | Self::HeadObject | Self::GetObjectAttributes => Class::Get,
            Self::PutObject | Self::UploadPart => Class::Put,
            Self::CopyObject | Self::UploadPartCopy => Class::Copy,
            Self::DeleteObject | Self::DeleteObjects => Class::Delete,
            _ => Class::Other,
        }
    }

    /// Its request tier: S3 counts reads and listings apart from the rest.
    #[must_use]
    pub(super) fn tier(method: &Method) -> Tier {
        if method == Method::GET || method == Method::HEAD { Tier::Get } else { Tier::Put }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(method: &Method, uri: &str, copy: bool) -> Operation {
        let uri: http::Uri = uri.parse().unwrap();
        let mut headers = HeaderMap::new();
        if copy {
            headers.insert("x-amz-copy-source", "b/k".parse().unwrap());
        }
        Operation::of(method, &Target::parse(uri.path()).unwrap(), &Query::parse(uri.query().unwrap_or("")), &headers)
    }

    #[test]
    fn method_query_and_copy_source_tell_the_operation() {
        assert_eq!(of(&Method::GET, "/", false), Operation::ListBuckets);
        assert_eq!(of(&Method::GET, "/b?list-type=2", false), Operation::ListObjectsV2);
        assert_eq!(of(&Method::GET, "/b/", false), Operation::ListObjects);
        assert_eq!(of(&Method::GET, "/b//", false), Operation::GetObject);
        assert_eq!(of(&Method::PUT, "/b/k?partNumber=1&uploadId=x", true), Operation::UploadPartCopy);
        assert_eq!(of(&Method::PUT, "/b/k", true), Operation::CopyObject);
        assert_eq!(of(&Method::POST, "/b?delete", false), Operation::DeleteObjects);
        assert_eq!(of(&Method::GET, "/b?lifecycle", false), Operation::Unknown);
    }

    #[test]
    fn names_are_read_in_any_case() {
        assert_eq!(Operation::parse("uploadpartcopy"), Some(Operation::UploadPartCopy));
        assert_eq!(Operation::parse("Upload"), None);
    }
}
