//! Drains outcomes: failures to stderr and `--failed`, finished destinations to stdout by `--print`, and the exit status of it all.

use super::{Context, Exit};
use crate::engine::{Destination, Done, Ending, Failure, Outcome, Source};
use crate::model::record::{self, Format, Framing, Record};
use crate::ui::Stdout;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// Failures shown when the failed records also go to a file.
const SHOWN_WITH_FILE: u64 = 20;

/// What a command wants told of its outcomes.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// `--print`.
    pub print: bool,
    /// `--json`.
    pub json: bool,
    /// `--failed`.
    pub failed: Option<PathBuf>,
    /// `--from`, which `--failed` must not overwrite.
    pub from: Option<PathBuf>,
    /// `-0`.
    pub framing: Framing,
}

/// A report being written.
#[derive(Debug)]
pub struct Report<'a> {
    context: &'a Context,
    wanted: Wanted,
    stdout: Option<Stdout>,
    failed: Option<BufWriter<File>>,
    exit: Exit,
}

impl<'a> Report<'a> {
    /// Opens what is to be written. `--failed` is created at once, so that a file that cannot be written is known before anything is sent.
    pub fn open(context: &'a Context, wanted: Wanted) -> Result<Self, Exit> {
        // The list is the file of --from, or what stdin was redirected from.
        let list = wanted.from.as_deref().filter(|from| from.as_os_str() != "-");
        if let Some(failed) = &wanted.failed
            && same_file(failed, list.unwrap_or(Path::new("/dev/stdin")))
        {
            return Err(context.usage("--failed would overwrite the list that is being read; name another file"));
        }
        let stdout = wanted.print.then(|| context.printer.stdout()).transpose();
        let stdout = stdout.map_err(|error| context.printer.stdout_failed(&error))?;
        let failed = wanted.failed.as_deref().map(create).transpose().map_err(|why| context.usage(&why))?;
        if failed.is_some() {
            context.printer.cap_failures(SHOWN_WITH_FILE);
        }
        Ok(Self { context, wanted, stdout, failed, exit: Exit::Success })
    }

    /// Takes outcomes until the channel ends.
    pub async fn drain(&mut self, outcomes: &mut mpsc::Receiver<Outcome>) {
        while let Some(outcome) = outcomes.recv().await {
            self.take(&outcome).await;
        }
    }

    /// Takes one outcome.
    pub async fn take(&mut self, outcome: &Outcome) {
        match &outcome.ending {
            Ending::Done(done) => {
                if let Some(line) = self.printed(outcome, done) {
                    self.write(line).await;
                }
            }
            Ending::Skipped(why) => {
                self.context.printer.verbose(1, &format!("{}: skipped: {why}", subject(outcome)));
            }
            Ending::Failed(Failure::Local { source, .. }) if outcome.destination == Some(Destination::Stdout) => {
                let exit = match source.kind() {
                    // Not stdout's doing: the command refused to write.
                    std::io::ErrorKind::InvalidInput => self.context.usage(&format!("{}: {source}", subject(outcome))),
                    _ => self.context.printer.stdout_failed(source),
                };
                self.exit = self.exit.and(exit);
            }
            Ending::Failed(failure) => {
                let exit = self.context.printer.failure(&subject(outcome), failure);
                self.exit = self.exit.and(exit).and(Exit::Failed);
                if exit == Exit::Stopped {
                    // No such bucket, bad credentials, a full disk: what comes after would fail alike.
                    self.context.stop.cancel();
                }
                self.keep_failed(outcome);
            }
            Ending::Cancelled => {
                self.keep_failed(outcome);
            }
        }
    }

    /// Ends the report: flushes, and returns the exit status so far.
    pub async fn finish(mut self) -> Exit {
        if let Some(stdout) = &mut self.stdout
            && let Err(error) = stdout.finish().await
        {
            self.exit = self.exit.and(self.context.printer.stdout_failed(&error));
        }
        if let Some(failed) = &mut self.failed
            && let Err(error) = failed.flush()
        {
            self.failed_file_broken(&error);
        }
        self.exit
    }

    /// Adds a status that came from elsewhere.
    pub fn note_exit(&mut self, exit: Exit) {
        self.exit = self.exit.and(exit);
    }

    /// Writes to stdout. When its reader has gone, nobody wants more: what runs is settled and nothing new begins.
    async fn write(&mut self, line: Vec<u8>) {
        let Some(stdout) = &mut self.stdout else { return };
        if let Err(error) = stdout.write(line).await {
            self.exit = self.exit.and(self.context.printer.stdout_failed(&error));
            self.stdout = None;
            self.context.stop.cancel();
        }
    }

