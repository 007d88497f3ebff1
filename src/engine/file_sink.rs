//! Where a download's bytes go on their way into a file: memory for small objects, positional blocks for large ones.

use super::local::landing::Landing;
use super::local::target::Target;
use super::mover::{Moving, blocking};
use super::{Ending, Failure};
use crate::model::checksum::{Checksum, Hasher};
use crate::s3::Sink;
use crate::s3::ops::ObjectHead;
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Objects up to this size are held in memory and written by one open-write-rename.
pub(super) const SMALL: u64 = 1 << 20;
/// Bytes gathered before they are handed to the file: large blocks cost fewer system calls and thread hops.
pub(super) const BLOCK: usize = 1 << 20;

/// A local failure that surfaced through the client as a sink error is a local failure again.
pub(super) fn failure(mut error: Box<crate::s3::Error>) -> Ending {
    if error.kind == crate::s3::Kind::Sink
        && let Some(source) = error.source.take()
    {
        return match source.downcast::<std::io::Error>() {
            Ok(io) => local_failure(*io).into(),
            Err(source) => {
                error.source = Some(source);
                error.into()
            }
        };
    }
    error.into()
}

/// The failure inside an `io::Error` that passed through a sink.
pub(super) fn local_failure(io: std::io::Error) -> Failure {
    match io.downcast::<Failure>() {
        Ok(failure) => failure,
        Err(source) => Failure::Local { action: "write", path: "the target file".into(), source },
    }
}

/// What the first answer's headers opened: the object's facts and the file its bytes land in.
pub(super) struct Opened {
    pub(super) head: ObjectHead,
    pub(super) file: Arc<OneWriter>,
}

/// A file that several ranges arrive for, written by one thread at a time: two contend for its pages and cost a third more CPU.
pub(super) struct OneWriter {
    landing: Landing,
    turn: tokio::sync::Semaphore,
}

impl OneWriter {
    /// Whether its bytes must come in order.
    pub(super) fn is_sequential(&self) -> bool {
        self.landing.is_sequential()
    }

    /// Waits for its turn and writes a block off the reactor.
    async fn write(self: Arc<Self>, offset: u64, chunks: Vec<Bytes>) -> Result<(), Failure> {
        let file = self.clone();
        let _turn = self.turn.acquire().await.expect("the semaphore is never closed");
        blocking(move || file.landing.write_at(offset, &chunks)).await
    }
}

/// Takes the first GET's bytes: small objects stay in memory, large ones open the file and let the other ranges start.
pub(super) struct FirstSink {
    state: State,
    opened: Option<oneshot::Sender<Opened>>,
    part: u64,
    moving: Arc<Moving>,
}

/// How far the first GET has come.
pub(super) enum State {
    /// No headers yet.
    Waiting(Target),
    /// A large object's headers: the file is opened by its first bytes, off the reactor, because opening may block (a FIFO, a slow disk).
    Headed(Target, Box<ObjectHead>),
    /// A small object.
    Small { target: Target, chunks: Vec<Bytes> },
    /// A file is open.
    Large { writer: Writer, hasher: Option<Hasher> },
    /// Between states: only while one is exchanged for the next.
    Taken,
}

impl FirstSink {
    /// A sink for `target` whose first GET brings at most `part` bytes; larger objects are announced through `opened`.
    pub(super) fn new(target: Target, part: u64, moving: Arc<Moving>, opened: oneshot::Sender<Opened>) -> Self {
        Self { state: State::Waiting(target), opened: Some(opened), part, moving }
    }

    /// Opens the file of a large object and lets the other ranges start.
    async fn open(&mut self) -> std::io::Result<()> {
        let State::Headed(target, head) = std::mem::replace(&mut self.state, State::Taken) else { return Ok(()) };
        let size = head.size;
        let landing = blocking(move || target.begin(Some(size))).await.map_err(std::io::Error::other)?;
        let file = Arc::new(OneWriter { landing, turn: tokio::sync::Semaphore::new(1) });
        let algorithm = head.checksum.as_ref().map(Checksum::algorithm);
        // Digests that do not combine can only be checked when one GET brings everything, which the client does itself.
        let hasher = algorithm.filter(|algorithm| algorithm.combines() && size > self.part).map(Hasher::new);
        self.state = State::Large { writer: Writer::new(file.clone(), 0, self.moving.clone()), hasher };
        if let Some(opened) = self.opened.take()
            && size > self.part
        {
            // The receiver lives as long as this download does.
            let _ = opened.send(Opened { head: *head, file });
        }
        Ok(())
    }

