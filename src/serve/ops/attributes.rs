//! `GetObjectAttributes`.

use super::{Api, Call, Reply, checksums, encryption, versioned};
use crate::serve::error::ApiError;
use crate::serve::store::{ChecksumKind, Version};
use crate::serve::time;
use crate::serve::xml::Writer;

const KNOWN: [&str; 5] = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"];

/// `GetObjectAttributes`.
pub(super) fn get(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let (version, versioned) = versioned::find(api, call.bucket(), call.key(), call.version()?)?;
    encryption::check_read(&call.headers, &version.facts.attributes.encryption)?;
    let asked: Vec<String> = call
        .headers
        .get_all("x-amz-object-attributes")
        .iter()
        .flat_map(|value| {
            String::from_utf8_lossy(value.as_bytes()).split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    if asked.is_empty() || asked.iter().any(|name| !KNOWN.contains(&name.as_str())) {
        return Err(ApiError::argument(
            "x-amz-object-attributes",
            &asked.join(","),
            "Invalid attribute name specified.",
        ));
    }
    let has = |name: &str| asked.iter().any(|asked| asked == name);
    let mut xml = Writer::document();
    xml.root("GetObjectAttributesResponse");
    if has("ETag") {
        xml.text("ETag", &version.facts.etag);
    }
    if has("Checksum")
        && let Some(checksum) = &version.facts.checksum
    {
        // A composite checksum has no part count here.
        let value = checksum.value.split('-').next().unwrap_or_default();
        xml.open("Checksum").text(&checksums::element(checksum), value);
        xml.text("ChecksumType", checksum.kind.as_str()).close("Checksum");
    }
    if has("ObjectParts") && !version.facts.parts.is_empty() {
        write_parts(&mut xml, call, &version)?;
    }
    if has("StorageClass") {
        xml.text("StorageClass", &version.facts.attributes.storage_class);
    }
    if has("ObjectSize") {
        xml.number("ObjectSize", version.size());
    }
    xml.close("GetObjectAttributesResponse");
    let mut reply = Reply::xml(xml.finish()).with("last-modified", &time::http(version.facts.modified));
    versioned::show(&mut reply, &version, versioned);
    Ok(reply)
}

/// The parts are named one by one only where each has a checksum of its own.
fn write_parts(xml: &mut Writer, call: &Call, version: &Version) -> Result<(), ApiError> {
    let number = |name: &'static str, usual: usize| match call.header(name) {
        None => Ok(usual),
        Some(text) => text.parse().map_err(|_| ApiError::argument(name, &text, "Not an integer.")),
    };
    let max = number("x-amz-max-parts", 1000)?.min(1000);
    let marker = number("x-amz-part-number-marker", 0)?;
    xml.open("ObjectParts").number("PartsCount", version.facts.parts.len() as u64);
    if version.facts.checksum.as_ref().is_some_and(|checksum| checksum.kind == ChecksumKind::Composite) {
        let mut rest = version.facts.parts.iter().filter(|part| usize::from(part.number) > marker);
        let page: Vec<_> = rest.by_ref().take(max).collect();
        xml.number("PartNumberMarker", marker as u64);
        if let Some(last) = page.last() {
            xml.number("NextPartNumberMarker", u64::from(last.number));
        }
        xml.number("MaxParts", max as u64).flag("IsTruncated", rest.next().is_some());
        for part in page {
            xml.open("Part").number("PartNumber", u64::from(part.number)).number("Size", part.size);
            if let Some(checksum) = &part.checksum {
                xml.text(&checksums::element(checksum), &checksum.value);
            }
            xml.close("Part");
        }
    }
    xml.close("ObjectParts");
    Ok(())
}
