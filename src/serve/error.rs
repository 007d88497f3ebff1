//! S3's errors: code, status, message, and the XML body they are answered with.

use std::borrow::Cow;
use std::fmt;

use http::{HeaderName, HeaderValue, StatusCode};

use super::xml::Writer;

/// An error as a client sees it. The code decides status and message unless they are set.
#[derive(Debug)]
pub(super) struct ApiError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    status: StatusCode,
    code: Cow<'static, str>,
    message: Cow<'static, str>,
    extra: Vec<(&'static str, String)>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// Code, status, S3's usual message.
const CODES: &[(&str, u16, &str)] = &[
    ("AccessDenied", 403, "Access Denied"),
    ("AuthorizationHeaderMalformed", 400, "The authorization header you provided is invalid."),
    ("AuthorizationQueryParametersError", 400, "Error parsing the X-Amz-Credential parameter."),
    ("BadDigest", 400, "The Content-MD5 or checksum value that you specified did not match what the server received."),
    ("BadGateway", 502, "Bad gateway."),
    ("BadRequest", 400, "Bad Request"),
    ("BucketAlreadyExists", 409, "The requested bucket name is not available."),
    (
        "BucketAlreadyOwnedByYou",
        409,
        "Your previous request to create the named bucket succeeded and you already own it.",
    ),
    ("BucketNotEmpty", 409, "The bucket you tried to delete is not empty"),
    ("ConditionalRequestConflict", 409, "A conflicting operation occurred during the request."),
    ("EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed size"),
    ("EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size"),
    ("ExpiredToken", 400, "The provided token has expired."),
    ("GatewayTimeout", 504, "Gateway timeout."),
    (
        "IllegalLocationConstraintException",
        400,
        "The location constraint is incompatible for the region specific endpoint this request was sent to.",
    ),
    ("IncompleteBody", 400, "You did not provide the number of bytes specified by the Content-Length HTTP header"),
    ("InternalError", 500, "We encountered an internal error. Please try again."),
    ("InvalidArgument", 400, "Invalid Argument"),
    ("InvalidBucketName", 400, "The specified bucket is not valid."),
    ("InvalidDigest", 400, "The Content-MD5 you specified was invalid."),
    ("InvalidObjectState", 403, "The operation is not valid for the object's storage class"),
    (
        "InvalidPart",
        400,
        "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
    ),
    ("InvalidPartNumber", 416, "The requested partnumber is not satisfiable"),
    ("InvalidPartOrder", 400, "The list of parts was not in ascending order. Parts must be ordered by part number."),
    ("InvalidRange", 416, "The requested range is not satisfiable"),
    ("InvalidRequest", 400, "Invalid Request"),
    ("InvalidStorageClass", 400, "The storage class you specified is not valid"),
    ("InvalidTag", 400, "The tag provided was not a valid tag."),
    ("InvalidURI", 400, "Couldn't parse the specified URI."),
    ("KeyTooLongError", 400, "Your key is too long"),
    ("MalformedXML", 400, "The XML you provided was not well-formed or did not validate against our published schema"),
    ("MetadataTooLarge", 400, "Your metadata headers exceed the maximum allowed metadata size"),
    ("MethodNotAllowed", 405, "The specified method is not allowed against this resource."),
    ("MissingContentLength", 411, "You must provide the Content-Length HTTP header."),
    ("NoSuchBucket", 404, "The specified bucket does not exist"),
    ("NoSuchKey", 404, "The specified key does not exist."),
    (
        "NoSuchUpload",
        404,
        "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
    ),
    ("NoSuchVersion", 404, "The specified version does not exist."),
    ("NotImplemented", 501, "A header or parameter you provided implies functionality that is not implemented"),
    ("NotModified", 304, "Not Modified"),
    (
        "OperationAborted",
        409,
        "A conflicting conditional operation is currently in progress against this resource. Please try again.",
    ),
    (
        "PermanentRedirect",
        301,
        "The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.",
    ),
    ("PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold"),
    (
        "RequestTimeout",
        400,
        "Your socket connection to the server was not read from or written to within the timeout period.",
    ),
    ("RequestTimeTooSkewed", 403, "The difference between the request time and the current time is too large."),
    ("ServiceUnavailable", 503, "Service is unable to handle request."),
    (
        "SignatureDoesNotMatch",
        403,
        "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
    ),
    ("SlowDown", 503, "Please reduce your request rate."),
    ("TooManyBuckets", 400, "You have attempted to create more buckets than allowed"),
    ("TooManyRequests", 429, "Please reduce your request rate."),
    ("XAmzContentSHA256Mismatch", 400, "The provided 'x-amz-content-sha256' header does not match what was computed."),
];

impl ApiError {
    /// The error of this code, with S3's usual status and message; an unknown code is a 500.
    pub(super) fn of(code: impl Into<Cow<'static, str>>) -> Self {
        let code = code.into();
        let (status, message) = CODES
            .iter()
            .find(|(known, ..)| *known == code)
            .map_or((500, "Error"), |(_, status, message)| (*status, *message));
        let status = StatusCode::from_u16(status).expect("the table holds valid statuses");
        Self(Box::new(Inner { status, code, message: message.into(), extra: Vec::new(), headers: Vec::new() }))
    }

    /// The error a status usually means; the first code of the table that has it, S3's throttling code for 503.
    pub(super) fn of_status(status: u16, code: Option<&str>) -> Self {
        let usual = match status {
            400 => "InvalidRequest",
            404 => "NoSuchKey",
            409 => "OperationAborted",
            500 => "InternalError",
            503 => "SlowDown",
            _ => CODES.iter().find(|(_, known, _)| *known == status).map_or("InternalError", |(code, ..)| *code),
        };
        let mut error = Self::of(code.map_or(Cow::Borrowed(usual), |code| Cow::Owned(code.to_owned())));
        error.0.status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        error
    }

    /// `InvalidArgument` about a named argument.
    pub(super) fn argument(name: &'static str, value: &str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::of("InvalidArgument").message(message).with("ArgumentName", name).with("ArgumentValue", value)
    }

    /// `InvalidRequest` with a reason.
    pub(super) fn request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::of("InvalidRequest").message(message)
    }

    /// `InternalError` for a failure of the machine below.
    pub(super) fn internal(cause: &dyn fmt::Display) -> Self {
        Self::of("InternalError").message(format!("We encountered an internal error. Please try again. ({cause})"))
    }

    /// With another message.
    pub(super) fn message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.0.message = message.into();
        self
    }

    /// With one more element in the body.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.0.extra.push((name, value.into()));
        self
    }

    /// With a response header; values that cannot be one are left out.
    pub(super) fn header(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.0.headers.push((HeaderName::from_static(name), value));
        }
        self
    }

    /// The code.
    pub(super) fn code(&self) -> &str {
        &self.0.code
    }

    /// The message.
    pub(super) fn text(&self) -> &str {
        &self.0.message
    }

    /// The status.
    pub(super) fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Headers that go with it.
    pub(super) fn headers(&self) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
        self.0.headers.iter().map(|(name, value)| (name, value))
    }

    /// The `<Error>` document.
    pub(super) fn to_xml(&self, resource: &str, request_id: &str, host_id: &str) -> String {
        let mut xml = Writer::document();
        xml.open("Error");
        xml.text("Code", &self.0.code).text("Message", &self.0.message);
        for (name, value) in &self.0.extra {
            xml.text(name, value);
        }
        xml.text("Resource", resource).text("RequestId", request_id).text("HostId", host_id);
        xml.close("Error");
        xml.finish()
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_brings_its_status_and_an_unknown_one_is_a_500() {
        assert_eq!(ApiError::of("NoSuchKey").status(), StatusCode::NOT_FOUND);
        assert_eq!(ApiError::of("Nonsense").status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(ApiError::of_status(403, None).code(), "AccessDenied");
        assert_eq!(ApiError::of_status(400, Some("ExpiredToken")).code(), "ExpiredToken");
        assert_eq!(ApiError::of_status(502, None).code(), "BadGateway");
    }

    #[test]
    fn the_body_names_resource_and_request_and_escapes_both() {
        let xml = ApiError::of("NoSuchKey").with("Key", "a<b").to_xml("/b/a<b", "R", "H");
        assert!(
            xml.contains("<Key>a&lt;b</Key><Resource>/b/a&lt;b</Resource><RequestId>R</RequestId><HostId>H</HostId>"),
            "{xml}"
        );
    }
}
