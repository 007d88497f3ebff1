//! The owner of stdout and stderr: who is a terminal, what is said at which verbosity, and how a line is written beside a progress bar.

use super::diagnostic::{self, Causes, Verdict};
use super::{Exit, Stdout};
use crate::engine::Failure;
use crate::model::units;
use indicatif::ProgressBar;
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, OnceLock};

/// How much is said, and how.
#[derive(Debug, Clone, Default)]
pub struct Voice {
    /// Errors only.
    pub quiet: bool,
    /// Number of `-v`.
    pub verbose: u8,
    /// Whether stderr is coloured.
    pub colour: bool,
}

/// Writes for a person. Cheap to clone; all clones share the streams.
#[derive(Debug, Clone)]
pub struct Printer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    command: &'static str,
    voice: Voice,
    stderr_is_terminal: bool,
    stdout_is_terminal: bool,
    bar: Mutex<Option<ProgressBar>>,
    causes: Mutex<Causes>,
    store: OnceLock<String>,
}

/// Prints the parser's answer: help and version to stdout, a usage error to stderr.
#[must_use]
pub fn answer(answer: &clap::Error) -> Exit {
    match (answer.print(), answer.use_stderr()) {
        (Err(error), false) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Signal(signal_hook::consts::SIGPIPE),
        (_, true) => Exit::Usage,
        (_, false) => Exit::Success,
    }
}

/// Says that the process could not even start its runtime.
#[must_use]
pub fn no_runtime(error: &io::Error) -> Exit {
    Printer::new("start", Voice::default()).error(&format!("cannot start: {error}"));
    Exit::Stopped
}

/// Whether stderr gets colour: the option, then the conventions of the environment, then whether it is a terminal.
#[must_use]
pub fn colour(always: Option<bool>, env: &dyn Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    always.unwrap_or_else(|| match () {
        () if set("NO_COLOR") => false,
        () if env("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") => true,
        () => io::stderr().is_terminal() && env("TERM").is_none_or(|term| term != "dumb"),
    })
}

impl Printer {
    /// For one command; its name stands at the head of every message.
    #[must_use]
    pub fn new(command: &'static str, voice: Voice) -> Self {
        Self(Arc::new(Inner {
            command,
            voice,
            stderr_is_terminal: io::stderr().is_terminal(),
            stdout_is_terminal: io::stdout().is_terminal(),
            bar: Mutex::default(),
            causes: Mutex::default(),
            store: OnceLock::new(),
        }))
    }

    /// Says which store the command talks to, for failures to reach it.
    pub fn talks_to(&self, store: String) {
        // Only the first store counts; a command has one.
        let _ = self.0.store.set(store);
    }

    /// Whether stdout is a terminal.
    #[must_use]
    pub fn stdout_is_terminal(&self) -> bool {
        self.0.stdout_is_terminal
    }

    /// Whether stderr is a terminal.
    #[must_use]
    pub fn stderr_is_terminal(&self) -> bool {
        self.0.stderr_is_terminal
    }

