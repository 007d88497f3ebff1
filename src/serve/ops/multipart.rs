//! `CreateMultipartUpload`, `CompleteMultipartUpload`, `AbortMultipartUpload`.

use std::sync::Arc;

use http::StatusCode;

use super::{Api, Call, Reply, checksums, conditions, encryption, put, versioned};
use crate::model::checksum::{Algorithm, Checksum, Hasher};
use crate::serve::error::ApiError;
use crate::serve::options::Provider;
use crate::serve::store::{ChecksumKind, Content, Facts, Part, PartInfo, StoredChecksum, Upload, UploadFacts};
use crate::serve::time;
use crate::serve::xml::{Element, Writer};

/// All parts but the last must have at least this size.
const MIN_PART: u64 = 5 << 20;
/// Part numbers go from 1 to this.
pub(super) const MAX_PARTS: u16 = 10_000;

/// The upload a request names.
pub(super) fn upload_id(call: &Call) -> &str {
    call.query.get("uploadId").unwrap_or_default()
}

/// `CreateMultipartUpload`.
pub(super) fn create(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let attributes = put::attributes(call)?;
    let (algorithm, kind, chosen) = checksum_plan(api, call)?;
    let facts = UploadFacts {
        initiated: time::now(),
        attributes,
        algorithm: algorithm.map(|algorithm| algorithm.as_str().to_owned()),
        kind,
        chosen,
    };
    let shown = facts.clone();
    let id = api.store.create_upload(call.bucket(), call.key(), facts)?;
    let mut xml = Writer::document();
    xml.root("InitiateMultipartUploadResult").text("Bucket", call.bucket()).text("Key", call.key());
    xml.text("UploadId", &id).close("InitiateMultipartUploadResult");
    let mut reply = Reply::xml(xml.finish());
    if chosen {
        reply = reply
            .maybe("x-amz-checksum-algorithm", shown.algorithm.as_deref())
            .with("x-amz-checksum-type", kind.as_str());
    }
    encryption::show(&mut reply, &shown.attributes.encryption);
    Ok(reply)
}

/// Algorithm and kind of the object's checksum, and whether the client chose them.
fn checksum_plan(api: &Api, call: &Call) -> Result<(Option<Algorithm>, ChecksumKind, bool), ApiError> {
    if !checksums::supported(api) {
        return Ok((None, ChecksumKind::FullObject, false));
    }
    let named = call.header("x-amz-checksum-algorithm").map(|name| checksums::named(&name)).transpose()?;
    let kind = match call.header("x-amz-checksum-type").as_deref() {
        None => None,
        Some("FULL_OBJECT") => Some(ChecksumKind::FullObject),
        Some("COMPOSITE") => Some(ChecksumKind::Composite),
        Some(other) => {
            return Err(ApiError::argument(
                "x-amz-checksum-type",
                other,
                "Value for x-amz-checksum-type header is invalid.",
            ));
        }
    };
    let Some(algorithm) = named else {
        return match kind {
            None => Ok((Some(Algorithm::Crc64Nvme), ChecksumKind::FullObject, false)),
            Some(_) => Err(ApiError::request(
                "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.",
            )),
        };
    };
    let usual = if algorithm == Algorithm::Crc64Nvme { ChecksumKind::FullObject } else { ChecksumKind::Composite };
    let kind = kind.unwrap_or(usual);
    let possible = match kind {
        ChecksumKind::FullObject => algorithm.combines(),
        ChecksumKind::Composite => algorithm != Algorithm::Crc64Nvme,
    };
    if !possible {
        let message = format!(
            "The {} checksum type cannot be used with the {} checksum algorithm.",
            kind.as_str(),
            algorithm.as_str().to_lowercase()
        );
        return Err(ApiError::request(message));
    }
    Ok((Some(algorithm), kind, true))
}

/// `AbortMultipartUpload`.
pub(super) fn abort(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    api.store.abort_upload(call.bucket(), call.key(), upload_id(call))?;
    Ok(Reply::empty(StatusCode::NO_CONTENT))
}

/// A part as the client lists it.
#[derive(Debug)]
struct Listed {
    number: u16,
    etag: String,
    /// By element name, as `ChecksumCRC32`.
    checksums: Vec<(String, String)>,
}