    /// The destination as a record; `None` when it is not to be printed. Deletions print what is gone.
    fn printed(&self, outcome: &Outcome, done: &Done) -> Option<Vec<u8>> {
        self.stdout.as_ref()?;
        let mut line = Vec::new();
        let null = self.wanted.framing == Framing::Null;
        match (&outcome.destination, &outcome.source) {
            (Some(destination), source) if self.wanted.json => write_json(&mut line, destination, source, done),
            (Some(Destination::Object(uri)), _) => {
                let record = Record { version_id: None, ..Record::new(uri.clone()) };
                record::write_object(&mut line, &record, if null { Format::Null } else { Format::Uri }, false);
            }
            (Some(destination), _) => {
                line.extend_from_slice(local_path(destination)?.as_os_str().as_encoded_bytes());
                line.push(if null { 0 } else { b'\n' });
            }
            (None, Source::Object(record)) => {
                let format = match (self.wanted.json, null) {
                    (true, _) => Format::Json,
                    (false, true) => Format::Null,
                    (false, false) => Format::Uri,
                };
                record::write_object(&mut line, record, format, false);
            }
            (None, _) => return None,
        }
        Some(line)
    }

    fn keep_failed(&mut self, outcome: &Outcome) {
        let Some(file) = &mut self.failed else { return };
        let mut line = outcome.input.clone().unwrap_or_else(|| source_line(&outcome.source, self.wanted.framing));
        if line.is_empty() {
            return;
        }
        if outcome.input.is_some() {
            line.push(if self.wanted.framing == Framing::Null { 0 } else { b'\n' });
        }
        if let Err(error) = file.write_all(&line) {
            self.failed_file_broken(&error);
        }
    }

    fn failed_file_broken(&mut self, error: &std::io::Error) {
        self.context.printer.error(&format!("--failed: {}", crate::ui::diagnostic::io_text(error)));
        self.failed = None;
        self.exit = self.exit.and(Exit::Stopped);
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

fn create(path: &Path) -> Result<BufWriter<File>, String> {
    let file = File::create(path).map_err(|error| format!("--failed {}: {error}", path.display()))?;
    Ok(BufWriter::new(file))
}

/// A failed operand's object as a record line.
fn source_line(source: &Source, framing: Framing) -> Vec<u8> {
    let mut line = Vec::new();
    if let Source::Object(record) = source {
        let format = if framing == Framing::Null { Format::Null } else { Format::Uri };
        record::write_object(&mut line, record, format, false);
    }
    line
}

/// What a message is about: the source as the user would write it; with the destination where the failure may be either's.
fn subject(outcome: &Outcome) -> String {
    match &outcome.source {
        source @ (Source::File(_) | Source::Stdin) => match &outcome.destination {
            Some(Destination::Object(uri)) => format!("{source} -> {uri}"),
            _ => source.to_string(),
        },
        Source::Unreadable(line) if line.is_empty() => "input".into(),
        Source::Unreadable(line) => {
            let text = String::from_utf8_lossy(line);
            // A line of 64 KiB helps nobody on a screen.
            text.chars().take(200).collect()
        }
        source => source.to_string(),
    }
}

fn local_path(destination: &Destination) -> Option<PathBuf> {
    match destination {
        Destination::File(path) => Some(path.clone()),
        Destination::Beneath(root, name) => Some(root.join(name.components.join("/"))),
        Destination::Object(_) | Destination::Stdout => None,
    }
}

/// One JSON line of what is done: `uri` is the destination, `from` the source.
fn write_json(line: &mut Vec<u8>, destination: &Destination, source: &Source, done: &Done) {
    let mut fields = serde_json::Map::new();
    let mut field = |name: &str, value: serde_json::Value| fields.insert(name.into(), value);
    match destination {
        Destination::Object(uri) => field("uri", uri.to_string().into()),
        other => field("path", local_path(other).map_or("-".into(), |path| path.display().to_string().into())),
    };
    field("from", source.to_string().into());
    if let Some(size) = done.size {
        field("size", size.into());
    }
    if let Some(etag) = &done.etag {
        field("etag", etag.as_str().into());
    }
    if let Some(version) = &done.version_id {
        field("version_id", version.as_str().into());
    }
    if let Some(checksum) = &done.checksum {
        field("checksum_algorithm", checksum.algorithm().as_str().into());
        field("checksum", checksum.base64().into());
    }
    field("ms", u64::try_from(done.elapsed.as_millis()).unwrap_or(u64::MAX).into());
    field("attempts", (done.retries + 1).into());
    line.extend_from_slice(serde_json::Value::Object(fields).to_string().as_bytes());
    line.push(b'\n');
}