    /// Whether `-q` was given.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.0.voice.quiet
    }

    /// Number of `-v`.
    #[must_use]
    pub fn verbosity(&self) -> u8 {
        self.0.voice.verbose
    }

    /// Opens stdout for data. One at a time: two would mix their blocks. Fails if stdout was closed before the process began.
    pub fn stdout(&self) -> io::Result<Stdout> {
        if super::closed::stdout_was_closed() {
            return Err(io::Error::other("closed before the command began"));
        }
        Ok(Stdout::over(io::stdout()))
    }

    /// An error that is no object's failure: `s3kit: cp: TEXT`.
    pub fn error(&self, text: &str) {
        self.line(&format!("{} {text}", self.head(Colour::Red)));
    }

    /// Something a person may want to act on, though the run goes on.
    pub fn warn(&self, text: &str) {
        if !self.is_quiet() {
            self.line(&format!("{} warning: {text}", self.head(Colour::Yellow)));
        }
    }

    /// What to do about the error before: an indented `hint: …`.
    pub fn hint(&self, text: &str) {
        self.line(&format!("  {} {text}", self.paint(Colour::Cyan, "hint:")));
    }

    /// A fact, such as the summary line; off by `-q`.
    pub fn note(&self, text: &str) {
        if !self.is_quiet() {
            self.line(&format!("s3kit: {}: {text}", self.0.command));
        }
    }

    /// A fact for `-v` (level 1) and `-vv` (level 2).
    pub fn verbose(&self, level: u8, text: &str) {
        if self.0.voice.verbose >= level {
            self.line(&format!("s3kit: {}: {text}", self.0.command));
        }
    }

    /// A failed object or operand: one line for each, the hint and the request id once a cause. Returns the exit status it asks for.
    pub fn failure(&self, subject: &str, failure: &Failure) -> Exit {
        let message = diagnostic::describe(failure, self.0.store.get().map(String::as_str));
        let verdict = self.0.causes.lock().expect("no holder panics").admit(&message.cause);
        if verdict != Verdict::Nothing {
            self.error(&format!("{}: {}", self.safe(subject), self.safe(&message.text)));
        }
        if verdict == Verdict::LineAndDetails {
            message.hint.iter().for_each(|hint| self.hint(hint));
            message.details.iter().for_each(|details| self.line(&format!("  {}", self.safe(details))));
        }
        message.exit
    }

    /// Shows at most so many failures from now on; the rest is counted and told by [`Self::tell_suppressed`].
    pub fn cap_failures(&self, most: u64) {
        self.0.causes.lock().expect("no holder panics").cap(most);
    }

    /// Says how many failures were not shown because of the cap.
    pub fn tell_suppressed(&self) {
        let suppressed = self.0.causes.lock().expect("no holder panics").take_suppressed();
        if suppressed > 0 {
            self.error(&format!("{suppressed} more failures are not shown here"));
        }
    }

    /// Says that stdout failed, unless its reader just went away, which is normal in a pipe. Returns the exit status.
    pub fn stdout_failed(&self, error: &io::Error) -> Exit {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Exit::Signal(signal_hook::consts::SIGPIPE);
        }
        self.error(&format!("standard output: {}", diagnostic::io_text(error)));
        Exit::Stopped
    }

    /// A name, made safe for the terminal if stderr is one.
    #[must_use]
    pub fn safe<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if self.0.stderr_is_terminal { units::sanitise(name) } else { Cow::Borrowed(name) }
    }

    /// Writes one line to stderr, above a progress bar if there is one.
    pub fn line(&self, text: &str) {
        let write = || {
            // stderr closed or full: there is nowhere left to say so.
            drop(writeln!(io::stderr().lock(), "{text}"));
        };
        let bar = self.0.bar.lock().expect("no holder panics");
        match bar.as_ref() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// From now on lines are written above this bar.
    pub(super) fn show(&self, bar: ProgressBar) {
        *self.0.bar.lock().expect("no holder panics") = Some(bar);
    }

    fn head(&self, colour: Colour) -> String {
        self.paint(colour, &format!("s3kit: {}:", self.0.command)).into_owned()
    }

    fn paint<'a>(&self, colour: Colour, text: &'a str) -> Cow<'a, str> {
        if self.0.voice.colour { format!("\u{1b}[{}m{text}\u{1b}[0m", colour as u8).into() } else { text.into() }
    }
}

/// Colours of the heads of messages; nothing is told by colour alone.
#[derive(Debug, Clone, Copy)]
enum Colour {
    Red = 31,
    Yellow = 33,
    Cyan = 36,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_follows_the_option_before_the_environment() {
        let no_color = |name: &str| (name == "NO_COLOR").then(|| "1".to_owned());
        let force = |name: &str| (name == "CLICOLOR_FORCE").then(|| "1".to_owned());
        assert!(colour(Some(true), &no_color));
        assert!(!colour(None, &no_color));
        assert!(colour(None, &force));
        assert!(!colour(Some(false), &force));
    }
}
