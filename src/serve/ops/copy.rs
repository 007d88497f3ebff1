//! `CopyObject`, and what it shares with `UploadPartCopy`: the source.

use std::sync::Arc;

use percent_encoding::percent_decode_str;

use super::{Api, Call, Reply, checksums, conditions, encryption, put, versioned};
use crate::model::checksum::Algorithm;
use crate::serve::error::ApiError;
use crate::serve::store::{Attributes, Content, Facts, StoredChecksum, Version};
use crate::serve::time;
use crate::serve::xml::Writer;

/// The source a request names: bucket, key, version.
#[derive(Debug, PartialEq, Eq)]
struct SourceName {
    bucket: String,
    key: String,
    version: Option<String>,
}

impl SourceName {
    /// Reads `x-amz-copy-source`: percent-encoded, an optional slash in front, the version behind a question mark that is not encoded.
    fn parse(header: &str) -> Option<Self> {
        let (path, version) = match header.rsplit_once("?versionId=") {
            Some((path, version)) => (path, Some(version.to_owned())),
            None => (header, None),
        };
        let path = percent_decode_str(path).decode_utf8().ok()?;
        let (bucket, key) = path.strip_prefix('/').unwrap_or(&path).split_once('/')?;
        (!bucket.is_empty() && !key.is_empty()).then(|| Self { bucket: bucket.into(), key: key.into(), version })
    }
}

/// The object that is to be copied.
pub(super) struct Source {
    /// The version, readable and within its preconditions.
    pub(super) version: Arc<Version>,
    /// Its id, where the source's bucket has versions.
    pub(super) shown_id: Option<String>,
    name: SourceName,
}

/// Finds the source and checks that it may be copied.
pub(super) fn source(api: &Api, call: &Call) -> Result<Source, ApiError> {
    let header = call.header("x-amz-copy-source").unwrap_or_default();
    let name = SourceName::parse(&header).ok_or_else(|| {
        ApiError::argument(
            "x-amz-copy-source",
            &header,
            "Copy Source must mention the source bucket and key: sourcebucket/sourcekey",
        )
    })?;
    let (version, versioned) =
        versioned::find(api, &name.bucket, &name.key, name.version.as_deref()).map_err(|error| {
            if error.code() == "MethodNotAllowed" {
                ApiError::request(
                    "The source of a copy request may not specifically refer to a delete marker by version id.",
                )
            } else {
                error
            }
        })?;
    conditions::check_copy(&call.headers, &version)?;
    encryption::check_copy(&call.headers, &version.facts.attributes.encryption)?;
    if version.archived() {
        let class = version.facts.attributes.storage_class.clone();
        return Err(ApiError::of("InvalidObjectState").with("StorageClass", class));
    }
    let shown_id = versioned.then(|| version.id.clone());
    Ok(Source { version, shown_id, name })
}

/// The error for a source, or a range of one, that is too large for one request.
pub(super) fn too_large() -> ApiError {
    ApiError::request(format!(
        "The specified copy source is larger than the maximum allowable size for a copy source: {}",
        put::MAX_PIECE
    ))
}

/// `CopyObject`.
pub(super) async fn object(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let condition = conditions::of_write(&call.headers)?;
    let source = source(api, call)?;
    if source.version.size() > put::MAX_PIECE {
        return Err(too_large());
    }
    let attributes = attributes(call, &source)?;
    let content = source.version.content.clone();
    let (etag, checksum) = identity(api, call, &source.version).await?;
    let facts = Facts { modified: time::now(), etag, checksum, attributes, ..Facts::default() };
    let (version, versioned) = api.store.put(call.bucket(), call.key(), facts, content, &condition)?;

    let mut xml = Writer::document();
    xml.root("CopyObjectResult")
        .text("LastModified", &time::iso(version.facts.modified))
        .text("ETag", &version.quoted_etag());
    if let Some(checksum) = &version.facts.checksum {
        xml.text(&checksums::element(checksum), &checksum.value).text("ChecksumType", checksum.kind.as_str());
    }
    xml.close("CopyObjectResult");
    let mut reply = Reply::xml(xml.finish())
        .maybe("x-amz-copy-source-version-id", source.shown_id.as_deref())
        .units(mebibytes(version.size()));
    encryption::show(&mut reply, &version.facts.attributes.encryption);
    versioned::show(&mut reply, &version, versioned);
    Ok(reply)
}

