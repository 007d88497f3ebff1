//! How to reach a store and how hard to push: one plain value, resolved in one place.
//!
//! Every setting is looked for in the same order: flag, `S3KIT_*`, `AWS_*`, profile, default. What won is kept, so that `-vv` can say it.
//! Files and the environment are read here and nowhere else; nothing is sent.

pub mod defaults;
pub mod flags;
mod resolve;

use crate::model::price::PriceTable;
use crate::s3::client::Payload;
use crate::s3::credentials::{Credentials, CredentialsError};
use crate::s3::endpoint::Endpoint;
use crate::transport::http::HttpConfig;
use crate::transport::retry::RetryPolicy;
pub use flags::{ColorChoice, ConnectionFlags, OutputFlags, PayloadChoice, StatsForm};

/// Reads a variable of the environment; a value so that tests need not touch the real one.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// All that is decided before the first request.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the store is.
    pub endpoint: Endpoint,
    /// Region signed for.
    pub region: String,
    /// Who signs; an error is one only to commands that send something.
    pub credentials: Result<Credentials, NoCredentials>,
    /// Timeouts and roots.
    pub http: HttpConfig,
    /// How hard to try.
    pub retry: RetryPolicy,
    /// How uploads are proven.
    pub payload: Payload,
    /// `x-amz-request-payer: requester`.
    pub request_payer: bool,
    /// Requests in flight to start with, and at most.
    pub requests: std::ops::RangeInclusive<usize>,
    /// Objects worked on at once and sizes of pieces.
    pub transfer: Transfer,
    /// What requests cost.
    pub prices: PriceTable,
    /// What won: `(setting, value, source)`, without secrets.
    pub origins: Vec<Origin>,
}

/// Sizes and bounds of moving bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// Objects worked on at once, at most.
    pub jobs: usize,
    /// Budget for bodies in flight, in bytes.
    pub memory: u64,
    /// Part length of uploads and ranges of downloads, in bytes.
    pub part_size: u64,
    /// Size from which uploads and copies go in parts, in bytes.
    pub multipart_threshold: u64,
}

/// Where a setting came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// `region`, `endpoint` …
    pub setting: &'static str,
    /// Its value, fit to be shown.
    pub value: String,
    /// `--region`, `AWS_REGION`, `profile 'x'`, `default`.
    pub source: String,
}

/// A setting that cannot be used; the text names the option or variable. A usage error: exit 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A value that does not parse or is out of range.
    #[error("{source_name}: {reason}")]
    Invalid {
        /// `--region`, `AWS_REGION` …
        source_name: String,
        /// Why.
        reason: String,
    },
    /// The profile or its files.
    #[error(transparent)]
    Profile(#[from] CredentialsError),
}

/// Nobody to sign with. Exit 3.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCredentials {
    /// Nothing was found; carries what was tried.
    #[error("no credentials found (tried {})", .0.join(", "))]
    NotFound(Vec<String>),
    /// Something was found that cannot be used.
    #[error(transparent)]
    Unusable(CredentialsError),
}

impl Settings {
    /// Resolves everything. Reads the AWS config files; sends nothing.
    pub fn load(connection: &ConnectionFlags, output: &OutputFlags, env: Env<'_>) -> Result<Self, SettingsError> {
        resolve::settings(connection, output, env)
    }

    /// What a client of this store needs.
    pub fn client_config(&self) -> Result<crate::s3::Config, NoCredentials> {
        Ok(crate::s3::Config {
            endpoint: self.endpoint.clone(),
            region: self.region.clone(),
            credentials: self.credentials.clone()?,
            retry: self.retry.clone(),
            request_payer: self.request_payer,
            expected_bucket_owner: None,
            payload: self.payload,
        })
    }
}
