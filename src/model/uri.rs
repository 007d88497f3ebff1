//! Names of places in S3: `s3://bucket/key`.
//!
//! Parsing happens once, at the edge. A key is any non-empty UTF-8 string of at most 1,024 bytes and is never normalised:
//! `..`, `//`, a leading `/`, `%2e` and control characters are ordinary bytes of a name.

/// How every URI starts.
pub const SCHEME: &str = "s3://";

/// S3's longest key, in bytes.
pub const MAX_KEY: usize = 1024;

/// Buckets created before S3 asked for DNS names could be this long.
const MAX_BUCKET: usize = 255;

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
    pub fn parse(text: &str) -> Result<Self, UriError> {
        Self::parse_path(text.strip_prefix(SCHEME).ok_or(UriError::Scheme)?)
    }

    /// As [`Self::parse`], and also `bucket` or `bucket/prefix` without the scheme (`ls` only).
    pub fn parse_lenient(text: &str) -> Result<Self, UriError> {
        Self::parse_path(text.strip_prefix(SCHEME).unwrap_or(text))
    }

    /// Builds from parts that are already valid.
    pub fn new(bucket: impl Into<String>, key: impl Into<String>) -> Self {
        Self { bucket: bucket.into(), key: key.into() }
    }

    fn parse_path(path: &str) -> Result<Self, UriError> {
        let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
        if !is_bucket(bucket) {
            return Err(UriError::Bucket);
        }
        if key.len() > MAX_KEY {
            return Err(UriError::KeyTooLong(key.len()));
        }
        Ok(Self::new(bucket, key))
    }
}

/// Whether some store may have a bucket of that name. Wider than S3's present rules, because old buckets have capitals and `_` and
/// other stores allow more; `:` is Ceph's `tenant:bucket`. ARNs are refused: they hold `/`, so bucket and key could not be told apart.
fn is_bucket(name: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    // A bucket `..` would be taken for a path step by proxies and URL parsers.
    let dots = name.bytes().all(|byte| byte == b'.');
    !dots && name.len() <= MAX_BUCKET && name.bytes().all(legal) && !name.starts_with("arn:")
}

/// Writes `s3://bucket/key`, raw.
impl std::fmt::Display for S3Uri {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.bucket, self.key)
    }
}

impl std::str::FromStr for S3Uri {
    type Err = UriError;

    fn from_str(text: &str) -> Result<Self, UriError> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_may_be_named_with_or_without_its_slash() {
        let bucket = S3Uri::new("b", "");
        assert_eq!(S3Uri::parse("s3://b"), Ok(bucket.clone()));
        assert_eq!(S3Uri::parse("s3://b/"), Ok(bucket.clone()));
        assert_eq!(bucket.to_string(), "s3://b/");
    }

    #[test]
    fn keys_are_taken_byte_for_byte() {
        for key in ["a", "/a", "//", "../x", "a/./b", "%2e%2E", "?x#y", " a ", "\\", "a\nb\u{8}", "ключ/😀", "s3://b/k"]
        {
            let uri = S3Uri::new("my-bucket", key);
            assert_eq!(S3Uri::parse(&uri.to_string()), Ok(uri));
        }
    }

    #[test]
    fn only_the_lenient_form_goes_without_a_scheme() {
        assert_eq!(S3Uri::parse("b/p"), Err(UriError::Scheme));
        assert_eq!(S3Uri::parse("S3://b/p"), Err(UriError::Scheme));
        assert_eq!(S3Uri::parse_lenient("b/p"), Ok(S3Uri::new("b", "p")));
        assert_eq!(S3Uri::parse_lenient("s3://b/p"), Ok(S3Uri::new("b", "p")));
    }

    #[test]
    fn impossible_bucket_names_are_refused() {
        let long = format!("s3://{}/k", "b".repeat(256));
        for text in [
            "s3://",
            "s3:///k",
            "s3://./k",
            "s3://../k",
            "s3://b b/k",
            "s3://b?x/k",
            "s3://é/k",
            "s3://arn:aws:s3/k",
            &long,
        ] {
            assert_eq!(S3Uri::parse(text), Err(UriError::Bucket), "{text}");
        }
        assert_eq!(S3Uri::parse("s3://tenant:Old_Bucket.1/k"), Ok(S3Uri::new("tenant:Old_Bucket.1", "k")));
    }

    #[test]
    fn a_key_ends_at_1024_bytes() {
        let key = "😀".repeat(256);
        assert_eq!(S3Uri::parse(&format!("s3://b/{key}")), Ok(S3Uri::new("b", key.clone())));
        assert_eq!(S3Uri::parse(&format!("s3://b/{key}x")), Err(UriError::KeyTooLong(1025)));
    }
}
