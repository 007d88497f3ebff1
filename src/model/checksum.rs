//! Checksums of content: incremental, and for the CRCs combinable.

/// An algorithm S3 or a store may know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm { Crc32, Crc32c, Crc64Nvme, Sha1, Sha256, Md5 }
impl Algorithm {
    /// S3's name: `CRC32`, `CRC32C`, `CRC64NVME`, `SHA1`, `SHA256`, `MD5`.
    pub fn as_str(self) -> &'static str { todo!() }
    /// Reads S3's name, any case.
    pub fn parse(_name: &str) -> Option<Self> { todo!() }
    /// `x-amz-checksum-crc64nvme` and so on; `content-md5` for MD5.
    pub fn header(self) -> &'static str { todo!() }
    /// Whether two digests of neighbours give the digest of the whole.
    pub fn combines(self) -> bool { matches!(self, Self::Crc32 | Self::Crc32c | Self::Crc64Nvme) }
}

/// A digest, big-endian for the CRCs as S3 writes them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Checksum { algorithm: Algorithm, digest: Vec<u8> }
impl Checksum {
    pub fn of(_algorithm: Algorithm, _data: &[u8]) -> Self { todo!() }
    pub fn algorithm(&self) -> Algorithm { self.algorithm }
    pub fn digest(&self) -> &[u8] { &self.digest }
    /// As in headers: base64 of the digest.
    pub fn base64(&self) -> String { todo!() }
    pub fn hex(&self) -> String { todo!() }
    /// Reads a header's value; `None` for a composite (`…-N`), a wrong length or broken base64.
    pub fn from_base64(_algorithm: Algorithm, _text: &str) -> Option<Self> { todo!() }
    /// Digest of `self`'s bytes followed by `next`'s, which were `next_len` long; `None` if the algorithm does not combine or they differ in it.
    pub fn combine(&self, _next: &Checksum, _next_len: u64) -> Option<Checksum> { todo!() }
}

/// An incremental digest.
#[derive(Debug, Clone)]
pub struct Hasher { /* enum inside */ }
impl Hasher {
    pub fn new(_algorithm: Algorithm) -> Self { todo!() }
    pub fn update(&mut self, _data: &[u8]) { todo!() }
    pub fn finish(self) -> Checksum { todo!() }
}
