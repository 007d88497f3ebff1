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
        let mut signed = Vec::with_capacity(headers.len());
        for (name, value) in headers.iter().filter(|(name, _)| is_signed(name.as_str())) {
            let value = std::str::from_utf8(value.as_bytes())
                .map_err(|_| SignError(format!("the value of header {name} is not UTF-8")))?;
            signed.push((name.as_str(), value));
        }
        let body = match payload {
            Payload::Unsigned => SignableBody::UnsignedPayload,
            Payload::Sha256(digest) => SignableBody::Precomputed(digest.clone()),
        };
        let request = SignableRequest::new(method, url, signed.into_iter(), body).map_err(|error| failed(&error))?;
        added(&self.identity, time, (region, "s3"), settings(), request)
    }
}

/// The headers that sign a request.
fn added(
    identity: &Identity,
    time: SystemTime,
    (region, service): (&str, &str),
    settings: SigningSettings,
    request: SignableRequest<'_>,
) -> Result<Vec<(&'static str, String)>, SignError> {
    let params = v4::SigningParams::builder()
        .identity(identity)
        .region(region)
        .name(service)
        .time(time)
        .settings(settings)
        .build()
        .map_err(|error| failed(&error))?
        .into();
    let (instructions, _) = sign(request, &params).map_err(|error| failed(&error))?.into_parts();
    let (headers, _) = instructions.into_parts();
    Ok(headers.into_iter().map(|header| (header.name(), header.value().to_owned())).collect())
}

