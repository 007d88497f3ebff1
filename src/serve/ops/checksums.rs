//! Checksums that requests carry and answers show.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;

use super::{Api, Call, Reply};
use crate::model::checksum::{Algorithm, Checksum};
use crate::serve::error::ApiError;
use crate::serve::options::Provider;
use crate::serve::store::{ChecksumKind, StoredChecksum};

/// The algorithms S3 takes in `x-amz-checksum-…` headers and this endpoint can compute.
const ALGORITHMS: [Algorithm; 5] =
    [Algorithm::Crc32, Algorithm::Crc32c, Algorithm::Crc64Nvme, Algorithm::Sha1, Algorithm::Sha256];

/// What a request says about the checksum of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) algorithm: Algorithm,
    /// `None` until the trailer is read.
    value: Option<Checksum>,
}

/// Whether the provider knows checksums at all.
pub(super) fn supported(api: &Api) -> bool {
    matches!(api.provider, Provider::Aws | Provider::R2)
}

impl Claim {
    /// Reads the headers: one checksum, or the promise of one in the trailer, or none.
    pub(super) fn of(headers: &HeaderMap) -> Result<Option<Self>, ApiError> {
        let mut claims =
            ALGORITHMS.iter().filter_map(|algorithm| headers.get(algorithm.header()).map(|value| (algorithm, value)));
        if let Some((algorithm, value)) = claims.next() {
            if claims.next().is_some() {
                return Err(ApiError::request(
                    "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.",
                ));
            }
            let value = read(*algorithm, value.as_bytes())?;
            return Ok(Some(Self { algorithm: *algorithm, value: Some(value) }));
        }
        let trailer = headers.get("x-amz-trailer").and_then(|value| value.to_str().ok());
        if let Some(name) = trailer {
            let algorithm = ALGORITHMS.iter().find(|algorithm| algorithm.header().eq_ignore_ascii_case(name.trim()));
            return match algorithm {
                Some(algorithm) => Ok(Some(Self { algorithm: *algorithm, value: None })),
                None => Err(ApiError::request("The value specified in the x-amz-trailer header is not supported")),
            };
        }
        if headers.contains_key("x-amz-sdk-checksum-algorithm") {
            return Err(ApiError::request(
                "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.",
            ));
        }
        Ok(None)
    }

    /// Compares with what was computed; the promised value is in `trailers` by now.
    pub(super) fn verify(&self, computed: &Checksum, trailers: Option<&s3s::TrailingHeaders>) -> Result<(), ApiError> {
        let name = self.algorithm.header();
        let value = match &self.value {
            Some(value) => value.clone(),
            None => {
                let value = trailers.and_then(|trailers| trailers.read(|headers| headers.get(name).cloned()).flatten());
                let value = value
                    .ok_or_else(|| ApiError::of("InvalidRequest").message(format!("The trailer {name} is missing.")))?;
                read(self.algorithm, value.as_bytes())?
            }
        };
        if value == *computed {
            return Ok(());
        }
        let message = format!("The {} you specified did not match the calculated checksum.", self.algorithm.as_str());
        Err(ApiError::of("BadDigest").message(message))
    }
}

fn read(algorithm: Algorithm, value: &[u8]) -> Result<Checksum, ApiError> {
    let text = std::str::from_utf8(value).unwrap_or_default();
    Checksum::from_base64(algorithm, text)
        .ok_or_else(|| ApiError::request(format!("Value for {} header is invalid.", algorithm.header())))
}

/// The `Content-MD5` a request carries.
pub(super) fn content_md5(headers: &HeaderMap) -> Result<Option<Vec<u8>>, ApiError> {
    let Some(value) = headers.get("content-md5") else { return Ok(None) };
    match STANDARD.decode(value.as_bytes()) {
        Ok(digest) if digest.len() == 16 => Ok(Some(digest)),
        _ => Err(ApiError::of("InvalidDigest").with("Content-MD5", String::from_utf8_lossy(value.as_bytes()))),
    }
}

/// Compares the `Content-MD5` with what was computed.
pub(super) fn verify_md5(claimed: Option<&[u8]>, computed: &Checksum) -> Result<(), ApiError> {
    match claimed {
        Some(claimed) if claimed != computed.digest() => {
            Err(ApiError::of("BadDigest").message("The Content-MD5 you specified did not match what we received."))
        }
        _ => Ok(()),
    }
}

