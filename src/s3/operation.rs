//! What an S3 operation is to the client: a request as data, and the reading of its answer. No I/O.

use super::encode;
use super::failure::Failure;
use super::header::header;
use super::ops::ObjectHead;
use super::xml::Xml;
use crate::model::checksum::Checksum;
use crate::transport::http::Patience;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};

/// What an operation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The store itself.
    Service,
    /// A bucket.
    Bucket,
    /// A key; it must not be empty, for then the request would be about the bucket.
    Object,
}

/// What a request may depend on besides its operation.
#[derive(Debug, Clone, Copy)]
pub struct Store<'a> {
    /// Whether it is AWS, which knows headers that others refuse.
    pub aws: bool,
    /// Its region.
    pub region: &'a str,
}

/// One S3 operation: what its request says and what its answer means.
pub trait Operation: Sync {
    /// What success means.
    type Output: Send;
    /// S3's name of it.
    const NAME: &'static str;
    /// What it is about.
    const LEVEL: Level = Level::Object;
    /// Longest answer that is read.
    const LONGEST: usize = 1 << 20;

    /// Bucket, empty for the service.
    fn bucket(&self) -> &str;
    /// Key, empty for buckets.
    fn key(&self) -> &str {
        Default::default()
    }
    /// The request.
    fn request(&self, store: Store<'_>) -> Parts;
    /// The meaning of a successful answer.
    fn parse(&self, answer: &Answer) -> Result<Self::Output, Failure>;
    /// A failure as this operation sees it, before anything is decided on it.
    fn judge(&self, failure: Failure) -> Failure {
        failure
    }
    /// A failure that is a success after all; `lost` says that an earlier attempt may have done the work unseen.
    fn forgive(&self, _failure: &Failure, _lost: bool) -> Option<Self::Output> {
        None
    }
    /// Whether this failure, after a lost answer, may come from our own success; then [`Self::settle`] is asked.
    fn is_doubtful(&self, _failure: &Failure) -> bool {
        false
    }
    /// The success that the object now at the key proves, if it does.
    fn settle(&self, _head: &ObjectHead) -> Option<Self::Output> {
        None
    }
    /// The failure to report when the object at the key proves nothing.
    fn unsettled(&self, failure: Failure) -> Failure {
        failure
    }
}

/// A request as data, built in one chain. A value that cannot be sent is remembered and reported when the chain ends.
#[derive(Debug)]
pub struct Parts {
    pub(super) method: Method,
    pub(super) query: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<Bytes>,
    pub(super) patience: Patience,
    pub(super) checksum: bool,
    pub(super) problem: Option<String>,
}

impl Parts {
    /// A request without a body.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            query: String::new(),
            headers: HeaderMap::new(),
            body: Vec::new(),
            patience: Patience::Usual,
            checksum: false,
            problem: None,
        }
    }

    /// Adds a sub-resource: a bare name in the query.
    #[must_use]
    pub fn resource(mut self, name: &str) -> Self {
        encode::push_query(&mut self.query, name, None);
        self
    }

    /// Adds `name=value` to the query.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        encode::push_query(&mut self.query, name, Some(value));
        self
    }

    /// Adds `name=value` to the query if there is a value.
    #[must_use]
    pub fn maybe_query(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Sets a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
        match parsed {
            Some((name, value)) => drop(self.headers.insert(name, value)),
            None => {
                let (name, value) = (name.escape_default(), value.escape_default());
                self.problem = Some(format!("'{name}: {value}' cannot be a header"));
            }
        }
        self
    }

    /// Sets a header if there is a value.
    #[must_use]
    pub fn maybe_header(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.header(name, value),
            None => self,
        }
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: Vec<Bytes>) -> Self {
        self.body = body;
        self
    }

    /// Sets the header by which the store verifies the body; then the payload need not be signed as well.
    #[must_use]
    pub fn checksum(mut self, checksum: Option<&Checksum>) -> Self {
        self.checksum = checksum.is_some();
        match checksum {
            Some(checksum) => self.header(checksum.algorithm().header(), &checksum.base64()),
            None => self,
        }
    }

    /// Says how long the answer may take.
    #[must_use]
    pub fn patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }
}

/// A successful answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    /// Status, 2xx.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
}

impl Answer {
    /// A header as text.
    pub fn header(&self, name: &str) -> Option<String> {
        header(&self.headers, name)
    }

    /// The body's document, which must have this root.
    pub fn xml(&self, root: &str) -> Result<Xml<'_>, Failure> {
        let text = std::str::from_utf8(&self.body).map_err(|error| {
            let start = error.valid_up_to().saturating_sub(80);
            let near = String::from_utf8_lossy(&self.body[start..error.valid_up_to()]).into_owned();
            Failure::unusable_answer(format!("the answer is not UTF-8 after '{}'", near.escape_debug()))
        })?;
        let xml = Xml::open(text)?;
        if xml.name() != root {
            return Err(Failure::bad_answer(format!("<{}> where <{root}> was due", xml.name().escape_debug())));
        }
        Ok(xml)
    }

    /// Whether the body is an error document, whatever the status says.
    pub(super) fn is_error(&self) -> bool {
        let blank = self.body.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte >= 0x80).count();
        if self.body.get(blank) != Some(&b'<') {
            return false;
        }
        // The root is within the first kilobyte or so; the rest need not be UTF-8 for it to be seen.
        let head = String::from_utf8_lossy(&self.body[..self.body.len().min(blank + 2048)]);
        Xml::open(&head).is_ok_and(|xml| matches!(xml.name(), "Error" | "ErrorResponse"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn answer(body: &'static str) -> Answer {
        Answer { status: 200, headers: HeaderMap::new(), body: Bytes::from_static(body.as_bytes()) }
    }

    #[test]
    fn an_error_document_is_known_by_its_root_alone() {
        assert!(answer("  \n<?xml version=\"1.0\"?>\n<Error><Code>X</Code></Error>").is_error());
        assert!(answer("<Error xmlns='x'><Co").is_error());
        assert!(
            !answer("<ListBucketResult><Contents><Key>&lt;Error&gt;</Key></Contents></ListBucketResult>").is_error()
        );
        assert!(!answer("<DeleteResult><Error><Code>AccessDenied</Code></Error></DeleteResult>").is_error());
        assert!(!answer("").is_error());
    }

    #[test]
    fn a_value_that_cannot_be_a_header_is_remembered() {
        assert!(Parts::new(Method::PUT).header("x-amz-meta-a", "b\nc").problem.is_some());
        assert!(Parts::new(Method::PUT).header("x-amz-meta-é", "b").problem.is_some());
        assert!(Parts::new(Method::PUT).header("x-amz-meta-a\n", "b").problem.is_some());
        assert!(Parts::new(Method::PUT).header("x-amz-meta-a", "é").problem.is_none());
    }
}
