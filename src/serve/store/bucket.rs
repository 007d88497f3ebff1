//! A bucket in memory: its objects by key, all their versions, its uploads.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::version::{NULL, Upload, Version};
use crate::serve::error::ApiError;
use crate::serve::time::Seconds;

/// Whether versions are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(in crate::serve) enum Versioning {
    /// Never enabled.
    #[default]
    Off,
    /// Every write makes a version.
    Enabled,
    /// Writes replace the null version; older versions stay.
    Suspended,
}

/// All facts of a bucket but its name and contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::serve) struct BucketFacts {
    /// When it was made.
    pub(in crate::serve) created: Seconds,
    /// Where it is.
    pub(in crate::serve) region: String,
    /// Whether versions are kept.
    pub(in crate::serve) versioning: Versioning,
}

/// The versions of one key, newest first.
pub(in crate::serve) type Versions = Vec<Arc<Version>>;

/// A bucket.
#[derive(Debug)]
pub(in crate::serve) struct Bucket {
    /// What is known of it.
    pub(in crate::serve) facts: BucketFacts,
    /// By key; no key has an empty list.
    pub(in crate::serve) objects: BTreeMap<Vec<u8>, Versions>,
    /// By key, then upload id, which sorts by time.
    pub(in crate::serve) uploads: BTreeMap<(String, String), Upload>,
}

impl Bucket {
    /// An empty bucket.
    pub(super) fn new(facts: BucketFacts) -> Self {
        Self { facts, objects: BTreeMap::new(), uploads: BTreeMap::new() }
    }

    /// The newest version of a key, be it a delete marker.
    pub(in crate::serve) fn newest(&self, key: &str) -> Option<&Arc<Version>> {
        self.objects.get(key.as_bytes()).and_then(|versions| versions.first())
    }

    /// The object a plain GET gives: the newest version unless it is a delete marker.
    pub(in crate::serve) fn current(&self, key: &str) -> Option<&Arc<Version>> {
        self.newest(key).filter(|version| !version.facts.marker)
    }

    /// A certain version.
    pub(in crate::serve) fn version(&self, key: &str, id: &str) -> Option<&Arc<Version>> {
        self.objects.get(key.as_bytes())?.iter().find(|version| version.id == id)
    }

    /// The id the next version gets: a new one, or `null`, which replaces what has it.
    pub(super) fn next_id(&self) -> String {
        match self.facts.versioning {
            Versioning::Enabled => opaque_id(),
            Versioning::Off | Versioning::Suspended => NULL.to_owned(),
        }
    }

    /// Adds a version as the newest, in place of one with the same id.
    pub(super) fn insert(&mut self, key: &str, version: Arc<Version>) {
        let versions = self.objects.entry(key.as_bytes().to_vec()).or_insert_with(|| Vec::with_capacity(1));
        versions.retain(|known| known.id != version.id);
        versions.insert(0, version);
    }

    /// Replaces a version where it is.
    pub(super) fn replace(&mut self, key: &str, version: Arc<Version>) {
        if let Some(versions) = self.objects.get_mut(key.as_bytes())
            && let Some(known) = versions.iter_mut().find(|known| known.id == version.id)
        {
            *known = version;
        }
    }

    /// Removes a version.
    pub(super) fn remove(&mut self, key: &str, id: &str) {
        if let Some(versions) = self.objects.get_mut(key.as_bytes()) {
            versions.retain(|known| known.id != id);
            if versions.is_empty() {
                self.objects.remove(key.as_bytes());
            }
        }
    }

    /// An upload in progress.
    pub(in crate::serve) fn upload(&self, key: &str, id: &str) -> Result<&Upload, ApiError> {
        self.uploads.get(&(key.to_owned(), id.to_owned())).ok_or_else(|| no_such_upload(id))
    }

    /// An upload in progress, to be changed.
    pub(super) fn upload_mut(&mut self, key: &str, id: &str) -> Result<&mut Upload, ApiError> {
        self.uploads.get_mut(&(key.to_owned(), id.to_owned())).ok_or_else(|| no_such_upload(id))
    }
}

fn no_such_upload(id: &str) -> ApiError {
    ApiError::of("NoSuchUpload").with("UploadId", id)
}

/// 32 characters that say nothing.
fn opaque_id() -> String {
    std::iter::repeat_with(fastrand::alphanumeric).take(32).collect()
}

/// An upload id: opaque, and sorting by the order of creation.
pub(super) fn upload_id(sequence: u64) -> String {
    format!("{sequence:016x}{}", opaque_id())
}

/// What must hold for a write to go ahead.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::serve) struct WriteCondition {
    /// `If-None-Match: *`.
    pub(in crate::serve) absent: bool,
    /// `If-Match`, without quotes.
    pub(in crate::serve) etag: Option<String>,
}

impl WriteCondition {
    /// Compares with what is there.
    pub(super) fn check(&self, current: Option<&Arc<Version>>) -> Result<(), ApiError> {
        if self.absent && current.is_some() {
            return Err(ApiError::of("PreconditionFailed").with("Condition", "If-None-Match"));
        }
        match (&self.etag, current) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(ApiError::of("NoSuchKey")),
            (Some(etag), Some(current)) if etag == "*" || *etag == current.facts.etag => Ok(()),
            _ => Err(ApiError::of("PreconditionFailed").with("Condition", "If-Match")),
        }
    }
}
