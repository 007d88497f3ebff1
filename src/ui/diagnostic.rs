//! Words for failures: one line a person can act on, the hint and the request id once a cause, and the exit status.

use super::Exit;
use crate::engine::Failure;
use std::collections::HashSet;

/// A failure in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What went wrong, without the object's name: `access denied (AccessDenied 403, GetObject)`.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Request id, attempts.
    pub details: Vec<String>,
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

/// What of a message is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) line: bool,
    pub(super) details: bool,
}

impl Causes {
    pub(super) fn admit(&mut self, message: &Message) -> Verdict {
        if self.most.is_some_and(|most| self.shown >= most) {
            self.suppressed += 1;
            return Verdict { line: false, details: false };
        }
        self.shown += 1;
        Verdict { line: true, details: self.explained.insert(message.cause.clone()) }
    }

    pub(super) fn cap(&mut self, most: u64) {
        self.most = Some(most);
    }

    pub(super) fn suppressed(&self) -> u64 {
        self.suppressed
    }
}

/// Words a failure.
#[must_use]
pub fn describe(failure: &Failure) -> Message {
    Message { text: failure.to_string(), hint: None, details: Vec::new(), cause: String::new(), exit: Exit::Failed }
}

/// An I/O error without the numbers of the operating system.
#[must_use]
pub fn io_text(error: &std::io::Error) -> String {
    error.to_string()
}
