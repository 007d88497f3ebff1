//! What can go wrong below HTTP, told apart far enough to decide whether to try again.

use std::error::Error;
use std::io;

/// Kinds of failure of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpErrorKind {
    /// The host name does not resolve.
    Resolve,
    /// No TCP connection.
    Connect,
    /// The TLS handshake failed: certificate, host name, protocol version.
    Tls,
    /// Silence for longer than allowed, or no connection within its limit.
    Timeout,
    /// Bytes flow, but slower than the minimum.
    TooSlow,
    /// The connection broke (or was closed) before the head of an answer was complete. On a connection that was kept alive this is
    /// the store closing it as idle.
    Closed,
    /// The connection broke (or was closed) within the body.
    Incomplete,
    /// The answer is not HTTP.
    Protocol,
    /// The request cannot be sent as it was signed.
    Refused,
}

/// A failed exchange.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct HttpError {
    /// What kind.
    pub kind: HttpErrorKind,
    /// For people: the innermost cause, without the layers above it.
    pub message: String,
    /// The library's own error.
    #[source]
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl HttpError {
    /// A failure of our own finding.
    pub fn new(kind: HttpErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Reads a library's error from before the head of the answer.
    pub(super) fn of_exchange(error: Box<dyn Error + Send + Sync>, connecting: bool) -> Self {
        Self::read(error, connecting, HttpErrorKind::Closed)
    }

    /// Reads a library's error from within the body of the answer.
    pub(super) fn of_body(error: Box<dyn Error + Send + Sync>) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => *own,
            Err(error) => Self::read(error, false, HttpErrorKind::Incomplete),
        }
    }

    fn read(error: Box<dyn Error + Send + Sync>, connecting: bool, broken: HttpErrorKind) -> Self {
        let mut kind = if connecting { HttpErrorKind::Connect } else { broken };
        let mut message = String::new();
        let mut link: Option<&(dyn Error + 'static)> = Some(error.as_ref());
        while let Some(cause) = link {
            message = cause.to_string();
            if let Some(found) = kind_of(cause, connecting) {
                kind = found;
            }
            // An `io::Error` that carries another error leaves it out of its `source`.
            link = match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
                Some(inner) => Some(inner as &(dyn Error + 'static)),
                None => cause.source(),
            };
        }
        Self { kind, message, source: Some(error) }
    }
}

/// What one link of a chain of causes says for certain; deeper links overrule.
fn kind_of(cause: &(dyn Error + 'static), connecting: bool) -> Option<HttpErrorKind> {
    if cause.is::<rustls::Error>() {
        return Some(HttpErrorKind::Tls);
    }
    if let Some(error) = cause.downcast_ref::<hyper::Error>() {
        return match error {
            e if e.is_parse() => Some(HttpErrorKind::Protocol),
            e if e.is_timeout() => Some(HttpErrorKind::Timeout),
            _ => None,
        };
    }
    if let Some(error) = cause.downcast_ref::<io::Error>() {
        return match error.kind() {
            io::ErrorKind::TimedOut => Some(HttpErrorKind::Timeout),
            _ if connecting && error.to_string().starts_with("failed to lookup address") => {
                Some(HttpErrorKind::Resolve)
            }
            _ => None,
        };
    }
    // reqwest's own limit of a connection attempt has no public type; its text is stable since 0.11.
    (connecting && cause.to_string() == "operation timed out").then_some(HttpErrorKind::Timeout)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_innermost_cause_is_the_message() {
        let inner = io::Error::new(io::ErrorKind::ConnectionReset, "connection reset by peer");
        let outer = io::Error::other(inner);
        let error = HttpError::of_exchange(Box::new(outer), false);
        assert_eq!((error.kind, error.message.as_str()), (HttpErrorKind::Closed, "connection reset by peer"));
    }

    #[test]
    fn a_tls_error_is_found_however_deep() {
        let error = io::Error::new(io::ErrorKind::InvalidData, rustls::Error::HandshakeNotComplete);
        assert_eq!(HttpError::of_exchange(Box::new(io::Error::other(error)), true).kind, HttpErrorKind::Tls);
    }

    #[test]
    fn an_unknown_host_is_told_apart_from_a_closed_port() {
        let lookup = io::Error::other("failed to lookup address information: Name or service not known");
        assert_eq!(HttpError::of_exchange(Box::new(lookup), true).kind, HttpErrorKind::Resolve);
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert_eq!(HttpError::of_exchange(Box::new(refused), true).kind, HttpErrorKind::Connect);
    }
}
