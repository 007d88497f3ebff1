//! Which version a request means, and how an answer names it.

use std::sync::Arc;

use super::{Api, Reply};
use crate::serve::error::ApiError;
use crate::serve::store::{Bucket, Version, Versioning};
use crate::serve::time;

/// The version a request addresses; the flag says whether the bucket has versions. A delete marker is an error of its own.
pub(super) fn find(api: &Api, bucket: &str, key: &str, id: Option<&str>) -> Result<(Arc<Version>, bool), ApiError> {
    api.store.read(bucket, |bucket| find_in(bucket, key, id))?
}

fn find_in(bucket: &Bucket, key: &str, id: Option<&str>) -> Result<(Arc<Version>, bool), ApiError> {
    let versioned = bucket.facts.versioning != Versioning::Off;
    let found = match id {
        Some(id) => bucket
            .version(key, id)
            .ok_or_else(|| ApiError::of("NoSuchVersion").with("Key", key).with("VersionId", id))?,
        None => bucket.newest(key).ok_or_else(|| ApiError::of("NoSuchKey").with("Key", key))?,
    };
    if !found.facts.marker {
        return Ok((Arc::clone(found), versioned));
    }
    let error = match id {
        Some(_) => ApiError::of("MethodNotAllowed")
            .with("Method", "GET")
            .with("ResourceType", "DeleteMarker")
            .header("last-modified", &time::http(found.facts.modified)),
        None => ApiError::of("NoSuchKey").with("Key", key),
    };
    Err(error.header("x-amz-delete-marker", "true").header("x-amz-version-id", &found.id))
}

/// The version id, which is shown only where there are versions: to readers always, to writers if they made one.
pub(super) fn show(reply: &mut Reply, version: &Version, versioned: bool) {
    if versioned {
        reply.set("x-amz-version-id", &version.id);
    }
}