fn failed(error: &dyn std::fmt::Display) -> SignError {
    SignError(error.to_string())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr)]
    use super::*;
    use std::fmt::Write;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    /// 2013-05-24T00:00:00Z, the day of all examples in the S3 API reference.
    fn day() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_hours(380_376)
    }

    fn authorization(method: &str, url: &str, headers: &[(&str, &str)], payload: &Payload) -> String {
        let signer = Signer::new("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", None);
        let mut map: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap()))
            .collect();
        signer.sign(day(), "us-east-1", method, url, &mut map, payload).unwrap();
        map["authorization"].to_str().unwrap().to_owned()
    }

    fn signature(method: &str, url: &str, headers: &[(&str, &str)]) -> String {
        let text = authorization(method, url, headers, &Payload::Sha256(EMPTY.into()));
        text.rsplit_once("Signature=").unwrap().1.to_owned()
    }

    /// <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>
    #[test]
    fn the_examples_of_the_s3_reference_come_out_as_printed() {
        let host = "https://examplebucket.s3.amazonaws.com";
        assert_eq!(
            signature("GET", &format!("{host}/test.txt"), &[("range", "bytes=0-9")]),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        assert_eq!(
            signature("GET", &format!("{host}/?lifecycle"), &[]),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        );
        assert_eq!(
            signature("GET", &format!("{host}/?max-keys=2&prefix=J"), &[]),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        );
    }

    #[test]
    fn only_headers_that_no_proxy_touches_are_signed() {
        let headers = [
            ("x-amz-meta-a", "é  b"),
            ("content-type", "text/plain"),
            ("if-match", "\"e\""),
            ("content-length", "5"),
            ("accept-encoding", "identity"),
            ("user-agent", "x"),
            ("cache-control", "no-cache"),
        ];
        let text = authorization("PUT", "http://h:9000/b/k", &headers, &Payload::Unsigned);
        assert!(
            text.contains("SignedHeaders=content-type;host;if-match;x-amz-content-sha256;x-amz-date;x-amz-meta-a,"),
            "{text}"
        );
    }

    #[test]
    fn signing_again_replaces_the_headers_of_the_attempt_before() {
        let signer = Signer::new("AKID", "SECRET", Some("TOKEN"));
        let mut headers = HeaderMap::new();
        for minutes in [0, 1] {
            let time = day() + Duration::from_mins(minutes);
            signer.sign(time, "r", "GET", "http://h/k", &mut headers, &Payload::Unsigned).unwrap();
        }
        assert_eq!(headers.len(), 4);
        assert_eq!(headers["x-amz-date"], "20130524T000100Z");
        assert_eq!(headers["x-amz-security-token"], "TOKEN");
    }

    #[tokio::test]
    async fn a_body_has_one_digest_however_it_is_cut_and_wherever_it_is_made() {
        let long = vec![7_u8; LONG + 5];
        let whole = Payload::of(&[Bytes::from(long.clone())]).await;
        let cut = Payload::of(&[Bytes::copy_from_slice(&long[..9]), Bytes::copy_from_slice(&long[9..])]).await;
        assert_eq!(whole, cut);
        assert_eq!(Payload::of(&[Bytes::new()]).await, Payload::Sha256(EMPTY.into()));
        assert_eq!(Payload::of(&[]).await, Payload::Sha256(EMPTY.into()));
    }

    /// Cases of aws-sigv4's own suite, but those that want a path normalised or encoded twice, which S3 does not. They sit in the crate's source, if cargo keeps one.
    #[test]
    fn the_signing_suite_of_aws_agrees() {
        let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = cargo.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        let sources = home.map(|home| home.join("registry/src")).filter(|path| path.is_dir());
        let registries = sources.iter().flat_map(|path| std::fs::read_dir(path).unwrap().flatten());
        let crates = registries.flat_map(|registry| std::fs::read_dir(registry.path()).unwrap().flatten());
        let suites = crates.map(|entry| entry.path().join("aws-signing-test-suite/v4")).filter(|path| path.is_dir());
        let cases: Vec<PathBuf> =
            suites.flat_map(|suite| std::fs::read_dir(suite).unwrap().flatten()).map(|case| case.path()).collect();
        let run = cases.iter().filter(|case| check(case).is_some()).count();
        eprintln!("{run} of {} cases of the signing suite apply and agree", cases.len());
        assert!(cases.is_empty() || run >= 25, "only {run} of {} cases apply", cases.len());
    }

    /// Signs one case; `None` if it is about something that S3's form of signing leaves out.
    fn check(case: &Path) -> Option<()> {
        let read = |name: &str| std::fs::read_to_string(case.join(name)).ok();
        let context: serde_json::Value = serde_json::from_str(&read("context.json")?).unwrap();
        let (request, expected) = (read("request.txt")?, read("header-signature.txt")?);
        let (head, body) = request.split_once("\n\n").unwrap_or((&request, ""));
        let lines: Vec<&str> = head.lines().collect();
        let (method, rest) = lines[0].split_once(' ').unwrap();
        let target = rest.rsplit_once(' ').unwrap().0;
        let normalised = context["normalize"] == true && ["//", "/."].iter().any(|odd| target.contains(odd));
        let doubled = case.file_name().is_some_and(|name| name.to_string_lossy().starts_with("double"));
        // A folded header cannot be sent by any client today.
        let folded = lines.iter().any(|line| line.starts_with(' '));
        if normalised || doubled || folded || context["omit_session_token"] == true {
            return None;
        }
        let headers: Vec<(String, &str)> =
            lines[1..].iter().map(|line| line.split_once(':').unwrap()).map(|(n, v)| (n.to_lowercase(), v)).collect();
        let host = headers.iter().find(|(name, _)| name == "host").unwrap().1;
        let url = format!("https://{host}{}", percent(target));
        let credentials = &context["credentials"];
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let identity = Credentials::new(
            text(&credentials["access_key_id"]).unwrap(),
            text(&credentials["secret_access_key"]).unwrap(),
            text(&credentials["token"]),
            None,
            "test",
        )
        .into();
        let mut settings = settings();
        if context["sign_body"] == false {
            settings.payload_checksum_kind = PayloadChecksumKind::NoHeader;
        }
        let time: jiff::Timestamp = context["timestamp"].as_str().unwrap().parse().unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(time.as_second().unsigned_abs());
        let signed = headers.iter().map(|(name, value)| (name.as_str(), *value));
        let request = SignableRequest::new(method, &url, signed, SignableBody::Bytes(body.as_bytes())).unwrap();
        let place = (context["region"].as_str().unwrap(), context["service"].as_str().unwrap());
        let added = added(&identity, time, place, settings, request).unwrap();
        let authorization = &added.iter().find(|(name, _)| *name == "authorization").unwrap().1;
        assert_eq!(authorization.rsplit_once("Signature=").unwrap().1, expected.trim(), "{}", case.display());
        Some(())
    }

    /// The suite writes some targets as they are not sent.
    fn percent(target: &str) -> String {
        let mut out = String::new();
        for byte in target.bytes() {
            match byte {
                b' ' | 0x80.. => drop(write!(out, "%{byte:02X}")),
                _ => out.push(char::from(byte)),
            }
        }
        out
    }
}