/// Bytes as MiB, for latency.
#[expect(clippy::cast_precision_loss, reason = "latency needs no more than 53 bits")]
pub(super) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// What the copy will be like: the source's attributes or the request's, as its directives say.
fn attributes(call: &Call, source: &Source) -> Result<Attributes, ApiError> {
    let replace = directive(call, "x-amz-metadata-directive")?;
    let replace_tags = directive(call, "x-amz-tagging-directive")?;
    let old = &source.version.facts.attributes;
    let asked = put::attributes(call)?;
    let to_itself =
        source.name.bucket == call.bucket() && source.name.key == call.key() && source.name.version.is_none();
    let other_class = call.headers.contains_key("x-amz-storage-class") && asked.storage_class != old.storage_class;
    let redirect = call.headers.contains_key("x-amz-website-redirect-location");
    if to_itself && !replace && !other_class && !redirect && asked.encryption.is_empty() {
        return Err(ApiError::request(
            "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
        ));
    }
    let (headers, metadata) = if replace {
        (asked.headers, asked.metadata)
    } else {
        // The redirect is not copied.
        let kept = old.headers.iter().filter(|(name, _)| name != "x-amz-website-redirect-location");
        let given = asked.headers.into_iter().filter(|(name, _)| name == "x-amz-website-redirect-location");
        (kept.cloned().chain(given).collect(), old.metadata.clone())
    };
    let tags = if replace_tags { asked.tags } else { old.tags.clone() };
    Ok(Attributes { headers, metadata, tags, ..asked })
}

/// Whether a directive says `REPLACE`.
fn directive(call: &Call, name: &'static str) -> Result<bool, ApiError> {
    match call.header(name).as_deref() {
        None | Some("COPY") => Ok(false),
        Some("REPLACE") => Ok(true),
        Some(other) => Err(ApiError::argument(name, other, "Unknown directive.")),
    }
}

/// Entity tag and checksum of a copy of a whole object. A copy has one part, whatever its source has.
async fn identity(api: &Api, call: &Call, source: &Version) -> Result<(String, Option<StoredChecksum>), ApiError> {
    let asked = call.header("x-amz-checksum-algorithm").map(|name| checksums::named(&name)).transpose()?;
    let kept = source.facts.checksum.as_ref();
    let algorithm = checksums::supported(api)
        .then(|| asked.or_else(|| kept.and_then(StoredChecksum::algorithm)).unwrap_or(Algorithm::Crc64Nvme));
    let reusable = kept.filter(|kept| kept.checksum().is_some() && kept.algorithm() == algorithm).cloned();
    let etag = source.facts.parts.is_empty().then(|| source.facts.etag.clone());
    identify(source.content.clone(), etag, algorithm, reusable).await
}

/// Computes what is not known yet of the entity tag and the checksum of some bytes, away from the threads that serve requests.
pub(super) async fn identify(
    content: Content,
    etag: Option<String>,
    algorithm: Option<Algorithm>,
    checksum: Option<StoredChecksum>,
) -> Result<(String, Option<StoredChecksum>), ApiError> {
    let missing = algorithm.filter(|_| checksum.is_none());
    let compute = move || -> std::io::Result<_> {
        let etag = etag.map_or_else(|| put::etag_of(&content), Ok)?;
        let computed = missing.map(|algorithm| content.hash(&[algorithm])).transpose()?;
        let computed = computed.as_deref().and_then(<[_]>::first).map(StoredChecksum::full);
        Ok((etag, checksum.or(computed)))
    };
    let done = tokio::task::spawn_blocking(compute).await.map_err(|error| ApiError::internal(&error))?;
    done.map_err(|error| ApiError::internal(&error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_source_is_decoded_once_and_its_version_split_off_first() {
        let source = |bucket: &str, key: &str, version: Option<&str>| {
            Some(SourceName { bucket: bucket.into(), key: key.into(), version: version.map(str::to_owned) })
        };
        assert_eq!(SourceName::parse("b/k"), source("b", "k", None));
        assert_eq!(SourceName::parse("/b//k"), source("b", "/k", None));
        assert_eq!(
            SourceName::parse("b/a%2Bb%3FversionId=x?versionId=null"),
            source("b", "a+b?versionId=x", Some("null"))
        );
        assert_eq!(SourceName::parse("b/100%2525"), source("b", "100%25", None));
        assert_eq!(SourceName::parse("b"), None);
        assert_eq!(SourceName::parse("b/"), None);
    }
}