fn listed(document: &[u8]) -> Result<Vec<Listed>, ApiError> {
    let malformed = || ApiError::of("MalformedXML");
    let root = Element::parse(document).filter(|root| root.name == "CompleteMultipartUpload").ok_or_else(malformed)?;
    let part = |part: &Element| {
        let checksums = part.children.iter().filter(|child| child.name.starts_with("Checksum"));
        Some(Listed {
            number: part.value("PartNumber")?.trim().parse().ok()?,
            etag: part.value("ETag")?.trim().trim_matches('"').to_owned(),
            checksums: checksums.map(|child| (child.name.clone(), child.text.trim().to_owned())).collect(),
        })
    };
    let parts = root.all("Part").map(part).collect::<Option<Vec<_>>>().ok_or_else(malformed)?;
    if parts.is_empty() { Err(malformed()) } else { Ok(parts) }
}

/// `CompleteMultipartUpload`.
pub(super) async fn complete(api: &Api, mut call: Call) -> Result<Reply, ApiError> {
    let condition = conditions::of_write(&call.headers)?;
    let document = call.document().await?;
    // An unknown upload is an unknown upload, whatever the document says.
    api.store.read(call.bucket(), |bucket| bucket.upload(call.key(), upload_id(&call)).map(drop))??;
    let listed = listed(&document)?;
    let assemble = |upload: &Upload| assemble(api, &call, upload, &listed);
    let (version, versioned) =
        api.store.complete_upload(call.bucket(), call.key(), upload_id(&call), &condition, assemble)?;

    let mut xml = Writer::document();
    xml.root("CompleteMultipartUploadResult");
    let host = call.header("host").unwrap_or_default();
    xml.text("Location", &format!("http://{host}/{}/{}", call.bucket(), call.key()));
    xml.text("Bucket", call.bucket()).text("Key", call.key()).text("ETag", &version.quoted_etag());
    if let Some(checksum) = &version.facts.checksum {
        xml.text(&checksums::element(checksum), &checksum.value).text("ChecksumType", checksum.kind.as_str());
    }
    xml.close("CompleteMultipartUploadResult");
    let mut reply = Reply::xml(xml.finish());
    encryption::show(&mut reply, &version.facts.attributes.encryption);
    versioned::show(&mut reply, &version, versioned);
    Ok(reply)
}

/// Checks the listed parts against those uploaded, and makes an object's facts and content of them.
fn assemble(api: &Api, call: &Call, upload: &Upload, listed: &[Listed]) -> Result<(Facts, Content), ApiError> {
    if listed.windows(2).any(|pair| pair[0].number >= pair[1].number) {
        return Err(ApiError::of("InvalidPartOrder"));
    }
    let parts = listed.iter().map(|listed| find(upload, listed)).collect::<Result<Vec<_>, _>>()?;
    check_sizes(api, listed, &parts)?;
    check_numbers(upload, listed)?;
    let content = Content::concat(parts.iter().map(|part| &part.content));
    check_total(call, content.len())?;
    let checksum = checksum(upload, &parts)?;
    check_claim(call, checksum.as_ref())?;
    let infos = listed.iter().zip(&parts).map(|(listed, part)| PartInfo {
        number: listed.number,
        size: part.content.len(),
        checksum: part.facts.checksum.clone(),
    });
    let facts = Facts {
        modified: time::now(),
        etag: etag(&parts),
        attributes: upload.facts.attributes.clone(),
        checksum,
        parts: infos.collect(),
        ..Facts::default()
    };
    Ok((facts, content))
}

/// The uploaded part a listed one means.
fn find(upload: &Upload, listed: &Listed) -> Result<Arc<Part>, ApiError> {
    let invalid =
        || ApiError::of("InvalidPart").with("PartNumber", listed.number.to_string()).with("ETag", &*listed.etag);
    let part = upload.parts.get(&listed.number).filter(|part| part.facts.etag == listed.etag).ok_or_else(invalid)?;
    let Some(kept) = &part.facts.checksum else { return Ok(Arc::clone(part)) };
    let element = checksums::element(kept);
    match listed.checksums.iter().find(|(name, _)| *name == element) {
        Some((_, value)) if *value != kept.value => Err(invalid()),
        None if upload.facts.chosen && upload.facts.kind == ChecksumKind::Composite => {
            let algorithm = kept.algorithm.to_lowercase();
            Err(ApiError::request(format!(
                "The upload was created using a {algorithm} checksum. The complete request must include the checksum for each part. It was missing for part {} in the request.",
                listed.number
            )))
        }
        _ => Ok(Arc::clone(part)),
    }
}

