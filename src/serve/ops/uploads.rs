//! `ListMultipartUploads` and `ListParts`.

use std::borrow::Cow;

use super::listing::{self, Item, Scope};
use super::multipart::upload_id;
use super::{Api, Call, Reply, checksums, list::OWNER};
use crate::serve::error::ApiError;
use crate::serve::store::{Bucket, ChecksumKind, Part, Upload};
use crate::serve::time;
use crate::serve::xml::Writer;

/// `ListMultipartUploads`.
pub(super) fn list(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let mut scope = Scope::of(call, "max-uploads")?;
    let key_marker = call.query.get("key-marker").unwrap_or_default();
    let upload_marker = call.query.get("upload-id-marker").filter(|id| !id.is_empty() && !key_marker.is_empty());
    // With an upload marker the marked key may have more uploads, so the walk begins at it.
    if upload_marker.is_none() {
        key_marker.clone_into(&mut scope.after);
    }
    api.store.read(call.bucket(), |bucket| page(call, &scope, (key_marker, upload_marker), bucket))
}

fn page(call: &Call, scope: &Scope, marker: (&str, Option<&str>), bucket: &Bucket) -> Reply {
    let mut items = Writer::part(1024);
    let mut prefixes = Writer::part(0);
    let mut last_upload = None;
    let end = listing::walk(
        scope,
        |from| entries(bucket, from, marker),
        |item| match item {
            Item::Entry(key, (id, upload)) => {
                write_upload(&mut items, scope, &String::from_utf8_lossy(&key), id, upload);
                last_upload = Some(id);
            }
            Item::Prefix(prefix) => {
                prefixes.open("CommonPrefixes");
                scope.element(&mut prefixes, "Prefix", prefix);
                prefixes.close("CommonPrefixes");
                last_upload = None;
            }
        },
    );
    let mut xml = Writer::document();
    xml.root("ListMultipartUploadsResult").text("Bucket", call.bucket());
    scope.element(&mut xml, "KeyMarker", marker.0);
    xml.text("UploadIdMarker", marker.1.unwrap_or_default());
    if end.truncated {
        scope.element(&mut xml, "NextKeyMarker", end.last.as_deref().unwrap_or_default());
        xml.text("NextUploadIdMarker", last_upload.unwrap_or_default());
    }
    scope.element(&mut xml, "Prefix", &scope.prefix);
    if let Some(delimiter) = &scope.delimiter {
        scope.element(&mut xml, "Delimiter", delimiter);
    }
    if scope.encode {
        xml.text("EncodingType", "url");
    }
    xml.number("MaxUploads", scope.max as u64).flag("IsTruncated", end.truncated);
    xml.raw(&items.finish()).raw(&prefixes.finish()).close("ListMultipartUploadsResult");
    Reply::xml(xml.finish())
}

fn entries<'a>(
    bucket: &'a Bucket,
    from: &[u8],
    marker: (&'a str, Option<&'a str>),
) -> impl Iterator<Item = (Cow<'a, [u8]>, (&'a str, &'a Upload))> + use<'a> {
    let mut from = String::from_utf8_lossy(from).into_owned();
    let mut id = String::new();
    if let (key, Some(upload)) = marker
        && from.as_str() <= key
    {
        key.clone_into(&mut from);
        // The least id greater than the marker.
        id = format!("{upload}\0");
    }
    bucket.uploads.range((from, id)..).map(|((key, id), upload)| (Cow::Borrowed(key.as_bytes()), (id.as_str(), upload)))
}

fn write_upload(xml: &mut Writer, scope: &Scope, key: &str, id: &str, upload: &Upload) {
    xml.open("Upload");
    scope.element(xml, "Key", key);
    xml.text("UploadId", id);
    for element in ["Initiator", "Owner"] {
        xml.open(element).text("ID", OWNER).close(element);
    }
    xml.text("StorageClass", &upload.facts.attributes.storage_class)
        .text("Initiated", &time::iso(upload.facts.initiated));
    write_checksum_plan(xml, upload);
    xml.close("Upload");
}

fn write_checksum_plan(xml: &mut Writer, upload: &Upload) {
    if upload.facts.chosen {
        xml.maybe("ChecksumAlgorithm", upload.facts.algorithm.as_deref())
            .text("ChecksumType", upload.facts.kind.as_str());
    }
}

/// `ListParts`.
pub(super) fn parts(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let scope = Scope::of(call, "max-parts")?;
    let marker = call.query.get("part-number-marker").filter(|text| !text.is_empty()).unwrap_or("0");
    let marker: u32 = marker.parse().map_err(|_| {
        ApiError::argument(
            "part-number-marker",
            marker,
            "Provided part-number-marker not an integer or within integer range",
        )
    })?;
    let id = upload_id(call);
    let upload = api.store.read(call.bucket(), |bucket| bucket.upload(call.key(), id).cloned())??;
    let mut rest = upload.parts.iter().filter(|(number, _)| u32::from(**number) > marker);
    let page: Vec<_> = rest.by_ref().take(scope.max).collect();
    let truncated = scope.max > 0 && rest.next().is_some();
    let mut xml = Writer::document();
    xml.root("ListPartsResult").text("Bucket", call.bucket());
    scope.element(&mut xml, "Key", call.key());
    xml.text("UploadId", id);
    for element in ["Initiator", "Owner"] {
        xml.open(element).text("ID", OWNER).close(element);
    }
    xml.text("StorageClass", &upload.facts.attributes.storage_class).number("PartNumberMarker", u64::from(marker));
    if let Some((number, _)) = page.last() {
        xml.number("NextPartNumberMarker", u64::from(**number));
    }
    xml.number("MaxParts", scope.max as u64).flag("IsTruncated", truncated);
    write_checksum_plan(&mut xml, &upload);
    for (number, part) in page {
        write_part(&mut xml, *number, part, &upload);
    }
    xml.close("ListPartsResult");
    Ok(Reply::xml(xml.finish()))
}

fn write_part(xml: &mut Writer, number: u16, part: &Part, upload: &Upload) {
    xml.open("Part").number("PartNumber", u64::from(number)).text("LastModified", &time::iso(part.facts.modified));
    xml.text("ETag", &format!("\"{}\"", part.facts.etag)).number("Size", part.content.len());
    if let Some(checksum) = &part.facts.checksum
        && (upload.facts.chosen || upload.facts.kind == ChecksumKind::FullObject)
    {
        xml.text(&checksums::element(checksum), &checksum.value);
    }
    xml.close("Part");
}
