//! One version of an object, and an upload that will become one: facts as S3 keeps them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::content::Content;
use crate::model::checksum::{Algorithm, Checksum};
use crate::serve::time::Seconds;

/// Name and value pairs in a fixed order.
pub(in crate::serve) type Pairs = Vec<(String, String)>;

/// The version id of objects in buckets without versioning.
pub(in crate::serve) const NULL: &str = "null";

/// What a client says about an object when it creates it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::serve) struct Attributes {
    /// Content headers (`content-type`, `cache-control`, …), lower-case names.
    pub(in crate::serve) headers: Pairs,
    /// User metadata, names without `x-amz-meta-`.
    pub(in crate::serve) metadata: Pairs,
    /// Tags.
    pub(in crate::serve) tags: Pairs,
    /// `STANDARD` and so on.
    pub(in crate::serve) storage_class: String,
    /// Server-side encryption headers, as they are echoed.
    pub(in crate::serve) encryption: Pairs,
}

/// Whether a checksum is of the bytes or of the parts' checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::serve) enum ChecksumKind {
    /// Of all bytes.
    FullObject,
    /// Of the parts' digests.
    Composite,
}

impl ChecksumKind {
    /// S3's name.
    pub(in crate::serve) fn as_str(self) -> &'static str {
        match self {
            Self::FullObject => "FULL_OBJECT",
            Self::Composite => "COMPOSITE",
        }
    }
}

/// A checksum as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::serve) struct StoredChecksum {
    /// S3's name of the algorithm.
    pub(in crate::serve) algorithm: String,
    /// Base64, with `-N` if composite.
    pub(in crate::serve) value: String,
    /// Of what.
    pub(in crate::serve) kind: ChecksumKind,
}

impl StoredChecksum {
    /// Of all bytes.
    pub(in crate::serve) fn full(checksum: &Checksum) -> Self {
        let algorithm = checksum.algorithm().as_str().to_owned();
        Self { algorithm, value: checksum.base64(), kind: ChecksumKind::FullObject }
    }

    /// The algorithm; `None` only for a store that was written by another version.
    pub(in crate::serve) fn algorithm(&self) -> Option<Algorithm> {
        Algorithm::parse(&self.algorithm)
    }

    /// As a checksum of all bytes.
    pub(in crate::serve) fn checksum(&self) -> Option<Checksum> {
        (self.kind == ChecksumKind::FullObject).then(|| Checksum::from_base64(self.algorithm()?, &self.value))?
    }
}

/// A part of a completed upload, as far as it can be asked for later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::serve) struct PartInfo {
    /// Its number.
    pub(in crate::serve) number: u16,
    /// Its bytes.
    pub(in crate::serve) size: u64,
    /// Its checksum.
    pub(in crate::serve) checksum: Option<StoredChecksum>,
}

/// All facts of a version but its name and its bytes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::serve) struct Facts {
    /// Whether it is a delete marker, which has no other facts.
    pub(in crate::serve) marker: bool,
    /// When it was made.
    pub(in crate::serve) modified: Seconds,
    /// Without quotes.
    pub(in crate::serve) etag: String,
    /// What its creator said.
    pub(in crate::serve) attributes: Attributes,
    /// Its checksum, where the provider keeps one.
    pub(in crate::serve) checksum: Option<StoredChecksum>,
    /// Of a multipart upload.
    pub(in crate::serve) parts: Vec<PartInfo>,
    /// When a restored copy expires.
    pub(in crate::serve) restored_until: Option<Seconds>,
}

/// A version of an object, or a delete marker.
#[derive(Debug, Clone)]
pub(in crate::serve) struct Version {
    /// `null` or an opaque id.
    pub(in crate::serve) id: String,
    /// Greater for versions made later.
    pub(in crate::serve) sequence: u64,
    /// What is known of it.
    pub(in crate::serve) facts: Facts,
    /// Its bytes.
    pub(in crate::serve) content: Content,
}

impl Version {
    /// How many bytes.
    pub(in crate::serve) fn size(&self) -> u64 {
        self.content.len()
    }

    /// The entity tag as S3 writes it.
    pub(in crate::serve) fn quoted_etag(&self) -> String {
        format!("\"{}\"", self.facts.etag)
    }

    /// Whether its bytes must be restored before they can be read.
    pub(in crate::serve) fn archived(&self) -> bool {
        matches!(self.facts.attributes.storage_class.as_str(), "GLACIER" | "DEEP_ARCHIVE")
            && self.facts.restored_until.is_none()
    }
}

/// A part that was uploaded.
#[derive(Debug, Clone)]
pub(in crate::serve) struct Part {
    /// What is known of it.
    pub(in crate::serve) facts: PartFacts,
    /// Its bytes.
    pub(in crate::serve) content: Content,
}

/// All facts of a part but its number and its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::serve) struct PartFacts {
    /// When it was uploaded.
    pub(in crate::serve) modified: Seconds,
    /// Without quotes.
    pub(in crate::serve) etag: String,
    /// In the upload's algorithm.
    pub(in crate::serve) checksum: Option<StoredChecksum>,
}

/// What was fixed when an upload was created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::serve) struct UploadFacts {
    /// When.
    pub(in crate::serve) initiated: Seconds,
    /// What its creator said of the object.
    pub(in crate::serve) attributes: Attributes,
    /// S3's name of the checksum algorithm; `None` where the provider keeps none.
    pub(in crate::serve) algorithm: Option<String>,
    /// Of what the checksum will be.
    pub(in crate::serve) kind: ChecksumKind,
    /// Whether the creator chose the algorithm.
    pub(in crate::serve) chosen: bool,
}

impl UploadFacts {
    /// The checksum algorithm.
    pub(in crate::serve) fn algorithm(&self) -> Option<Algorithm> {
        self.algorithm.as_deref().and_then(Algorithm::parse)
    }
}

/// An upload in progress.
#[derive(Debug, Clone)]
pub(in crate::serve) struct Upload {
    /// What was fixed when it was created.
    pub(in crate::serve) facts: UploadFacts,
    /// The parts so far.
    pub(in crate::serve) parts: BTreeMap<u16, Arc<Part>>,
}
