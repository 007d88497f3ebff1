//! `DeleteObject`.

use crate::model::record::ETag;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use http::Method;

/// `DeleteObject` → [`Deleted`]. Deleting what is not there is a success.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html>
#[derive(Debug, Clone, Default)]
pub struct DeleteObject {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// This version for good; `None` deletes the current one or hides it behind a delete marker.
    pub version_id: Option<String>,
    /// The `ETag` it must have.
    pub if_match: Option<ETag>,
}

/// What a deletion did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deleted {
    /// The version deleted, or that of the delete marker made.
    pub version_id: Option<String>,
    /// Whether a delete marker was made, or was what was deleted.
    pub delete_marker: bool,
}

impl Operation for DeleteObject {
    type Output = Deleted;
    const NAME: &'static str = "DeleteObject";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        let if_match = self.if_match.as_ref().map(ETag::quoted);
        Parts::new(Method::DELETE)
            .maybe_query("versionId", self.version_id.as_deref())
            .maybe_header("if-match", if_match.as_deref())
    }

    fn parse(&self, answer: &Answer) -> Result<Deleted, Failure> {
        Ok(Deleted {
            version_id: answer.header("x-amz-version-id"),
            delete_marker: answer.header("x-amz-delete-marker").as_deref() == Some("true"),
        })
    }

    /// Some stores answer 404 for a key that is not there, and all do to a condition on it: that is what our own deletion leaves.
    fn forgive(&self, failure: &Failure, lost: bool) -> Option<Deleted> {
        let gone = failure.code == "NoSuchKey" && (self.if_match.is_none() || lost);
        gone.then(Deleted::default)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{headers, request};
    use super::*;
    use http::HeaderMap;

    #[test]
    fn a_missing_key_is_success_unless_a_condition_was_set_and_no_answer_lost() {
        let missing = Failure::of_answer(404, &HeaderMap::new(), b"<Error><Code>NoSuchKey</Code></Error>");
        let plain = DeleteObject::default();
        assert!(plain.forgive(&missing, false).is_some());
        let pinned = DeleteObject { if_match: Some(ETag::new("e")), ..plain };
        assert!(pinned.forgive(&missing, false).is_none());
        assert!(pinned.forgive(&missing, true).is_some());
        let bucket = Failure::of_answer(404, &HeaderMap::new(), b"<Error><Code>NoSuchBucket</Code></Error>");
        assert!(pinned.forgive(&bucket, true).is_none());
        assert_eq!(headers(&request(&pinned)), "if-match: \"e\"");
    }
}
