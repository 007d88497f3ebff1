//! One attempt that failed: read from an answer or from the wire, and classed for trying again.

use super::header::{header, http_date};
use super::xml::{Xml, XmlError};
use super::{Error, Kind};
use crate::transport::http::{HttpError, HttpErrorKind};
use crate::transport::retry::Class;
use http::{HeaderMap, StatusCode};
use std::time::Duration;

/// Why an attempt failed. Becomes an [`Error`] when no attempt is left.
#[derive(Debug)]
pub struct Failure {
    /// What trying again would bring.
    pub class: Class,
    /// What it means to the caller.
    pub kind: Kind,
    /// Status, if there was an answer.
    pub status: Option<u16>,
    /// S3's code, or one of ours.
    pub code: String,
    /// For people.
    pub message: String,
    /// What else the answer's headers and document say.
    pub told: Box<Told>,
    /// What caused it.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What an answer says besides its code and message.
#[derive(Debug, Default)]
pub struct Told {
    /// `x-amz-request-id`.
    pub request_id: Option<String>,
    /// `x-amz-id-2`.
    pub host_id: Option<String>,
    /// How long the store wishes to be left alone.
    pub retry_after: Option<Duration>,
    /// The region the store says the bucket is in.
    pub region: Option<String>,
    /// The store's clock, seconds since 1970.
    pub server_time: Option<i64>,
}

impl Failure {
    /// A failure of our own finding.
    pub fn new(class: Class, kind: Kind, code: &str, message: impl Into<String>) -> Self {
        Self {
            class,
            kind,
            status: None,
            code: code.into(),
            message: message.into(),
            told: Box::default(),
            source: None,
        }
    }

    /// An answer that breaks the protocol, as a cut transfer or a tired proxy makes them: worth another try.
    pub fn bad_answer(message: impl Into<String>) -> Self {
        Self::new(Class::Transient, Kind::Protocol, "BadResponse", message)
    }

    /// An answer that would break the protocol again.
    pub fn unusable_answer(message: impl Into<String>) -> Self {
        Self::new(Class::Fatal, Kind::Protocol, "BadResponse", message)
    }

    /// A request that must not be sent.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(Class::Fatal, Kind::Fatal, "Refused", message)
    }

    /// Fills in what an answer's headers say about where it came from.
    #[must_use]
    pub fn with_headers(mut self, status: u16, headers: &HeaderMap) -> Self {
        self.status = Some(status);
        self.told.request_id = header(headers, "x-amz-request-id");
        self.told.host_id = header(headers, "x-amz-id-2");
        self
    }

    /// Reads an answer that is not a success, or a success whose body is an `<Error>`.
    pub fn of_answer(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let said = Said::read(body);
        let code = said.code.unwrap_or_else(|| code_of(status).into());
        let (class, kind) = classify(status, &code);
        let message = said.message.filter(|text| !text.is_empty()).unwrap_or_else(|| message_of(status));
        let mut failure = Self::new(class, kind, &code, message).with_headers(status, headers);
        let told = &mut failure.told;
        told.request_id = told.request_id.take().or(said.request_id);
        told.host_id = told.host_id.take().or(said.host_id);
        told.retry_after = retry_after(headers);
        told.region = header(headers, "x-amz-bucket-region").or(said.region);
        told.server_time = server_time(headers);
        failure
    }

    /// Reads a failure below HTTP.
    pub fn of_http(error: HttpError) -> Self {
        use HttpErrorKind as H;
        let (class, kind, code) = match error.kind {
            H::Resolve => (Class::Unresolved, Kind::Transient, "ConnectFailed"),
            H::Connect => (Class::Transient, Kind::Transient, "ConnectFailed"),
            H::Tls => (Class::Fatal, Kind::Fatal, "Tls"),
            H::Timeout | H::TooSlow => (Class::Transient, Kind::Transient, "Timeout"),
            H::Closed => (Class::Closed, Kind::Transient, "ConnectionReset"),
            H::Incomplete => (Class::Transient, Kind::Transient, "ConnectionReset"),
            H::Protocol => (Class::Transient, Kind::Protocol, "BadResponse"),
            H::Refused => (Class::Fatal, Kind::Fatal, "Refused"),
        };
        let mut failure = Self::new(class, kind, code, error.message.clone());
        failure.source = Some(Box::new(error));
        failure
    }

    /// Whether the store may have done what was asked although we were not told.
    pub fn leaves_doubt(&self) -> bool {
        matches!(self.class, Class::Transient | Class::Closed) && self.code != "ConnectFailed"
    }

