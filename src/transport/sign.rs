//! SigV4 by aws-sigv4, in the form S3 wants it; time is an argument.
//!
//! The path is signed as it is sent: encoded once, never normalised. Only `host`, `x-amz-*`, the conditions, `range`, `content-md5` and
//! `content-type` are signed, for proxies (and one large store) rewrite other headers under way.

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{
    PayloadChecksumKind, PercentEncodingMode, SignableBody, SignableRequest, SigningSettings, UriPathNormalizationMode,
    sign,
};
use aws_sigv4::sign::v4;
use aws_smithy_runtime_api::client::identity::Identity;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use ring::digest;
use std::time::SystemTime;

/// Digest of a body of no bytes.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Bodies from this length on are digested on a thread of their own: a millisecond of work.
const LONG: usize = 1 << 20;

/// Signs with one set of keys.
#[derive(Debug, Clone)]
pub struct Signer {
    identity: Identity,
}

/// What the signature says of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// Nothing; something else (a checksum header, TLS) proves it.
    Unsigned,
    /// Its SHA-256, in hexadecimal.
    Sha256(String),
}

/// Why a request cannot be signed: a header that is not text, a broken URL.
#[derive(Debug, thiserror::Error)]
#[error("cannot sign: {0}")]
pub struct SignError(String);

impl Payload {
    /// Digests a body, off the reactor if it is long.
    pub async fn of(body: &[Bytes]) -> Self {
        let length: usize = body.iter().map(Bytes::len).sum();
        if length < LONG {
            return Self::Sha256(sha256(body));
        }
        let body = body.to_vec();
        match tokio::task::spawn_blocking(move || sha256(&body)).await {
            Ok(digest) => Self::Sha256(digest),
            Err(failed) => match failed.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime is shutting down and drops this task next; the request is never sent.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

fn sha256(body: &[Bytes]) -> String {
    if body.iter().all(Bytes::is_empty) {
        return EMPTY.into();
    }
    let mut context = digest::Context::new(&digest::SHA256);
    for piece in body {
        context.update(piece);
    }
    hex::encode(context.finish())
}

impl Signer {
    /// A signer for these keys.
    pub fn new(access_key_id: &str, secret_access_key: &str, session_token: Option<&str>) -> Self {
        let token = session_token.map(str::to_owned);
        Self { identity: Credentials::new(access_key_id, secret_access_key, token, None, "s3kit").into() }
    }

    /// Adds `authorization`, `x-amz-date`, `x-amz-content-sha256` and, for temporary keys, `x-amz-security-token`; headers of these
    /// names from an earlier attempt are replaced. `url` is scheme, authority, path and query as they will be sent.
    pub fn sign(
        &self,
        time: SystemTime,
        region: &str,
        method: &str,
        url: &str,
        headers: &mut HeaderMap,
        payload: &Payload,
    ) -> Result<(), SignError> {
        for added in ["authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"] {
            headers.remove(added);
        }
        let added = self.headers(time, region, method, url, headers, payload)?;
        for (name, value) in added {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| SignError(error.to_string()))?;
            let mut secret = HeaderValue::from_str(&value).map_err(|error| SignError(error.to_string()))?;
            secret.set_sensitive(name == http::header::AUTHORIZATION || name == "x-amz-security-token");
            headers.insert(name, secret);
        }
        Ok(())
    }

    fn headers(
        &self,
        time: SystemTime,
        region: &str,
        method: &str,
        url: &str,
        headers: &HeaderMap,
        payload: &Payload,
    ) -> Result<Vec<(&'static str, String)>, SignError> {
        let failed = |error: &dyn std::fmt::Display| SignError(error.to_string());
        let mut signed = Vec::with_capacity(headers.len());
        for (name, value) in headers.iter().filter(|(name, _)| is_signed(name.as_str())) {
            let value = std::str::from_utf8(value.as_bytes())
                .map_err(|_| SignError(format!("the value of header {name} is not UTF-8")))?;
            signed.push((name.as_str(), value));
        }
        let params = v4::SigningParams::builder()
            .identity(&self.identity)
            .region(region)
            .name("s3")
            .time(time)
            .settings(settings())
            .build()
            .map_err(|error| failed(&error))?
            .into();
        let body = match payload {
            Payload::Unsigned => SignableBody::UnsignedPayload,
            Payload::Sha256(digest) => SignableBody::Precomputed(digest.clone()),
        };
        let request = SignableRequest::new(method, url, signed.into_iter(), body).map_err(|error| failed(&error))?;
        let (instructions, _) = sign(request, &params).map_err(|error| failed(&error))?.into_parts();
        let (added, _) = instructions.into_parts();
        Ok(added.into_iter().map(|header| (header.name(), header.value().to_owned())).collect())
    }
}

fn is_signed(name: &str) -> bool {
    name.starts_with("x-amz-")
        || name.starts_with("if-")
        || matches!(name, "host" | "range" | "content-md5" | "content-type")
}

fn settings() -> SigningSettings {
    let mut settings = SigningSettings::default();
    settings.percent_encoding_mode = PercentEncodingMode::Single;
    settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
    settings.payload_checksum_kind = PayloadChecksumKind::XAmzSha256;
    settings
}
