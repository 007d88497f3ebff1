//! `PutObject`, and what every request that brings an object's facts or bytes shares: attributes, receiving, body errors.

use std::error::Error;

use futures_util::StreamExt;
use http::{HeaderMap, StatusCode};

use super::checksums::{self, Claim};
use super::{Api, Call, Reply, conditions, encryption, tagging, versioned};
use crate::model::checksum::{Algorithm, Checksum};
use crate::serve::error::ApiError;
use crate::serve::store::{Attributes, Content, Facts, Receiver, StoredChecksum};
use crate::serve::time;

/// A single PUT, a part, or a copied range may not be larger.
pub(super) const MAX_PIECE: u64 = 5 << 30;

/// Headers that are kept with an object and given back as they came.
pub(super) const CONTENT_HEADERS: [&str; 7] = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
    "x-amz-website-redirect-location",
];

const STORAGE_CLASSES: [&str; 9] = [
    "STANDARD",
    "REDUCED_REDUNDANCY",
    "STANDARD_IA",
    "ONEZONE_IA",
    "INTELLIGENT_TIERING",
    "GLACIER",
    "DEEP_ARCHIVE",
    "GLACIER_IR",
    "EXPRESS_ONEZONE",
];

/// User metadata may not be larger, names and values together.
const MAX_METADATA: usize = 2 << 10;

/// `PutObject`.
pub(super) async fn object(api: &Api, mut call: Call) -> Result<Reply, ApiError> {
    let condition = conditions::of_write(&call.headers)?;
    let attributes = attributes(&call)?;
    api.store.read(call.bucket(), |_| ())?;
    let arrived = receive(api, &mut call, None).await?;
    let facts = Facts {
        modified: time::now(),
        etag: arrived.etag,
        checksum: arrived.checksum.clone(),
        attributes,
        ..Facts::default()
    };
    let (version, versioned) = api.store.put(call.bucket(), call.key(), facts, arrived.content, &condition)?;
    let mut reply = Reply::empty(StatusCode::OK).with("etag", &version.quoted_etag());
    checksums::show(&mut reply, arrived.checksum.as_ref());
    encryption::show(&mut reply, &version.facts.attributes.encryption);
    versioned::show(&mut reply, &version, versioned);
    Ok(reply)
}

/// What a request's headers say about the object it creates.
pub(super) fn attributes(call: &Call) -> Result<Attributes, ApiError> {
    let headers = content_headers(&call.headers);
    let storage_class = call.header("x-amz-storage-class").unwrap_or("STANDARD".into()).into_owned();
    if !STORAGE_CLASSES.contains(&storage_class.as_str()) {
        return Err(ApiError::of("InvalidStorageClass").with("StorageClassRequested", storage_class));
    }
    let tags = match call.header("x-amz-tagging") {
        Some(text) => tagging::parse_header(&text)?,
        None => Vec::new(),
    };
    let encryption = encryption::of(&call.headers)?;
    Ok(Attributes { headers, metadata: metadata(&call.headers)?, tags, storage_class, encryption })
}

fn content_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for name in CONTENT_HEADERS {
        let Some(value) = headers.get(name) else { continue };
        let mut value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        if name == "content-encoding" && value.contains("aws-chunked") {
            // The framing of the transfer is no property of the object.
            let kept: Vec<_> = value
                .split(',')
                .map(str::trim)
                .filter(|coding| !coding.is_empty() && *coding != "aws-chunked")
                .collect();
            value = kept.join(", ");
        }
        if !value.is_empty() {
            pairs.push((name.to_owned(), value));
        }
    }
    pairs
}

fn metadata(headers: &HeaderMap) -> Result<Vec<(String, String)>, ApiError> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (name, value) in headers {
        let Some(name) = name.as_str().strip_prefix("x-amz-meta-") else { continue };
        // S3 takes header values as Latin-1.
        let value: String = value.as_bytes().iter().map(|byte| char::from(*byte)).collect();
        let value = value.trim().to_owned();
        match pairs.iter_mut().find(|(known, _)| known == name) {
            // A header given several times is one with a list.
            Some((_, known)) => {
                known.push(',');
                known.push_str(&value);
            }
            None => pairs.push((name.to_owned(), value)),
        }
    }
    let size: usize = pairs.iter().map(|(name, value)| name.len() + value.len()).sum();
    if size > MAX_METADATA {
        return Err(ApiError::of("MetadataTooLarge")
            .with("MaxSizeAllowed", MAX_METADATA.to_string())
            .with("Size", size.to_string()));
    }
    Ok(pairs)
}