    /// The error of an operation that has no attempt left.
    pub fn into_error(
        self,
        operation: &'static str,
        place: (&str, &str),
        attempts: u32,
        elapsed: Duration,
    ) -> Box<Error> {
        Box::new(Error {
            kind: self.kind,
            operation,
            bucket: place.0.to_owned(),
            key: place.1.to_owned(),
            status: self.status,
            code: self.code,
            message: self.message,
            request_id: self.told.request_id,
            host_id: self.told.host_id,
            attempts,
            elapsed,
            source: self.source,
        })
    }
}

impl From<XmlError> for Failure {
    fn from(error: XmlError) -> Self {
        Self::bad_answer(error.to_string())
    }
}

/// What an error document says.
#[derive(Debug, Default)]
struct Said {
    code: Option<String>,
    message: Option<String>,
    request_id: Option<String>,
    host_id: Option<String>,
    region: Option<String>,
}

impl Said {
    /// Takes what can be read, also of a document that is cut or not one at all.
    fn read(body: &[u8]) -> Self {
        let mut said = Self::default();
        if let Ok(mut xml) = Xml::open(&String::from_utf8_lossy(body)) {
            let _ = said.walk(&mut xml);
        }
        said
    }

    fn walk(&mut self, xml: &mut Xml<'_>) -> Result<(), XmlError> {
        while let Some(name) = xml.child()? {
            let field = match name {
                "Code" => &mut self.code,
                "Message" => &mut self.message,
                "RequestId" => &mut self.request_id,
                "HostId" => &mut self.host_id,
                "Region" => &mut self.region,
                // Some gateways wrap it: <ErrorResponse><Error>.
                "Error" => {
                    self.walk(xml)?;
                    continue;
                }
                _ => {
                    xml.skip()?;
                    continue;
                }
            };
            *field = Some(xml.text()?.trim().to_owned()).filter(|text| !text.is_empty());
        }
        Ok(())
    }
}

/// Class and kind by S3's code first, for it also comes inside a 200; by status where the code says nothing.
fn classify(status: u16, code: &str) -> (Class, Kind) {
    match code {
        "SlowDown"
        | "ServiceUnavailable"
        | "Throttling"
        | "ThrottlingException"
        | "ThrottledException"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "TooManyRequests"
        | "TooManyRequestsException"
        | "RequestLimitExceeded"
        | "BandwidthLimitExceeded"
        | "SlowDownRead"
        | "SlowDownWrite" => (Class::Throttle, Kind::Throttle),
        "InternalError"
        | "InternalErrors"
        | "RequestTimeout"
        | "RequestTimeoutException"
        | "PriorRequestNotComplete" => (Class::Transient, Kind::Transient),
        "OperationAborted" | "ConditionalRequestConflict" => (Class::Transient, Kind::Precondition),
        "BadDigest" | "IncompleteBody" | "XAmzContentSHA256Mismatch" => (Class::Corrupt, Kind::Fatal),
        "PreconditionFailed" | "NotModified" => (Class::Fatal, Kind::Precondition),
        "NoSuchKey" | "NoSuchBucket" | "NoSuchUpload" | "NoSuchVersion" | "NotFound" => (Class::Fatal, Kind::NotFound),
        "AccessDenied"
        | "ExpiredToken"
        | "ExpiredTokenException"
        | "InvalidToken"
        | "InvalidAccessKeyId"
        | "SignatureDoesNotMatch"
        | "RequestTimeTooSkewed"
        | "AllAccessDisabled"
        | "AccountProblem"
        | "Forbidden"
        | "NotSignedUp"
        | "InvalidSecurity"
        | "MissingSecurityHeader"
        | "TokenRefreshRequired" => (Class::Fatal, Kind::Auth),
        _ => classify_status(status),
    }
}

fn classify_status(status: u16) -> (Class, Kind) {
    match status {
        429 | 503 | 509 => (Class::Throttle, Kind::Throttle),
        408 | 500 | 502 | 504 => (Class::Transient, Kind::Transient),
        304 | 409 | 412 => (Class::Fatal, Kind::Precondition),
        404 => (Class::Fatal, Kind::NotFound),
        401 | 403 => (Class::Fatal, Kind::Auth),
        _ => (Class::Fatal, Kind::Fatal),
    }
}

/// A code for an answer without a body, which is every answer to HEAD.
fn code_of(status: u16) -> &'static str {
    match status {
        301 => "PermanentRedirect",
        307 => "TemporaryRedirect",
        304 => "NotModified",
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        408 => "RequestTimeout",
        409 => "Conflict",
        411 => "MissingContentLength",
        412 => "PreconditionFailed",
        416 => "InvalidRange",
        429 => "TooManyRequests",
        500 => "InternalError",
        501 => "NotImplemented",
        502 => "BadGateway",
        503 => "ServiceUnavailable",
        504 => "GatewayTimeout",
        200..=299 => "BadResponse",
        _ => "UnexpectedStatus",
    }
}

