//! Records from a file or standard input as a stream: read on a thread of their own, cut by the codec, handed over one batch at a time.
//!
//! Nothing waits for the end of the input and nothing holds more of it than a few batches: the first record is out as soon as it was read.

use crate::engine::Failure;
use crate::model::record::{Framing, RecordError, Splitter};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;

/// One input record: its number among the lines and its raw bytes, or why it cannot be read.
pub type Line = (u64, Result<Vec<u8>, RecordError>);

/// Where records come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// Bytes asked of the input at a time.
const READ: usize = 64 * 1024;
/// Batches in flight between the reading thread and its consumer: enough to overlap, few enough to be back-pressure.
const BATCHES: usize = 4;

/// A running reader. Dropping it ends the thread at its next batch.
#[derive(Debug)]
pub struct Records {
    batches: mpsc::Receiver<Result<Vec<Line>, Failure>>,
    current: std::vec::IntoIter<Line>,
}

impl Records {
    /// Opens the input and starts reading. Fails at once when the file cannot be opened.
    pub fn open(input: &Input, framing: Framing) -> Result<Self, Failure> {
        let (path, reader) = source(input)?;
        Self::over(path, reader, framing)
    }

    /// As [`Self::open`], after the whole input was put into a temporary file and its records were counted: fails unless there are
    /// `expected` of them, blank lines not counted.
    pub fn open_counted(input: &Input, framing: Framing, expected: u64) -> Result<Self, Failure> {
        let (path, reader) = source(input)?;
        let (file, counted) =
            spool(reader, framing).map_err(|source| Failure::Local { action: "read", path: path.clone(), source })?;
        if counted != expected {
            let why = format!("{counted} records came, {expected} were expected; nothing was sent");
            return Err(Failure::Expectation(why));
        }
        Self::over(path, Box::new(file), framing)
    }

    fn over(path: PathBuf, reader: Box<dyn Read + Send>, framing: Framing) -> Result<Self, Failure> {
        let (sender, batches) = mpsc::channel(BATCHES);
        // A plain thread, not the runtime's pool: a read from a pipe may block for ever and must not hold up the end of the process.
        std::thread::Builder::new()
            .name("records".into())
            .spawn(move || read_all(reader, framing, &path, &sender))
            .map_err(|source| Failure::Local { action: "start a thread for", path: "records".into(), source })?;
        Ok(Self { batches, current: Vec::new().into_iter() })
    }

    /// The next record; `None` at the end of the input.
    pub async fn next(&mut self) -> Result<Option<Line>, Failure> {
        loop {
            if let Some(line) = self.current.next() {
                return Ok(Some(line));
            }
            match self.batches.recv().await {
                Some(batch) => self.current = batch?.into_iter(),
                None => return Ok(None),
            }
        }
    }
}

fn source(input: &Input) -> Result<(PathBuf, Box<dyn Read + Send>), Failure> {
    Ok(match input {
        Input::Stdin => (PathBuf::from("standard input"), Box::new(std::io::stdin())),
        Input::File(path) => (path.clone(), Box::new(open(path)?)),
    })
}

/// Copies the input to a temporary file, counting its records on the way.
fn spool(mut reader: impl Read, framing: Framing) -> std::io::Result<(std::fs::File, u64)> {
    let mut file = tempfile::tempfile()?;
    let mut splitter = Splitter::new(framing);
    let mut buffer = vec![0; READ];
    let mut counted = 0;
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            splitter.finish();
        } else {
            splitter.push(&buffer[..read]);
            file.write_all(&buffer[..read])?;
        }
        while let Some((_, record)) = splitter.next_record() {
            counted += u64::from(record.map_or(true, |record| !record.is_empty()));
        }
        if read == 0 {
            file.rewind()?;
            return Ok((file, counted));
        }
    }
}

fn open(path: &Path) -> Result<std::fs::File, Failure> {
    std::fs::File::open(path).map_err(|source| Failure::Local { action: "open", path: path.to_path_buf(), source })
}

/// Reads to the end, sending what is whole after every read so that a slow producer's first record is not held back.
fn read_all(mut reader: impl Read, framing: Framing, path: &Path, sender: &mpsc::Sender<Result<Vec<Line>, Failure>>) {
    let mut splitter = Splitter::new(framing);
    let mut buffer = vec![0; READ];
    loop {
        let ended = match reader.read(&mut buffer) {
            Ok(0) => {
                splitter.finish();
                true
            }
            Ok(read) => {
                splitter.push(&buffer[..read]);
                false
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(source) => {
                let failure = Failure::Local { action: "read", path: path.to_path_buf(), source };
                // The consumer may be gone: then nobody wants to know.
                let _ = sender.blocking_send(Err(failure));
                return;
            }
        };
        let batch: Vec<Line> = std::iter::from_fn(|| splitter.next_record()).collect();
        if !batch.is_empty() && sender.blocking_send(Ok(batch)).is_err() {
            return;
        }
        if ended {
            return;
        }
    }
}
