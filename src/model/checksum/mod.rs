//! Checksums of content: incremental, and for the CRCs combinable.
//!
//! The bytes are hashed by the crates that do it fastest; putting two digests together is in `combine`. What a store does with
//! a checksum, and which one it wants, is not known here.

mod combine;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crc_fast::CrcAlgorithm;
use sha2::Digest as _;

/// An algorithm S3 or a store may know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// The CRC of gzip and ZIP.
    Crc32,
    /// Castagnoli's, as iSCSI uses it.
    Crc32c,
    /// S3's own default.
    Crc64Nvme,
    /// 160 bits; composite on multipart uploads.
    Sha1,
    /// 256 bits; composite on multipart uploads.
    Sha256,
    /// What `Content-MD5` carries.
    Md5,
}

impl Algorithm {
    const ALL: [Self; 6] = [Self::Crc32, Self::Crc32c, Self::Crc64Nvme, Self::Sha1, Self::Sha256, Self::Md5];

    /// S3's name: `CRC32`, `CRC32C`, `CRC64NVME`, `SHA1`, `SHA256`, `MD5`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crc32 => "CRC32",
            Self::Crc32c => "CRC32C",
            Self::Crc64Nvme => "CRC64NVME",
            Self::Sha1 => "SHA1",
            Self::Sha256 => "SHA256",
            Self::Md5 => "MD5",
        }
    }

    /// Reads S3's name, any case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str().eq_ignore_ascii_case(name))
    }

    /// `x-amz-checksum-crc64nvme` and so on; `content-md5` for MD5.
    #[must_use]
    pub fn header(self) -> &'static str {
        match self {
            Self::Crc32 => "x-amz-checksum-crc32",
            Self::Crc32c => "x-amz-checksum-crc32c",
            Self::Crc64Nvme => "x-amz-checksum-crc64nvme",
            Self::Sha1 => "x-amz-checksum-sha1",
            Self::Sha256 => "x-amz-checksum-sha256",
            Self::Md5 => "content-md5",
        }
    }

    /// Whether two digests of neighbours give the digest of the whole.
    #[must_use]
    pub fn combines(self) -> bool {
        matches!(self, Self::Crc32 | Self::Crc32c | Self::Crc64Nvme)
    }

    /// Bytes of a digest.
    #[must_use]
    pub fn digest_len(self) -> usize {
        match self {
            Self::Crc32 | Self::Crc32c => 4,
            Self::Crc64Nvme => 8,
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

impl std::fmt::Display for Algorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A digest, big-endian for the CRCs as S3 writes them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Checksum {
    algorithm: Algorithm,
    digest: Vec<u8>,
}

impl Checksum {
    /// The digest of `data`.
    #[must_use]
    pub fn of(algorithm: Algorithm, data: &[u8]) -> Self {
        let mut hasher = Hasher::new(algorithm);
        hasher.update(data);
        hasher.finish()
    }

    /// A digest computed elsewhere; `None` if its length is not the algorithm's.
    #[must_use]
    pub fn from_digest(algorithm: Algorithm, digest: Vec<u8>) -> Option<Self> {
        (digest.len() == algorithm.digest_len()).then_some(Self { algorithm, digest })
    }

    /// Which algorithm made it.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The raw bytes.
    #[must_use]
    pub fn digest(&self) -> &[u8] {
        &self.digest
    }

    /// As in headers: base64 of the digest.
    #[must_use]
    pub fn base64(&self) -> String {
        STANDARD.encode(&self.digest)
    }

    /// As `sha256sum` and its kin print it: lower-case hexadecimal.
    #[must_use]
    pub fn hex(&self) -> String {
        hex::encode(&self.digest)
    }

    /// Reads a header's value; `None` for a composite (`…-N`), a wrong length or broken base64.
    #[must_use]
    pub fn from_base64(algorithm: Algorithm, text: &str) -> Option<Self> {
        Self::from_digest(algorithm, STANDARD.decode(text.trim()).ok()?)
    }

    /// Digest of `self`'s bytes followed by `next`'s, which were `next_len` long; `None` if the algorithm does not combine or they
    /// differ in it.
    #[must_use]
    pub fn combine(&self, next: &Checksum, next_len: u64) -> Option<Checksum> {
        if self.algorithm != next.algorithm {
            return None;
        }
        let (first, second) = (self.crc()?, next.crc()?);
        let whole = match self.algorithm {
            Algorithm::Crc32 => combine::crc32(first, second, next_len),
            Algorithm::Crc32c => combine::crc32c(first, second, next_len),
            Algorithm::Crc64Nvme => combine::crc64nvme(first, second, next_len),
            Algorithm::Sha1 | Algorithm::Sha256 | Algorithm::Md5 => return None,
        };
        Some(Self::from_crc(self.algorithm, whole))
    }

    /// A CRC's value; `None` for the hashes, whose digests are no numbers.
    fn crc(&self) -> Option<u64> {
        let bytes = || self.digest.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
        self.algorithm.combines().then(bytes)
    }

    fn from_crc(algorithm: Algorithm, value: u64) -> Self {
        let bytes = value.to_be_bytes();
        Self { algorithm, digest: bytes[bytes.len() - algorithm.digest_len()..].to_vec() }
    }
}

/// An incremental digest.
#[derive(Debug, Clone)]
pub struct Hasher(State);

#[derive(Debug, Clone)]
enum State {
    Crc32(crc32fast::Hasher),
    /// CRC32C and CRC64NVME, told apart by the algorithm kept beside it. Boxed because the crate's state is by far the largest here.
    Crc(Algorithm, Box<crc_fast::Digest>),
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
    Md5(md5::Md5),
}

impl Hasher {
    /// The digest of nothing yet.
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        Self(match algorithm {
            Algorithm::Crc32 => State::Crc32(crc32fast::Hasher::new()),
            Algorithm::Crc32c => State::Crc(algorithm, Box::new(crc_fast::Digest::new(CrcAlgorithm::Crc32Iscsi))),
            Algorithm::Crc64Nvme => State::Crc(algorithm, Box::new(crc_fast::Digest::new(CrcAlgorithm::Crc64Nvme))),
            Algorithm::Sha1 => State::Sha1(sha1::Sha1::new()),
            Algorithm::Sha256 => State::Sha256(sha2::Sha256::new()),
            Algorithm::Md5 => State::Md5(md5::Md5::new()),
        })
    }

    /// Adds the next bytes; how they are cut into calls does not matter.
    pub fn update(&mut self, data: &[u8]) {
        match &mut self.0 {
            State::Crc32(hasher) => hasher.update(data),
            State::Crc(_, digest) => digest.update(data),
            State::Sha1(hasher) => hasher.update(data),
            State::Sha256(hasher) => hasher.update(data),
            State::Md5(hasher) => hasher.update(data),
        }
    }

    /// The digest of all bytes given.
    #[must_use]
    pub fn finish(self) -> Checksum {
        match self.0 {
            State::Crc32(hasher) => Checksum::from_crc(Algorithm::Crc32, u64::from(hasher.finalize())),
            State::Crc(algorithm, digest) => Checksum::from_crc(algorithm, digest.finalize()),
            State::Sha1(hasher) => Checksum { algorithm: Algorithm::Sha1, digest: hasher.finalize().to_vec() },
            State::Sha256(hasher) => Checksum { algorithm: Algorithm::Sha256, digest: hasher.finalize().to_vec() },
            State::Md5(hasher) => Checksum { algorithm: Algorithm::Md5, digest: hasher.finalize().to_vec() },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn hex_of(algorithm: Algorithm, data: &[u8]) -> String {
        Checksum::of(algorithm, data).hex()
    }

    #[test]
    fn published_check_values_hold() {
        let nine = b"123456789";
        assert_eq!(hex_of(Algorithm::Crc32, nine), "cbf43926");
        assert_eq!(hex_of(Algorithm::Crc32c, nine), "e3069283");
        assert_eq!(hex_of(Algorithm::Crc64Nvme, nine), "ae8b14860a799888");
        assert_eq!(hex_of(Algorithm::Md5, nine), "25f9e794323b453885f5181f1b624d0b");
        assert_eq!(hex_of(Algorithm::Sha1, nine), "f7c3bc1d808e04732adf679965ccc34ca7ae3441");
        assert_eq!(hex_of(Algorithm::Sha256, nine), "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225");
        assert_eq!(hex_of(Algorithm::Crc64Nvme, &[0; 32]), "cf3473434d4ecf3b");
        let rising: Vec<u8> = (0..32).collect();
        assert_eq!(hex_of(Algorithm::Crc64Nvme, &rising), "b9d9d4a8492cbd7f");
    }

    #[test]
    fn base64_is_big_endian_and_reads_back() {
        let sum = Checksum::of(Algorithm::Crc32, b"123456789");
        assert_eq!(sum.base64(), "y/Q5Jg==");
        assert_eq!(Checksum::from_base64(Algorithm::Crc32, "y/Q5Jg=="), Some(sum));
    }

    #[test]
    fn composite_short_and_broken_values_are_no_checksums() {
        for text in ["y/Q5Jg==-3", "y/Q5", "", "y/Q5Jg", "????????"] {
            assert_eq!(Checksum::from_base64(Algorithm::Crc32, text), None, "{text}");
        }
    }

    #[test]
    fn names_read_back_in_any_case() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::parse(algorithm.as_str()), Some(algorithm));
            assert_eq!(Algorithm::parse(&algorithm.as_str().to_lowercase()), Some(algorithm));
        }
        assert_eq!(Algorithm::parse("CRC64"), None);
    }

    #[test]
    fn hashes_and_unlike_algorithms_do_not_combine() {
        let of = |algorithm| Checksum::of(algorithm, b"x");
        assert_eq!(of(Algorithm::Sha256).combine(&of(Algorithm::Sha256), 1), None);
        assert_eq!(of(Algorithm::Crc32).combine(&of(Algorithm::Crc32c), 1), None);
    }

    proptest! {
        #[test]
        fn pieces_give_the_digest_of_the_whole(data: Vec<u8>, cut in 0usize..300) {
            for algorithm in Algorithm::ALL {
                let (head, tail) = data.split_at(cut.min(data.len()));
                let mut hasher = Hasher::new(algorithm);
                hasher.update(head);
                hasher.update(tail);
                prop_assert_eq!(hasher.finish(), Checksum::of(algorithm, &data));
            }
        }

        #[test]
        fn combining_equals_recomputing(head: Vec<u8>, tail in prop::collection::vec(any::<u8>(), 0..5000)) {
            let whole = [head.as_slice(), &tail].concat();
            for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.combines()) {
                let combined = Checksum::of(algorithm, &head).combine(&Checksum::of(algorithm, &tail), tail.len() as u64);
                prop_assert_eq!(combined, Some(Checksum::of(algorithm, &whole)));
            }
        }

        #[test]
        fn combining_is_associative_at_any_length(a: u64, b: u64, c: u64, second in 0u64..1 << 45, third in 0u64..1 << 45) {
            for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.combines()) {
                let [a, b, c] = [a, b, c].map(|value| Checksum::from_crc(algorithm, value));
                let left = a.combine(&b, second).unwrap().combine(&c, third);
                let right = a.combine(&b.combine(&c, third).unwrap(), second + third);
                prop_assert_eq!(left, right);
            }
        }
    }
}