fn message_of(status: u16) -> String {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    match (status, reason) {
        (301 | 307, _) => "the bucket is in another region or at another endpoint".into(),
        (403, _) => "access denied, or it does not exist and listing is denied".into(),
        (_, Some(reason)) => format!("HTTP {status} {reason}"),
        (_, None) => format!("HTTP {status}"),
    }
}

/// Seconds in `Retry-After` (dates are not used by any store), or milliseconds in AWS' own header.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name| header(headers, name)?.trim().parse::<u64>().ok();
    number("x-amz-retry-after").map(Duration::from_millis).or_else(|| number("retry-after").map(Duration::from_secs))
}

/// The store's clock, unless a cache may have kept the answer.
fn server_time(headers: &HeaderMap) -> Option<i64> {
    if headers.contains_key("age") {
        return None;
    }
    Some(http_date(&header(headers, "date")?)?.as_second())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(status: u16, body: &str) -> Failure {
        Failure::of_answer(status, &HeaderMap::new(), body.as_bytes())
    }

    #[test]
    fn the_document_is_read_wherever_it_is_and_however_cut() {
        let whole = of(
            404,
            "\n<Error><Code>NoSuchKey</Code><Message>The &lt;key&gt;</Message><Key>k</Key><RequestId>R</RequestId></Error>",
        );
        assert_eq!((whole.code.as_str(), whole.message.as_str()), ("NoSuchKey", "The <key>"));
        assert_eq!(whole.told.request_id.as_deref(), Some("R"));
        assert_eq!(of(403, "<Error><Code>AccessDenied</Code><Mess").code, "AccessDenied");
        assert_eq!(of(503, "<ErrorResponse><Error><Code>SlowDown</Code></Error></ErrorResponse>").code, "SlowDown");
        assert_eq!(of(502, "<html>Bad gateway</html>").code, "BadGateway");
    }

    #[test]
    fn each_failure_has_the_class_and_kind_its_meaning_asks_for() {
        let table = [
            (503, "SlowDown", Class::Throttle, Kind::Throttle),
            (503, "", Class::Throttle, Kind::Throttle),
            (429, "", Class::Throttle, Kind::Throttle),
            (200, "InternalError", Class::Transient, Kind::Transient),
            (200, "SlowDown", Class::Throttle, Kind::Throttle),
            (200, "AccessDenied", Class::Fatal, Kind::Auth),
            (500, "", Class::Transient, Kind::Transient),
            (503, "InternalError", Class::Transient, Kind::Transient),
            (400, "RequestTimeout", Class::Transient, Kind::Transient),
            (400, "BadDigest", Class::Corrupt, Kind::Fatal),
            (400, "InvalidArgument", Class::Fatal, Kind::Fatal),
            (400, "ExpiredToken", Class::Fatal, Kind::Auth),
            (403, "", Class::Fatal, Kind::Auth),
            (404, "", Class::Fatal, Kind::NotFound),
            (404, "NoSuchBucket", Class::Fatal, Kind::NotFound),
            (409, "BucketNotEmpty", Class::Fatal, Kind::Precondition),
            (409, "OperationAborted", Class::Transient, Kind::Precondition),
            (412, "", Class::Fatal, Kind::Precondition),
            (501, "NotImplemented", Class::Fatal, Kind::Fatal),
        ];
        for (status, code, class, kind) in table {
            let body = if code.is_empty() { String::new() } else { format!("<Error><Code>{code}</Code></Error>") };
            let failure = of(status, &body);
            assert_eq!((failure.class, failure.kind), (class, kind), "{status} {code}");
        }
    }

    #[test]
    fn the_stores_wishes_and_hints_are_taken_from_its_headers() {
        let mut headers = HeaderMap::new();
        headers.insert("retry-after", "3".parse().unwrap());
        headers.insert("x-amz-bucket-region", "eu-west-1".parse().unwrap());
        headers.insert("date", "Thu, 01 Jan 1970 00:01:00 GMT".parse().unwrap());
        let failure = Failure::of_answer(301, &headers, b"");
        assert_eq!(failure.told.retry_after, Some(Duration::from_secs(3)));
        assert_eq!(failure.told.region.as_deref(), Some("eu-west-1"));
        assert_eq!(failure.told.server_time, Some(60));
        headers.insert("x-amz-retry-after", "250".parse().unwrap());
        headers.insert("age", "5".parse().unwrap());
        let failure = Failure::of_answer(503, &headers, b"");
        assert_eq!((failure.told.retry_after, failure.told.server_time), (Some(Duration::from_millis(250)), None));
    }
}
