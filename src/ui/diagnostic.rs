//! Words for failures: one line a person can act on, the hint and the request id once a cause, and the exit status.

use super::Exit;
use super::hint;
use crate::engine::Failure;
use crate::s3::{Error, Kind};
use std::collections::HashSet;
use std::io;

/// A failure in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What went wrong, without the object's name: `access denied (AccessDenied 403, GetObject)`.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Request id, attempts.
    pub details: Option<String>,
    /// Failures of one cause share hint and details.
    pub cause: String,
    /// The status it asks for: one object failed, or the run had to stop.
    pub exit: Exit,
}

/// Which causes were explained already, and how many lines are still allowed.
#[derive(Debug, Default)]
pub(super) struct Causes {
    explained: HashSet<String>,
    shown: u64,
    most: Option<u64>,
    suppressed: u64,
}

/// Causes remembered at most: beyond them hints come again, which is better than growing with the failures.
const MOST_CAUSES: usize = 1_000;

/// What of a message is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Nothing,
    Line,
    LineAndDetails,
}

impl Causes {
    pub(super) fn admit(&mut self, cause: &str) -> Verdict {
        if self.most.is_some_and(|most| self.shown >= most) {
            self.suppressed += 1;
            return Verdict::Nothing;
        }
        self.shown += 1;
        if self.explained.len() >= MOST_CAUSES {
            self.explained.clear();
        }
        if self.explained.insert(cause.to_owned()) { Verdict::LineAndDetails } else { Verdict::Line }
    }

    pub(super) fn cap(&mut self, most: u64) {
        self.most = Some(most);
    }

    /// How many were not shown, counted from zero again.
    pub(super) fn take_suppressed(&mut self) -> u64 {
        std::mem::take(&mut self.suppressed)
    }
}

/// Words a failure. `store` is named where it could not be reached.
#[must_use]
pub fn describe(failure: &Failure, store: Option<&str>) -> Message {
    match failure {
        Failure::S3(error) => of_s3(error, store),
        Failure::Local { action, path, source } => of_local(action, path, source),
        other => plain(other.to_string(), hint::of_failure(other)),
    }
}

fn plain(text: String, hint: Option<String>) -> Message {
    Message { cause: hint.clone().unwrap_or_default(), text, hint, details: None, exit: Exit::Failed }
}

/// `access denied (AccessDenied 403, GetObject)`.
fn of_s3(error: &Error, store: Option<&str>) -> Message {
    if let (Kind::Sink, Some(source)) = (error.kind, error.source.as_ref().and_then(|source| source.downcast_ref())) {
        return of_sink(error, source);
    }
    let status = error.status.map(|status| format!(" {status}")).unwrap_or_default();
    let place = store.filter(|_| matches!(error.code.as_str(), "ConnectFailed" | "Tls"));
    let place = place.map(|store| format!("cannot reach {store}: ")).unwrap_or_default();
    let text = format!("{place}{} ({}{status}, {})", what(error), error.code, error.operation);
    let hint = hint::of_s3(error);
    // One cause: the same code of the same operation in the same bucket.
    let cause = format!("{} {} {}", error.code, error.operation, error.bucket);
    Message { text, hint, details: details(error), cause, exit: exit_of(error) }
}

/// The failure of the place where a GET's bytes went, told as the local failure it is.
fn of_sink(error: &Error, source: &io::Error) -> Message {
    match source.get_ref().and_then(|inner| inner.downcast_ref::<Failure>()) {
        Some(failure) => describe(failure, None),
        None => {
            let exit = if source.kind() == io::ErrorKind::StorageFull { Exit::Stopped } else { Exit::Failed };
            let text = io_text(source);
            Message {
                hint: hint::of_io(source),
                details: None,
                cause: text.clone(),
                exit,
                text: format!("{text} ({})", error.operation),
            }
        }
    }
}

fn of_local(action: &str, path: &std::path::Path, source: &io::Error) -> Message {
    let text = format!("cannot {action} '{}': {}", path.display(), io_text(source));
    let exit = if full(source) { Exit::Stopped } else { Exit::Failed };
    let cause = source.kind().to_string();
    Message { text, hint: hint::of_io(source), details: None, cause, exit }
}

fn full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// The fact in words of our own for the codes people meet, in the store's words for the rest.
fn what(error: &Error) -> String {
    let known = match error.code.as_str() {
        "AccessDenied" | "AccessDeniedException" | "Forbidden" | "403" => "access denied",
        "NoSuchVersion" => "no such version",
        "NoSuchUpload" => "no such multipart upload",
        "BucketAlreadyExists" => "a bucket of this name belongs to someone else",
        "BucketAlreadyOwnedByYou" => "the bucket exists already and is yours",
        "BucketNotEmpty" => "the bucket is not empty",
        "InvalidAccessKeyId" => "the store does not know this access key",
        "SignatureDoesNotMatch" => "the secret key does not fit the access key",
        "ExpiredToken" | "ExpiredTokenException" => "the session token has expired",
        "RequestTimeTooSkewed" => "this machine's clock and the store's differ too much",
        "InvalidObjectState" => "the object is archived",
        "PreconditionFailed" if error.operation == "GetObject" => "the object changed while it was being read",
        "ObjectChanged" => "the object changed while it was being read",
        "EntityTooLarge" => "larger than the store allows",
        "EntityTooSmall" => "a part is smaller than the store allows",
        "SlowDown" | "ServiceUnavailable" | "TooManyRequests" | "ThrottlingException" => "the store asks to slow down",
        "InternalError" => "the store failed internally",
        "NoSuchBucket" => "no such bucket",
        "NotFound" | "404" if error.key.is_empty() => "no such bucket",
        "NoSuchKey" | "NotFound" | "404" => "no such key",
        _ => return first_line(&error.message, &error.code),
    };
    known.to_owned()
}

