//! `AbortMultipartUpload`.

use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use http::Method;

/// `AbortMultipartUpload` → (); `NoSuchUpload` is success.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html>
#[derive(Debug, Clone, Default)]
pub struct AbortMultipartUpload {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Upload.
    pub upload_id: String,
}

impl Operation for AbortMultipartUpload {
    type Output = ();
    const NAME: &'static str = "AbortMultipartUpload";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        Parts::new(Method::DELETE).query("uploadId", &self.upload_id)
    }

    fn parse(&self, _: &Answer) -> Result<(), Failure> {
        Ok(())
    }

    fn forgive(&self, failure: &Failure, _: bool) -> Option<()> {
        (failure.code == "NoSuchUpload").then_some(())
    }
}
