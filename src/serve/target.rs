//! What a request addresses: bucket and key from the path, exactly as sent, and the query's parameters.
//!
//! Nothing is normalised: dot segments, doubled and leading slashes, control characters are all part of the key.

use percent_encoding::percent_decode_str;

/// Bucket and key of a path-style request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The service itself, `/`.
    Service,
    /// A bucket: `/bucket` or `/bucket/`.
    Bucket(String),
    /// An object: `/bucket/key`, the key being all that follows the slash.
    Object(String, String),
}

impl Target {
    /// Reads a path. `None` if it does not decode to UTF-8.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
        let bucket = decode(bucket)?;
        let key = decode(key)?;
        Some(match (bucket.is_empty(), key.is_empty()) {
            (true, true) => Self::Service,
            (_, true) => Self::Bucket(bucket),
            _ => Self::Object(bucket, key),
        })
    }

    /// The bucket, if one is addressed.
    pub(super) fn bucket(&self) -> Option<&str> {
        match self {
            Self::Service => None,
            Self::Bucket(bucket) | Self::Object(bucket, _) => Some(bucket),
        }
    }

    /// The key, if an object is addressed.
    pub(super) fn key(&self) -> Option<&str> {
        match self {
            Self::Object(_, key) => Some(key),
            _ => None,
        }
    }
}

/// The parameters of a query, decoded, in the order sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads a query. Bytes that do not decode to UTF-8 are replaced; the signature check has refused such queries before it matters.
    pub(super) fn parse(query: &str) -> Self {
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode_plus(name), decode_plus(value))
        });
        Self(pairs.collect())
    }

    /// The pairs themselves.
    pub(super) fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }

    /// Whether a parameter is there, with or without a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// A parameter's value; empty if it was given without one.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn decode(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// In a query, a plus sign is a space, as S3 reads it.
fn decode_plus(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_key_is_every_byte_after_the_bucket() {
        for (path, key) in [
            ("/b/../c", "../c"),
            ("/b/%2E%2E/c", "../c"),
            ("/b//x", "/x"),
            ("/b/a//b/", "a//b/"),
            ("/b/a%0Ab%01", "a\nb\u{1}"),
            ("/b/a+b", "a+b"),
            ("/b/%F0%9F%98%80", "😀"),
        ] {
            assert_eq!(Target::parse(path), Some(Target::Object("b".into(), key.into())), "{path}");
        }
    }

    #[test]
    fn a_path_that_is_not_utf8_is_nothing() {
        assert_eq!(Target::parse("/b/%FF"), None);
    }

    #[test]
    fn a_bucket_may_end_in_a_slash_and_the_service_is_a_slash() {
        assert_eq!(Target::parse("/b/"), Some(Target::Bucket("b".into())));
        assert_eq!(Target::parse("/"), Some(Target::Service));
    }

    #[test]
    fn query_values_decode_plus_as_space() {
        let query = Query::parse("prefix=a+b%2Bc&uploads&x=%2F");
        assert_eq!(query.get("prefix"), Some("a b+c"));
        assert!(query.has("uploads"));
        assert_eq!(query.get("x"), Some("/"));
        assert_eq!(query.get("y"), None);
    }
}
