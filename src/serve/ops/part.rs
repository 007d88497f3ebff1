//! `UploadPart` and `UploadPartCopy`.

use http::StatusCode;

use super::multipart::{MAX_PARTS, upload_id};
use super::{Api, Call, Reply, checksums, conditions, copy, encryption, put};
use crate::serve::error::ApiError;
use crate::serve::store::{Part, PartFacts, StoredChecksum, UploadFacts};
use crate::serve::time;
use crate::serve::xml::Writer;

fn number(call: &Call) -> Result<u16, ApiError> {
    let text = call.query.get("partNumber").unwrap_or_default();
    text.parse().ok().filter(|number| (1..=MAX_PARTS).contains(number)).ok_or_else(|| {
        ApiError::argument("partNumber", text, "Part number must be an integer between 1 and 10000, inclusive")
    })
}

/// The upload a part is for, which must exist before any byte is taken.
fn upload(api: &Api, call: &Call) -> Result<UploadFacts, ApiError> {
    api.store
        .read(call.bucket(), |bucket| bucket.upload(call.key(), upload_id(call)).map(|upload| upload.facts.clone()))?
}

/// `UploadPart`.
pub(super) async fn upload_part(api: &Api, mut call: Call) -> Result<Reply, ApiError> {
    let number = number(&call)?;
    let facts = upload(api, &call)?;
    encryption::check_part(&call.headers, &facts.attributes.encryption)?;
    if checksums::supported(api) && facts.chosen {
        check_algorithm(&call, &facts)?;
    }
    let arrived = put::receive(api, &mut call, facts.algorithm()).await?;
    let mut reply = Reply::empty(StatusCode::OK).with("etag", &format!("\"{}\"", arrived.etag));
    let shown = arrived.claimed.as_ref().or(arrived.checksum.as_ref());
    if let Some((algorithm, value)) = shown.and_then(|shown| Some((shown.algorithm()?, &shown.value))) {
        reply.set(algorithm.header(), value);
    }
    encryption::show(&mut reply, &facts.attributes.encryption);
    let facts = PartFacts { modified: time::now(), etag: arrived.etag, checksum: arrived.checksum };
    api.store.put_part(
        call.bucket(),
        call.key(),
        upload_id(&call),
        number,
        Part { facts, content: arrived.content },
    )?;
    Ok(reply)
}

/// A part's checksum must be of the algorithm its upload was created with.
fn check_algorithm(call: &Call, facts: &UploadFacts) -> Result<(), ApiError> {
    let Some(claim) = checksums::Claim::of(&call.headers)? else { return Ok(()) };
    let (expected, actual) =
        (facts.algorithm.as_deref().unwrap_or("null").to_lowercase(), claim.algorithm.as_str().to_lowercase());
    if expected == actual {
        return Ok(());
    }
    Err(ApiError::request(format!(
        "Checksum Type mismatch occurred, expected checksum Type: {expected}, actual checksum Type: {actual}"
    )))
}

/// `UploadPartCopy`.
pub(super) async fn copy_part(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let number = number(call)?;
    let facts = upload(api, call)?;
    encryption::check_part(&call.headers, &facts.attributes.encryption)?;
    let source = copy::source(api, call)?;
    let size = source.version.size();
    let range = conditions::copy_range(&call.headers, size)?.unwrap_or(0..size);
    if range.end - range.start > put::MAX_PIECE {
        return Err(copy::too_large());
    }
    let whole = range == (0..size);
    let known = source.version.facts.checksum.as_ref();
    let known =
        known.filter(|known| whole && known.checksum().is_some() && known.algorithm() == facts.algorithm()).cloned();
    let etag = (whole && source.version.facts.parts.is_empty()).then(|| source.version.facts.etag.clone());
    let content = if whole { source.version.content.clone() } else { source.version.content.slice(range) };
    let (etag, checksum) = copy::identify(content.clone(), etag, facts.algorithm(), known).await?;
    let part = PartFacts { modified: time::now(), etag, checksum };
    let document = document(&part, part.checksum.as_ref());
    let len = content.len();
    api.store.put_part(call.bucket(), call.key(), upload_id(call), number, Part { facts: part, content })?;
    let mut reply = Reply::xml(document)
        .maybe("x-amz-copy-source-version-id", source.shown_id.as_deref())
        .units(copy::mebibytes(len));
    encryption::show(&mut reply, &facts.attributes.encryption);
    Ok(reply)
}

fn document(part: &PartFacts, checksum: Option<&StoredChecksum>) -> String {
    let mut xml = Writer::document();
    xml.root("CopyPartResult")
        .text("LastModified", &time::iso(part.modified))
        .text("ETag", &format!("\"{}\"", part.etag));
    if let Some(checksum) = checksum {
        xml.text(&checksums::element(checksum), &checksum.value);
    }
    xml.close("CopyPartResult");
    xml.finish()
}
