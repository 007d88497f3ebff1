//! `GetObject`, `HeadObject`, `RestoreObject`.

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use s3s::Body;

use super::{Api, Call, Reply, checksums, conditions, encryption, put, versioned};
use crate::serve::error::ApiError;
use crate::serve::operation::Operation;
use crate::serve::store::{ChecksumKind, StoredChecksum, Version};
use crate::serve::time;

/// `GetObject` and `HeadObject`.
pub(super) fn object(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let (version, versioned) = versioned::find(api, call.bucket(), call.key(), call.version()?)?;
    conditions::check_read(&call.headers, &version)?;
    encryption::check_read(&call.headers, &version.facts.attributes.encryption)?;
    if call.operation == Operation::GetObject && version.archived() {
        let class = version.facts.attributes.storage_class.clone();
        return Err(ApiError::of("InvalidObjectState").with("StorageClass", class));
    }
    let stretch = stretch(call, &version)?;
    let mut reply = describe(&version, versioned);
    let range = match &stretch {
        Stretch::Whole => 0..version.size(),
        Stretch::Range(range) | Stretch::Part(range, _) => range.clone(),
    };
    if !matches!(stretch, Stretch::Whole) {
        reply.status = StatusCode::PARTIAL_CONTENT;
        if !range.is_empty() {
            reply.set("content-range", &format!("bytes {}-{}/{}", range.start, range.end - 1, version.size()));
        }
    }
    if matches!(stretch, Stretch::Part(..)) && !version.facts.parts.is_empty() {
        reply.set("x-amz-mp-parts-count", &version.facts.parts.len().to_string());
    }
    if call.header("x-amz-checksum-mode").is_some_and(|mode| mode.eq_ignore_ascii_case("ENABLED"))
        && checksums::supported(api)
    {
        checksums::show(&mut reply, checksum(&version, &stretch, &range));
    }
    override_headers(call, &mut reply)?;
    reply.set("content-length", &(range.end - range.start).to_string());
    if call.operation == Operation::GetObject {
        reply.body = Body::http_body_unsync(version.content.slice(range).into_body());
    }
    Ok(reply)
}

/// What of an object is asked for.
enum Stretch<'a> {
    Whole,
    Range(Range<u64>),
    Part(Range<u64>, Option<&'a StoredChecksum>),
}

fn stretch<'a>(call: &Call, version: &'a Version) -> Result<Stretch<'a>, ApiError> {
    let range = conditions::range(&call.headers, version.size())?;
    let Some(number) = call.query.get("partNumber") else {
        return Ok(range.map_or(Stretch::Whole, Stretch::Range));
    };
    if range.is_some() {
        return Err(ApiError::request("Cannot specify both Range header and partNumber query parameter"));
    }
    let number: u16 = number.parse().ok().filter(|number| (1..=10_000).contains(number)).ok_or_else(|| {
        ApiError::argument("partNumber", number, "Part number must be an integer between 1 and 10000, inclusive")
    })?;
    let parts = &version.facts.parts;
    if parts.is_empty() && number == 1 {
        return Ok(Stretch::Part(0..version.size(), None));
    }
    // The Nth part that was completed, whatever number it was uploaded under.
    let part = parts.get(usize::from(number) - 1).ok_or_else(|| ApiError::of("InvalidPartNumber"))?;
    let start: u64 = parts.iter().take(usize::from(number) - 1).map(|part| part.size).sum();
    Ok(Stretch::Part(start..start + part.size, part.checksum.as_ref()))
}

/// The checksum of exactly the bytes that are answered, if one is kept.
fn checksum<'a>(version: &'a Version, stretch: &Stretch<'a>, range: &Range<u64>) -> Option<&'a StoredChecksum> {
    let whole = version.facts.checksum.as_ref();
    match stretch {
        Stretch::Part(_, part) if whole.is_some_and(|whole| whole.kind == ChecksumKind::Composite) => *part,
        _ if *range == (0..version.size()) => whole,
        _ => None,
    }
}

/// The headers that describe a version.
fn describe(version: &Version, versioned: bool) -> Reply {
    let attributes = &version.facts.attributes;
    let mut reply = Reply::empty(StatusCode::OK)
        .with("etag", &version.quoted_etag())
        .with("last-modified", &time::http(version.facts.modified))
        .with("accept-ranges", "bytes")
        .with("content-type", "binary/octet-stream");
    for (name, value) in &attributes.headers {
        reply.set(name, value);
    }
    for (name, value) in &attributes.metadata {
        reply.set(&format!("x-amz-meta-{name}"), &metadata_value(value));
    }
    if attributes.storage_class != "STANDARD" {
        reply.set("x-amz-storage-class", &attributes.storage_class);
    }
    if !attributes.tags.is_empty() {
        reply.set("x-amz-tagging-count", &attributes.tags.len().to_string());
    }
    if let Some(until) = version.facts.restored_until {
        reply.set("x-amz-restore", &format!("ongoing-request=\"false\", expiry-date=\"{}\"", time::http(until)));
    }
    encryption::show(&mut reply, &attributes.encryption);
    versioned::show(&mut reply, version, versioned);
    reply
}

/// Metadata that is not ASCII is shown as an RFC 2047 word.
fn metadata_value(value: &str) -> Cow<'_, str> {
    if value.is_ascii() { value.into() } else { format!("=?UTF-8?B?{}?=", STANDARD.encode(value)).into() }
}

/// `response-content-type` and its kin; only a signed request may use them.
fn override_headers(call: &Call, reply: &mut Reply) -> Result<(), ApiError> {
    for name in put::CONTENT_HEADERS {
        let Some(value) = call.query.get(&format!("response-{name}")) else { continue };
        if call.signed_region.is_none() {
            return Err(ApiError::request(
                "Request specific response headers cannot be used for anonymous GET requests.",
            ));
        }
        reply.set(name, value);
    }
    Ok(())
}

/// `RestoreObject`: done at once, for one day.
pub(super) fn restore(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let (version, _) = versioned::find(api, call.bucket(), call.key(), call.version()?)?;
    let archived = matches!(version.facts.attributes.storage_class.as_str(), "GLACIER" | "DEEP_ARCHIVE");
    if !archived {
        return Err(
            ApiError::of("InvalidObjectState").with("StorageClass", version.facts.attributes.storage_class.clone())
        );
    }
    let again = version.facts.restored_until.is_some();
    let until = time::now() + 24 * 60 * 60;
    api.store.amend(call.bucket(), call.key(), &version.id, |facts| facts.restored_until = Some(until))?;
    Ok(Reply::empty(if again { StatusCode::OK } else { StatusCode::ACCEPTED }))
}
