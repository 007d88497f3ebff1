//! One S3 operation a file: what its request says and what its answer means. Public fields, `Default` where it makes sense.
//!
//! Nothing here does I/O; [`crate::s3::Client`] sends these.

mod abort_multipart_upload;
mod attributes;
mod bucket;
mod complete_multipart_upload;
mod copy_object;
mod create_multipart_upload;
mod delete_object;
mod delete_objects;
mod get_object;
mod get_object_tagging;
mod head;
mod list_multipart_uploads;
mod list_objects_v2;
mod list_parts;
mod object_head;
mod put_object;
mod reported;
mod upload_part;
mod upload_part_copy;

pub use abort_multipart_upload::AbortMultipartUpload;
pub use attributes::{ObjectAttributes, WriteCondition};
pub use bucket::{Bucket, CreateBucket, DeleteBucket, HeadBucket, ListBuckets};
pub use complete_multipart_upload::CompleteMultipartUpload;
pub use copy_object::{CopyObject, CopySource};
pub use create_multipart_upload::CreateMultipartUpload;
pub use delete_object::{DeleteObject, Deleted};
pub use delete_objects::{DeleteObjects, DeleteResult};
pub use get_object::GetObject;
pub use get_object_tagging::GetObjectTagging;
pub use head::HeadObject;
pub use list_multipart_uploads::{ListMultipartUploads, Upload, UploadsPage};
pub use list_objects_v2::{ListObjectsV2, ListPage};
pub use list_parts::{ListParts, PartsPage};
pub use object_head::{ContentHeaders, ObjectHead};
pub use put_object::{Put, PutObject};
pub use upload_part::{PartDone, UploadPart};
pub use upload_part_copy::UploadPartCopy;

pub(super) use reported::mismatch;

#[cfg(test)]
pub(crate) mod testing {
    //! Requests and answers as text, for the tests of single operations.
    #![allow(clippy::unwrap_used)]
    use crate::s3::operation::{Answer, Operation, Parts, Store};
    use bytes::Bytes;
    use http::HeaderMap;

    /// The request off AWS.
    pub(crate) fn request(operation: &impl Operation) -> Parts {
        operation.request(Store { aws: false, region: "us-east-1" })
    }

    /// Headers as sorted `name: value` lines.
    pub(crate) fn headers(parts: &Parts) -> String {
        let mut lines: Vec<String> =
            parts.headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        lines.sort();
        lines.join("\n")
    }

    /// The body as text.
    pub(crate) fn body(parts: &Parts) -> String {
        String::from_utf8(parts.body.concat()).unwrap()
    }

    /// A 200 with these headers and this body.
    pub(crate) fn answer(headers: &[(&'static str, &str)], body: &str) -> Answer {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        Answer { status: 200, headers: map, body: Bytes::copy_from_slice(body.as_bytes()) }
    }
}
