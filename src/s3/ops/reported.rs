//! Checksums in a store's answers: read, and held against what was sent.

use crate::model::checksum::{Algorithm, Checksum, Hasher};
use crate::s3::Kind;
use crate::s3::failure::Failure;
use crate::s3::header::header;
use crate::transport::retry::Class;
use bytes::Bytes;
use http::HeaderMap;

const PREFIX: &str = "x-amz-checksum-";

/// In the order in which one is chosen when a store sends several.
const ALGORITHMS: [Algorithm; 5] =
    [Algorithm::Crc64Nvme, Algorithm::Crc32c, Algorithm::Crc32, Algorithm::Sha256, Algorithm::Sha1];

/// Longest body that is digested only because the store reported a checksum of it: a millisecond's work.
const AFFORDABLE: usize = 16 << 20;

/// All `x-amz-checksum-*` values: algorithm as S3 writes it, and value.
pub(super) fn checksums(headers: &HeaderMap) -> Vec<(String, String)> {
    let values = headers.iter().filter_map(|(name, value)| {
        let algorithm = name.as_str().strip_prefix(PREFIX)?;
        let is_value = !matches!(algorithm, "type" | "mode" | "algorithm");
        is_value.then(|| (algorithm.to_ascii_uppercase(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
    });
    values.collect()
}

/// `x-amz-checksum-type`.
pub(super) fn checksum_type(headers: &HeaderMap) -> Option<String> {
    header(headers, "x-amz-checksum-type")
}

/// The best checksum of the whole object among the headers; composite ones are none.
pub(super) fn full(headers: &HeaderMap) -> Option<Checksum> {
    if checksum_type(headers).is_some_and(|kind| kind.eq_ignore_ascii_case("COMPOSITE")) {
        return None;
    }
    ALGORITHMS.into_iter().find_map(|algorithm| Checksum::from_base64(algorithm, &header(headers, algorithm.header())?))
}

/// Holds the checksum that the store reports of what it stored against what was sent.
pub(super) fn verify(headers: &HeaderMap, sent: Option<&Checksum>, body: &[Bytes]) -> Result<(), Failure> {
    let Some(stored) = full(headers) else { return Ok(()) };
    let expected = match sent.filter(|sent| sent.algorithm() == stored.algorithm()) {
        Some(sent) => sent.clone(),
        None if stored.algorithm().combines() && body.iter().map(Bytes::len).sum::<usize>() <= AFFORDABLE => {
            let mut hasher = Hasher::new(stored.algorithm());
            for piece in body {
                hasher.update(piece);
            }
            hasher.finish()
        }
        None => return Ok(()),
    };
    if expected == stored { Ok(()) } else { Err(mismatch(&expected, &stored, Class::Corrupt)) }
}

/// The failure for two different checksums of what should be the same bytes.
pub(in crate::s3) fn mismatch(ours: &Checksum, stores: &Checksum, class: Class) -> Failure {
    let text = format!(
        "{} of the bytes here is {}, the store's is {}",
        ours.algorithm().as_str(),
        ours.base64(),
        stores.base64()
    );
    Failure::new(class, Kind::Protocol, "ChecksumMismatch", text)
}
