//! Which host and path a bucket has: AWS regions, custom endpoints, path style and virtual-hosted style.

/// How the bucket is written into the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Addressing {
    /// Path style for custom endpoints, IP hosts and names that are not DNS labels; else virtual-hosted.
    #[default]
    Auto,
    /// `https://host/bucket/key`.
    Path,
    /// `https://bucket.host/key`.
    Virtual,
}

/// A store's address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Endpoint {
    /// `None` is AWS in the config's region; `Some` is `scheme://host[:port][/base]`.
    pub url: Option<String>,
    /// Path or virtual-hosted style.
    pub addressing: Addressing,
}

/// Why an endpoint, region or bucket name cannot be used; the text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EndpointError(pub String);

impl Endpoint {
    /// A custom endpoint. `host:port` without a scheme is refused, as are a query, a fragment and user information.
    pub fn custom(url: &str, addressing: Addressing) -> Result<Self, EndpointError> {
        let _ = (url, addressing);
        todo!()
    }
    /// AWS itself.
    pub fn aws(addressing: Addressing) -> Self {
        Self { url: None, addressing }
    }
    /// Whether this is an AWS host (also one given by URL).
    pub fn is_aws(&self) -> bool {
        todo!()
    }
    /// Refuses regions that are not `[A-Za-z0-9-]{1,63}`.
    pub fn check_region(region: &str) -> Result<(), EndpointError> {
        let _ = region;
        todo!()
    }
}