    /// Waits until what was taken is in the file.
    pub(super) async fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.state {
            State::Large { writer, .. } => writer.flush().await,
            State::Waiting(_) | State::Headed(..) | State::Small { .. } | State::Taken => Ok(()),
        }
    }

    /// Whether bytes are still in memory: a small object's.
    pub(super) fn holds_bytes(&self) -> bool {
        matches!(self.state, State::Small { .. })
    }

    /// What was gathered, once the GET has ended.
    pub(super) fn into_state(self) -> State {
        self.state
    }
}

impl Sink for FirstSink {
    fn begin(&mut self, head: &ObjectHead) -> std::io::Result<()> {
        let State::Waiting(target) = std::mem::replace(&mut self.state, State::Taken) else {
            return Err(std::io::Error::other("the first answer came twice"));
        };
        if head.size <= SMALL.min(self.part) {
            self.state = State::Small { target, chunks: Vec::new() };
            self.opened = None;
            return Ok(());
        }
        self.state = State::Headed(target, Box::new(head.clone()));
        Ok(())
    }

    async fn write(&mut self, chunk: Bytes) -> std::io::Result<()> {
        if matches!(self.state, State::Headed(..)) {
            self.open().await?;
        }
        match &mut self.state {
            State::Small { chunks, .. } => {
                self.moving.add(chunk.len());
                chunks.push(chunk);
                Ok(())
            }
            State::Large { writer, hasher } => {
                if let Some(hasher) = hasher {
                    hasher.update(&chunk);
                }
                writer.push(chunk).await
            }
            State::Waiting(_) | State::Headed(..) | State::Taken => Err(std::io::Error::other("bytes before headers")),
        }
    }
}

/// Takes one range's bytes.
pub(super) struct RangeSink {
    pub(super) writer: Writer,
    pub(super) hasher: Option<Hasher>,
}

impl Sink for RangeSink {
    fn begin(&mut self, _head: &ObjectHead) -> std::io::Result<()> {
        Ok(())
    }

    async fn write(&mut self, chunk: Bytes) -> std::io::Result<()> {
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&chunk);
        }
        self.writer.push(chunk).await
    }
}

/// Gathers chunks into blocks and writes them at their place in the file, one block behind the network.
pub(super) struct Writer {
    file: Arc<OneWriter>,
    offset: u64,
    chunks: Vec<Bytes>,
    gathered: usize,
    writing: Option<JoinHandle<Result<(), Failure>>>,
    moving: Arc<Moving>,
}

impl Writer {
    /// A writer that starts at `offset`.
    pub(super) fn new(file: Arc<OneWriter>, offset: u64, moving: Arc<Moving>) -> Self {
        Self { file, offset, chunks: Vec::new(), gathered: 0, writing: None, moving }
    }

    async fn push(&mut self, chunk: Bytes) -> std::io::Result<()> {
        self.moving.add(chunk.len());
        self.gathered += chunk.len();
        self.chunks.push(chunk);
        if self.gathered >= BLOCK { self.start_block().await } else { Ok(()) }
    }

    async fn start_block(&mut self) -> std::io::Result<()> {
        self.settle().await?;
        let (file, offset) = (self.file.clone(), self.offset);
        let chunks = std::mem::take(&mut self.chunks);
        self.offset += self.gathered as u64;
        self.gathered = 0;
        self.writing = Some(tokio::spawn(file.write(offset, chunks)));
        Ok(())
    }

    async fn settle(&mut self) -> std::io::Result<()> {
        match self.writing.take() {
            None => Ok(()),
            Some(writing) => match writing.await {
                Ok(result) => result.map_err(std::io::Error::other),
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
        }
    }

    /// Writes what is gathered and waits until it is in the file.
    pub(super) async fn flush(&mut self) -> std::io::Result<()> {
        if self.gathered > 0 {
            self.start_block().await?;
        }
        self.settle().await
    }

    /// The file, when everything was flushed and every other writer of it is gone.
    pub(super) fn into_landing(self) -> Landing {
        Arc::into_inner(self.file).expect("ranges release the file before the download finishes").landing
    }
}