/// The store's own words: their first line, without the final period, starting in lower case as all our messages do.
fn first_line(message: &str, otherwise: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(otherwise);
    // Numbers of the operating system help nobody.
    let line = line.split(" (os error").next().unwrap_or(line).trim_end_matches('.');
    let mut letters = line.chars();
    match (letters.next(), letters.clone().next()) {
        // An acronym or a code at the start stays as it is.
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            format!("{}{}", first.to_lowercase(), letters.as_str())
        }
        _ => line.to_owned(),
    }
}

fn details(error: &Error) -> Option<String> {
    let mut facts = Vec::new();
    facts.extend(error.request_id.as_ref().map(|id| format!("request id {id}")));
    facts.extend(error.host_id.as_ref().map(|id| format!("host id {id}")));
    if error.attempts > 1 {
        facts.push(format!("attempts {} in {:.1} s", error.attempts, error.elapsed.as_secs_f64()));
    }
    (!facts.is_empty()).then(|| facts.join(", "))
}

/// Whether the object alone failed or nothing else can go right either.
fn exit_of(error: &Error) -> Exit {
    let stops = match error.code.as_str() {
        "NoSuchBucket"
        | "InvalidAccessKeyId"
        | "SignatureDoesNotMatch"
        | "ExpiredToken"
        | "InvalidToken"
        | "RequestTimeTooSkewed"
        | "NoCredentials"
        | "AuthorizationHeaderMalformed"
        | "PermanentRedirect"
        | "AllAccessDisabled"
        | "AccountProblem"
        | "NotSignedUp"
        | "ConnectFailed"
        | "Tls" => true,
        _ => error.kind == Kind::Auth && error.operation.starts_with("List"),
    };
    if stops { Exit::Stopped } else { Exit::Failed }
}

/// An I/O error without the numbers of the operating system: `No space left on device`, as every tool words it.
#[must_use]
pub fn io_text(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::Duration;

    fn error(code: &str, status: Option<u16>) -> Error {
        Error {
            kind: Kind::Fatal,
            operation: "GetObject",
            bucket: "b".into(),
            key: "k".into(),
            status,
            code: code.into(),
            message: "Something The store said.\nMore.".into(),
            request_id: Some("R1".into()),
            host_id: None,
            attempts: 3,
            elapsed: Duration::from_millis(4_120),
            source: None,
        }
    }

    fn describe_s3(error: Error) -> Message {
        describe(&Failure::S3(Box::new(error)), Some("http://store"))
    }

    #[test]
    fn a_line_says_what_with_code_status_and_operation() {
        let message = describe_s3(error("AccessDenied", Some(403)));
        assert_eq!(message.text, "access denied (AccessDenied 403, GetObject)");
        assert_eq!(message.details.unwrap(), "request id R1, attempts 3 in 4.1 s");
        assert_eq!(message.exit, Exit::Failed);
    }

    #[test]
    fn a_store_that_cannot_be_reached_is_named() {
        let refused = Error { message: "connection refused (os error 111)".into(), ..error("ConnectFailed", None) };
        let message = describe_s3(refused);
        assert_eq!(message.text, "cannot reach http://store: connection refused (ConnectFailed, GetObject)");
        assert_eq!(message.exit, Exit::Stopped);
    }

    #[test]
    fn an_unknown_code_is_told_in_the_stores_words() {
        assert_eq!(describe_s3(error("Odd", Some(400))).text, "something The store said (Odd 400, GetObject)");
    }

    #[test]
    fn what_no_other_object_can_survive_stops_the_run() {
        for code in ["NoSuchBucket", "InvalidAccessKeyId", "ExpiredToken", "SignatureDoesNotMatch"] {
            assert_eq!(describe_s3(error(code, Some(403))).exit, Exit::Stopped, "{code}");
        }
        let listing = Error { kind: Kind::Auth, operation: "ListObjectsV2", ..error("AccessDenied", Some(403)) };
        assert_eq!(describe_s3(listing).exit, Exit::Stopped);
        assert_eq!(describe_s3(error("NoSuchKey", Some(404))).exit, Exit::Failed);
    }

    #[test]
    fn a_full_disk_stops_the_run_wherever_it_surfaced() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let local = Failure::Local { action: "write", path: "f".into(), source: full() };
        let message = describe(&local, None);
        assert!(message.text.starts_with("cannot write 'f': "), "{}", message.text);
        assert_eq!(message.exit, Exit::Stopped);
        let sink = Error { kind: Kind::Sink, source: Some(Box::new(io::Error::other(local))), ..error("Sink", None) };
        assert_eq!(describe_s3(sink).exit, Exit::Stopped);
    }

    #[test]
    fn one_cause_is_explained_once_and_lines_end_at_the_cap() {
        let mut causes = Causes::default();
        causes.cap(3);
        let verdicts: Vec<_> = ["a", "a", "b", "b"].map(|cause| causes.admit(cause)).to_vec();
        assert_eq!(verdicts, [Verdict::LineAndDetails, Verdict::Line, Verdict::LineAndDetails, Verdict::Nothing]);
        assert_eq!((causes.take_suppressed(), causes.take_suppressed()), (1, 0));
    }

    #[test]
    fn io_errors_lose_their_numbers() {
        assert_eq!(io_text(&io::Error::from_raw_os_error(28)), "No space left on device");
    }
}