fn check_sizes(api: &Api, listed: &[Listed], parts: &[Arc<Part>]) -> Result<(), ApiError> {
    let Some((_, all_but_last)) = parts.split_last() else { return Ok(()) };
    for (listed, part) in listed.iter().zip(all_but_last) {
        if part.content.len() < MIN_PART {
            return Err(ApiError::of("EntityTooSmall")
                .with("ProposedSize", part.content.len().to_string())
                .with("MinSizeAllowed", MIN_PART.to_string())
                .with("PartNumber", listed.number.to_string())
                .with("ETag", &*part.facts.etag));
        }
        if api.provider == Provider::R2 && part.content.len() != parts[0].content.len() {
            return Err(ApiError::of("InvalidPart").message("All non-trailing parts must have the same length."));
        }
    }
    Ok(())
}

/// Where the client chose a checksum, part numbers must count up from 1.
fn check_numbers(upload: &Upload, listed: &[Listed]) -> Result<(), ApiError> {
    let consecutive = listed.iter().zip(1..).all(|(listed, number)| listed.number == number);
    if consecutive || !upload.facts.chosen {
        return Ok(());
    }
    Err(ApiError::of("InternalError")
        .message("Part numbers must be consecutive and begin with 1 when a checksum algorithm is used."))
}

/// `x-amz-mp-object-size` must be what the parts add up to.
fn check_total(call: &Call, total: u64) -> Result<(), ApiError> {
    match call.header("x-amz-mp-object-size") {
        Some(expected) if expected.parse() != Ok(total) => Err(ApiError::request(format!(
            "The provided 'x-amz-mp-object-size' header value {expected} does not match what was computed: {total}"
        ))),
        _ => Ok(()),
    }
}

/// The object's checksum, from those of its parts.
fn checksum(upload: &Upload, parts: &[Arc<Part>]) -> Result<Option<StoredChecksum>, ApiError> {
    let Some(algorithm) = upload.facts.algorithm() else { return Ok(None) };
    let of_part = |part: &Arc<Part>| Some((part.facts.checksum.as_ref()?.checksum()?, part.content.len()));
    let parts = parts.iter().map(of_part).collect::<Option<Vec<_>>>();
    let whole = parts.and_then(|parts| checksums::of_parts(algorithm, upload.facts.kind, &parts));
    whole.map(Some).ok_or_else(|| ApiError::internal(&"a part has no checksum"))
}

/// A checksum of the whole object that comes with the request must be right.
fn check_claim(call: &Call, computed: Option<&StoredChecksum>) -> Result<(), ApiError> {
    let Some(computed) = computed else { return Ok(()) };
    let kind = call.header("x-amz-checksum-type");
    if kind.is_some_and(|kind| kind != computed.kind.as_str()) {
        return Err(ApiError::request(
            "The x-amz-checksum-type header does not match the checksum type of the multipart upload.",
        ));
    }
    let Some(algorithm) = computed.algorithm() else { return Ok(()) };
    match call.header(algorithm.header()) {
        Some(claimed) if claimed != computed.value && claimed.split('-').next() != computed.value.split('-').next() => {
            Err(ApiError::of("BadDigest").message(format!(
                "The {} you specified did not match the calculated checksum.",
                algorithm.as_str().to_lowercase()
            )))
        }
        _ => Ok(()),
    }
}

/// The MD5 of the parts' MD5s, and their number.
fn etag(parts: &[Arc<Part>]) -> String {
    let mut hasher = Hasher::new(Algorithm::Md5);
    for part in parts {
        hasher.update(&hex::decode(&part.facts.etag).unwrap_or_default());
    }
    let digest: Checksum = hasher.finish();
    format!("{}-{}", digest.hex(), parts.len())
}
