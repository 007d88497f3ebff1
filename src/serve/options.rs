//! What to serve, and why that may not be possible.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::faults::FaultSpec;
use super::latency::LatencySpec;
use super::throttle::ThrottleSpec;

/// Where the objects live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreKind {
    /// In memory, gone at the end.
    Memory,
    /// In a directory: created if absent, refused if it holds anything but a store.
    Dir(PathBuf),
}

/// Whose habits the endpoint has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Provider {
    /// Amazon S3.
    #[default]
    Aws,
    /// Cloudflare R2: all parts of an upload but the last must be of equal length.
    R2,
    /// Ceph RGW: no checksums, path style.
    Ceph,
    /// The least a client may meet: no start-after, no checksums, no aws-chunked bodies.
    Minimal,
}

impl Provider {
    /// Reads `aws`, `r2`, `ceph` or `minimal`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "aws" => Ok(Self::Aws),
            "r2" => Ok(Self::R2),
            "ceph" => Ok(Self::Ceph),
            "minimal" => Ok(Self::Minimal),
            _ => Err(format!("`{text}` is not one of aws, r2, ceph, minimal")),
        }
    }
}

/// Everything [`super::run`] needs to know.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address to listen on; port 0 lets the system choose.
    pub listen: SocketAddr,
    /// Where the objects live.
    pub store: StoreKind,
    /// Accept unsigned requests too. Signed ones are checked all the same.
    pub anonymous: bool,
    /// The access key that is accepted.
    pub access_key: String,
    /// Its secret.
    pub secret_key: String,
    /// How long answers take.
    pub latency: LatencySpec,
    /// How many requests are admitted a second.
    pub throttle: ThrottleSpec,
    /// What goes wrong on purpose.
    pub faults: FaultSpec,
    /// File that gets one JSON line a request, appended.
    pub request_log: Option<PathBuf>,
    /// Whose habits the endpoint has.
    pub provider: Provider,
    /// The region of buckets that name none.
    pub region: String,
    /// Generated listing that is served as the bucket `bench`, as in `flat:1000000`.
    pub synthetic: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            store: StoreKind::Memory,
            anonymous: false,
            access_key: "s3kit".into(),
            secret_key: "s3kit-secret".into(),
            latency: LatencySpec::default(),
            throttle: ThrottleSpec::default(),
            faults: FaultSpec::default(),
            request_log: None,
            provider: Provider::default(),
            region: "us-east-1".into(),
            synthetic: None,
        }
    }
}

/// Why the endpoint could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The directory is not a store and not empty.
    #[error("{} is not a store: it is not empty and has no `{marker}`", path.display(), marker = super::options::MARKER)]
    NotAStore {
        /// The directory.
        path: PathBuf,
    },
    /// The store cannot be opened.
    #[error("cannot open the store in {}: {reason}", path.display())]
    Store {
        /// The directory.
        path: PathBuf,
        /// What failed, in words.
        reason: String,
    },
    /// The request log cannot be written.
    #[error("cannot write the request log {}", path.display())]
    RequestLog {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The synthetic listing asked for does not exist.
    #[error("{0}")]
    Synthetic(String),
}

/// The file that marks a directory as a store.
pub(super) const MARKER: &str = "s3kit-store";
