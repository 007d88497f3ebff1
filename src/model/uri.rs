//! Names of places in S3: `s3://bucket/key`.
//!
//! Parsing happens once, at the edge. A key is any non-empty UTF-8 string of at most 1,024 bytes and is never normalised:
//! `..`, `//`, a leading `/`, `%2e` and control characters are ordinary bytes of a name.

/// A bucket and, below it, a key or a prefix (empty: the whole bucket). Which of the two it is depends on who holds it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct S3Uri {
    /// Bucket name (or access point alias): no `/`, not empty.
    pub bucket: String,
    /// Key or prefix, raw and unescaped; empty means the bucket itself.
    pub key: String,
}

/// Why a text is not an S3 URI.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UriError {
    /// No `s3://` at the start.
    #[error("not an s3:// URI")]
    Scheme,
    /// `s3://` without a bucket, or a bucket name with a character no store allows.
    #[error("no valid bucket name")]
    Bucket,
    /// Key longer than S3's 1,024 bytes; carries the length.
    #[error("key of {0} bytes; S3 allows 1,024")]
    KeyTooLong(usize),
}

impl S3Uri {
    /// Reads `s3://bucket`, `s3://bucket/` or `s3://bucket/key`. Nothing is decoded.
    pub fn parse(_text: &str) -> Result<Self, UriError> { todo!() }
    /// As [`Self::parse`], and also `bucket` or `bucket/prefix` without the scheme (`ls` only).
    pub fn parse_lenient(_text: &str) -> Result<Self, UriError> { todo!() }
    /// Builds from parts that are already valid.
    pub fn new(bucket: impl Into<String>, key: impl Into<String>) -> Self { Self { bucket: bucket.into(), key: key.into() } }
}
/// Writes `s3://bucket/key`, raw.
impl std::fmt::Display for S3Uri { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "s3://{}/{}", self.bucket, self.key) } }
