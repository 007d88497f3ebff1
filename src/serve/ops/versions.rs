//! `ListObjectVersions`.

use std::borrow::Cow;

use super::listing::{self, Item, Scope};
use super::{Api, Call, Reply, list::OWNER};
use crate::serve::error::ApiError;
use crate::serve::store::{Bucket, Version};
use crate::serve::time;
use crate::serve::xml::Writer;

/// Where the page before ended.
struct Marker<'a> {
    key: &'a str,
    /// Within the key; `None` goes on after all its versions.
    version: Option<&'a str>,
}

/// `ListObjectVersions`.
pub(super) fn list(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let mut scope = Scope::of(call, "max-keys")?;
    let marker = Marker {
        key: call.query.get("key-marker").unwrap_or_default(),
        version: call.query.get("version-id-marker").filter(|id| !id.is_empty()),
    };
    if marker.key.is_empty() && marker.version.is_some() {
        return Err(ApiError::argument(
            "version-id-marker",
            "",
            "A version-id marker cannot be specified without a key marker.",
        ));
    }
    // With a version marker the marked key itself is still to come, so the walk is told to begin just before it.
    if marker.version.is_none() {
        marker.key.clone_into(&mut scope.after);
    }
    api.store.read(call.bucket(), |bucket| page(call, &scope, &marker, bucket))
}

fn page(call: &Call, scope: &Scope, marker: &Marker<'_>, bucket: &Bucket) -> Reply {
    let mut items = Writer::part(1024);
    let mut prefixes = Writer::part(0);
    let mut last_version = None;
    let seek = |from: &[u8]| {
        let from = if marker.version.is_some() { from.max(marker.key.as_bytes()) } else { from };
        entries(bucket, from, marker)
    };
    let end = listing::walk(scope, seek, |item| match item {
        Item::Entry(key, (version, latest)) => {
            write_version(&mut items, scope, &String::from_utf8_lossy(&key), version, latest);
            last_version = Some(version.id.clone());
        }
        Item::Prefix(prefix) => {
            prefixes.open("CommonPrefixes");
            scope.element(&mut prefixes, "Prefix", prefix);
            prefixes.close("CommonPrefixes");
            last_version = None;
        }
    });
    let mut xml = Writer::document();
    xml.root("ListVersionsResult").text("Name", call.bucket());
    scope.element(&mut xml, "Prefix", &scope.prefix);
    scope.element(&mut xml, "KeyMarker", marker.key);
    xml.text("VersionIdMarker", marker.version.unwrap_or_default());
    if end.truncated {
        scope.element(&mut xml, "NextKeyMarker", end.last.as_deref().unwrap_or_default());
        xml.maybe("NextVersionIdMarker", last_version.as_deref());
    }
    xml.number("MaxKeys", scope.max as u64);
    if let Some(delimiter) = &scope.delimiter {
        scope.element(&mut xml, "Delimiter", delimiter);
    }
    if scope.encode {
        xml.text("EncodingType", "url");
    }
    xml.flag("IsTruncated", end.truncated).raw(&items.finish()).raw(&prefixes.finish()).close("ListVersionsResult");
    #[expect(clippy::cast_precision_loss, reason = "at most a page")]
    Reply::xml(xml.finish()).units(end.prefixes as f64)
}

/// All versions from a key on, without those up to the marked one.
fn entries<'a>(
    bucket: &'a Bucket,
    from: &[u8],
    marker: &Marker<'a>,
) -> impl Iterator<Item = (Cow<'a, [u8]>, (&'a Version, bool))> + use<'a> {
    let (marked_key, marked_version) = (marker.key, marker.version);
    bucket.objects.range(from.to_vec()..).flat_map(move |(key, versions)| {
        let marked = marked_version.filter(|_| key == marked_key.as_bytes());
        let skip = marked.map_or(0, |id| versions.iter().position(|version| version.id == id).map_or(0, |at| at + 1));
        let version = |(at, version): (usize, &'a std::sync::Arc<Version>)| {
            (Cow::Borrowed(key.as_slice()), (&**version, at == 0))
        };
        versions.iter().enumerate().skip(skip).map(version)
    })
}

fn write_version(xml: &mut Writer, scope: &Scope, key: &str, version: &Version, latest: bool) {
    let element = if version.facts.marker { "DeleteMarker" } else { "Version" };
    xml.open(element);
    scope.element(xml, "Key", key);
    xml.text("VersionId", &version.id)
        .flag("IsLatest", latest)
        .text("LastModified", &time::iso(version.facts.modified));
    if !version.facts.marker {
        xml.text("ETag", &version.quoted_etag());
        if let Some(checksum) = &version.facts.checksum {
            xml.text("ChecksumAlgorithm", &checksum.algorithm).text("ChecksumType", checksum.kind.as_str());
        }
        xml.number("Size", version.size()).text("StorageClass", &version.facts.attributes.storage_class);
    }
    xml.open("Owner").text("ID", OWNER).close("Owner").close(element);
}