/// Verifies whatever checksums a small body came with.
pub(super) fn verify_document(call: &Call, bytes: &[u8]) -> Result<(), ApiError> {
    if let Some(md5) = content_md5(&call.headers)? {
        verify_md5(Some(&md5), &Checksum::of(Algorithm::Md5, bytes))?;
    }
    // On Complete these headers are about the object, not about the document.
    if call.operation == crate::serve::operation::Operation::CompleteMultipartUpload {
        return Ok(());
    }
    match Claim::of(&call.headers)? {
        Some(claim) => claim.verify(&Checksum::of(claim.algorithm, bytes), call.trailers.as_ref()),
        None => Ok(()),
    }
}

/// An algorithm named by a header such as `x-amz-checksum-algorithm`.
pub(super) fn named(text: &str) -> Result<Algorithm, ApiError> {
    Algorithm::parse(text).filter(|algorithm| ALGORITHMS.contains(algorithm)).ok_or_else(|| {
        ApiError::request("Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]")
    })
}

/// The `x-amz-checksum-…` headers of an answer.
pub(super) fn show(reply: &mut Reply, checksum: Option<&StoredChecksum>) {
    if let Some(checksum) = checksum
        && let Some(algorithm) = checksum.algorithm()
    {
        reply.set(algorithm.header(), &checksum.value);
        reply.set("x-amz-checksum-type", checksum.kind.as_str());
    }
}

/// S3's element name, as `ChecksumCRC32`.
pub(super) fn element(checksum: &StoredChecksum) -> Cow<'static, str> {
    match checksum.algorithm.as_str() {
        "CRC32" => "ChecksumCRC32".into(),
        "CRC32C" => "ChecksumCRC32C".into(),
        "CRC64NVME" => "ChecksumCRC64NVME".into(),
        "SHA1" => "ChecksumSHA1".into(),
        "SHA256" => "ChecksumSHA256".into(),
        other => format!("Checksum{other}").into(),
    }
}

/// The checksum of a whole object from its parts' checksums, which must be of one algorithm, with their sizes.
pub(super) fn of_parts(algorithm: Algorithm, kind: ChecksumKind, parts: &[(Checksum, u64)]) -> Option<StoredChecksum> {
    match kind {
        ChecksumKind::Composite => {
            let digests: Vec<u8> = parts.iter().flat_map(|(checksum, _)| checksum.digest()).copied().collect();
            let value = format!("{}-{}", Checksum::of(algorithm, &digests).base64(), parts.len());
            Some(StoredChecksum { algorithm: algorithm.as_str().to_owned(), value, kind })
        }
        ChecksumKind::FullObject => {
            let (first, rest) = parts.split_first()?;
            let whole = rest.iter().try_fold(first.0.clone(), |whole, (next, len)| whole.combine(next, *len))?;
            Some(StoredChecksum::full(&whole))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_wrong_checksum_is_a_bad_digest_and_a_broken_one_an_invalid_request() {
        let right = Checksum::of(Algorithm::Crc32, b"abc");
        let claim = Claim::of(&headers(&[("x-amz-checksum-crc32", &right.base64())])).unwrap().unwrap();
        claim.verify(&right, None).unwrap();
        assert_eq!(claim.verify(&Checksum::of(Algorithm::Crc32, b"abd"), None).unwrap_err().code(), "BadDigest");
        assert_eq!(Claim::of(&headers(&[("x-amz-checksum-crc32", "!")])).unwrap_err().code(), "InvalidRequest");
    }

    #[test]
    fn two_checksums_or_a_promise_without_any_are_refused() {
        let two = headers(&[("x-amz-checksum-crc32", "AAAAAA=="), ("x-amz-checksum-crc32c", "AAAAAA==")]);
        assert_eq!(Claim::of(&two).unwrap_err().code(), "InvalidRequest");
        assert_eq!(
            Claim::of(&headers(&[("x-amz-sdk-checksum-algorithm", "CRC32")])).unwrap_err().code(),
            "InvalidRequest"
        );
        assert_eq!(Claim::of(&headers(&[])).unwrap(), None);
    }

    #[test]
    fn the_full_checksum_of_parts_is_that_of_all_bytes() {
        let parts: Vec<_> = [&b"hello "[..], b"wor", b"ld"]
            .iter()
            .map(|part| (Checksum::of(Algorithm::Crc32, part), part.len() as u64))
            .collect();
        let whole = of_parts(Algorithm::Crc32, ChecksumKind::FullObject, &parts).unwrap();
        assert_eq!(whole.value, Checksum::of(Algorithm::Crc32, b"hello world").base64());
        let composite = of_parts(Algorithm::Crc32, ChecksumKind::Composite, &parts).unwrap();
        assert!(composite.value.ends_with("-3"), "{}", composite.value);
    }
}