/// Bytes that came with a request, verified.
#[derive(Debug)]
pub(super) struct Arrived {
    pub(super) content: Content,
    pub(super) etag: String,
    /// In the algorithm that is kept: the one asked for, else the client's, else S3's default. `None` where the provider keeps none.
    pub(super) checksum: Option<StoredChecksum>,
    /// In the client's algorithm, if it named another one.
    pub(super) claimed: Option<StoredChecksum>,
}

/// Reads the request's body, and compares it with every checksum that came with it. `keep` is the algorithm the caller wants.
pub(super) async fn receive(api: &Api, call: &mut Call, keep: Option<Algorithm>) -> Result<Arrived, ApiError> {
    let length = content_length(&call.headers)?;
    let md5 = checksums::content_md5(&call.headers)?;
    let claim = if checksums::supported(api) { Claim::of(&call.headers)? } else { None };
    let kept = checksums::supported(api)
        .then(|| keep.or(claim.as_ref().map(|claim| claim.algorithm)).unwrap_or(Algorithm::Crc64Nvme));
    let claimed = claim.as_ref().map(|claim| claim.algorithm);
    let algorithms: Vec<_> =
        [Some(Algorithm::Md5), kept, claimed.filter(|claimed| Some(*claimed) != kept)].into_iter().flatten().collect();

    let received = drain(api, call, &algorithms).await?;
    if received.content.len() != length {
        return Err(ApiError::of("IncompleteBody"));
    }
    let of = |algorithm: Algorithm| received.checksums.iter().find(|checksum| checksum.algorithm() == algorithm);
    let computed_md5 = of(Algorithm::Md5).expect("it was asked for");
    checksums::verify_md5(md5.as_deref(), computed_md5)?;
    let stored = |algorithm: Option<Algorithm>| algorithm.and_then(of).map(StoredChecksum::full);
    if let Some(claim) = &claim {
        claim.verify(of(claim.algorithm).expect("it was asked for"), call.trailers.as_ref())?;
    }
    let (checksum, claimed) = (stored(kept), stored(claimed));
    Ok(Arrived { etag: computed_md5.hex(), checksum, claimed, content: received.content })
}

async fn drain(
    api: &Api,
    call: &mut Call,
    algorithms: &[Algorithm],
) -> Result<crate::serve::store::Received, ApiError> {
    let mut receiver = Receiver::new(&api.store, algorithms);
    while let Some(bytes) = call.body.next().await {
        let bytes = bytes.map_err(|error| body_error(&*error))?;
        receiver.push(bytes).await.map_err(|error| ApiError::internal(&error))?;
    }
    receiver.finish().await.map_err(|error| ApiError::internal(&error))
}

/// The length of the body, without its framing.
fn content_length(headers: &HeaderMap) -> Result<u64, ApiError> {
    let number = |name: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).and_then(|value| value.parse::<u64>().ok())
    };
    let length = number("x-amz-decoded-content-length").or_else(|| number("content-length"));
    let length = length.ok_or_else(|| ApiError::of("MissingContentLength"))?;
    if length > MAX_PIECE {
        return Err(ApiError::of("EntityTooLarge")
            .with("ProposedSize", length.to_string())
            .with("MaxSizeAllowed", MAX_PIECE.to_string()));
    }
    Ok(length)
}

/// What a failing body means. The signature layer hands its findings on as the body's errors, and names them only in words.
pub(super) fn body_error(error: &(dyn Error + Send + Sync + 'static)) -> ApiError {
    let text = error.to_string();
    if text.contains("Sha256Mismatch") {
        ApiError::of("XAmzContentSHA256Mismatch")
    } else if text.contains("SignatureMismatch") {
        ApiError::of("SignatureDoesNotMatch")
    } else if text.contains("length limit") {
        ApiError::of("MalformedXML")
    } else {
        ApiError::of("IncompleteBody")
    }
}

/// The entity tag of bytes that are not at hand, as those of a copy: their MD5 where reading them is cheap, else one made of where they
/// are. S3 promises no MD5 either, as for encrypted objects.
pub(super) fn etag_of(content: &Content) -> std::io::Result<String> {
    const CHEAP: u64 = 64 << 20;
    if content.len() > CHEAP {
        return Ok(content.fingerprint());
    }
    Ok(content.hash(&[Algorithm::Md5])?.first().map_or_else(String::new, Checksum::hex))
}
