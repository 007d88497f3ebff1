//! Takes bytes in: hashes them, and stores them as a blob, in flat memory however many they are.
//!
//! Batches are hashed and written on a blocking thread while the next batch arrives.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use bytes::{Bytes, BytesMut};
use tokio::task::JoinHandle;

use super::Store;
use super::blob::{Blob, CHUNK, Place};
use super::content::{Content, Segment};
use crate::model::checksum::{Algorithm, Checksum, Hasher};

/// Up to this size, bytes are hashed where they arrive and kept in the database.
const SMALL: usize = 64 << 10;
/// Bytes are handed over in batches of about this size.
const BATCH: usize = 1 << 20;

/// What was received.
#[derive(Debug)]
pub(in crate::serve) struct Received {
    /// The bytes, stored.
    pub(in crate::serve) content: Content,
    /// One for each algorithm asked for, in that order.
    pub(in crate::serve) checksums: Vec<Checksum>,
}

/// Receives one body.
#[derive(Debug)]
pub(in crate::serve) struct Receiver {
    store: Arc<Store>,
    batch: Vec<Bytes>,
    batched: usize,
    sink: Option<Sink>,
    working: Option<JoinHandle<io::Result<Sink>>>,
}

#[derive(Debug)]
struct Sink {
    hashers: Vec<Hasher>,
    len: u64,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Memory {
        chunks: Vec<Bytes>,
        last: BytesMut,
    },
    /// Dropped unfinished, the blob removes the file.
    File {
        file: File,
        blob: Blob,
    },
    /// Nothing was handed over yet.
    Undecided,
}

impl Receiver {
    /// A receiver that computes these checksums.
    pub(in crate::serve) fn new(store: &Arc<Store>, algorithms: &[Algorithm]) -> Self {
        let hashers = algorithms.iter().map(|algorithm| Hasher::new(*algorithm)).collect();
        let sink = Some(Sink { hashers, len: 0, target: Target::Undecided });
        Self { store: Arc::clone(store), batch: Vec::new(), batched: 0, sink, working: None }
    }

    /// Takes bytes; waits while the batch before the last one is still being written.
    pub(in crate::serve) async fn push(&mut self, bytes: Bytes) -> io::Result<()> {
        self.batched += bytes.len();
        self.batch.push(bytes);
        if self.batched >= BATCH {
            self.hand_over().await?;
        }
        Ok(())
    }

    async fn settle(&mut self) -> io::Result<()> {
        if let Some(working) = self.working.take() {
            self.sink = Some(working.await.map_err(io::Error::other)??);
        }
        Ok(())
    }

    async fn hand_over(&mut self) -> io::Result<()> {
        self.settle().await?;
        let mut sink = self.sink.take().expect("settled, so the sink is back");
        let batch = std::mem::take(&mut self.batch);
        self.batched = 0;
        let store = Arc::clone(&self.store);
        self.working = Some(tokio::task::spawn_blocking(move || {
            sink.absorb(&store, batch)?;
            Ok(sink)
        }));
        Ok(())
    }

    /// The end of the bytes.
    pub(in crate::serve) async fn finish(mut self) -> io::Result<Received> {
        let untouched = self.sink.as_ref().is_some_and(|sink| matches!(sink.target, Target::Undecided));
        if untouched && self.batched <= SMALL {
            let sink = self.sink.take().expect("untouched, so it is there");
            return Ok(sink.small(&self.store, self.batch));
        }
        self.hand_over().await?;
        self.settle().await?;
        Ok(self.sink.take().expect("settled, so the sink is back").finish(&self.store))
    }
}

impl Sink {
    fn absorb(&mut self, store: &Arc<Store>, batch: Vec<Bytes>) -> io::Result<()> {
        if matches!(self.target, Target::Undecided) {
            self.target = Target::open(store)?;
        }
        for bytes in batch {
            self.hashers.iter_mut().for_each(|hasher| hasher.update(&bytes));
            self.len += bytes.len() as u64;
            self.target.write(&bytes)?;
        }
        Ok(())
    }

    fn small(mut self, store: &Arc<Store>, batch: Vec<Bytes>) -> Received {
        let mut all = BytesMut::with_capacity(batch.iter().map(Bytes::len).sum());
        for bytes in batch {
            all.extend_from_slice(&bytes);
        }
        self.hashers.iter_mut().for_each(|hasher| hasher.update(&all));
        let all = all.freeze();
        let len = all.len() as u64;
        let place =
            if store.home.directory.is_some() { Place::Row(Mutex::new(Some(all))) } else { Place::Memory(vec![all]) };
        let content = if len == 0 { Content::default() } else { whole(store.blob(len, place)) };
        Received { content, checksums: self.hashers.into_iter().map(Hasher::finish).collect() }
    }

    fn finish(self, store: &Arc<Store>) -> Received {
        let blob = match self.target {
            Target::Undecided => return self.small(store, Vec::new()),
            Target::Memory { mut chunks, last } => {
                if !last.is_empty() {
                    chunks.push(last.freeze());
                }
                store.blob(self.len, Place::Memory(chunks))
            }
            Target::File { mut blob, .. } => {
                blob.len = self.len;
                blob
            }
        };
        Received { content: whole(blob), checksums: self.hashers.into_iter().map(Hasher::finish).collect() }
    }
}

impl Target {
    fn open(store: &Arc<Store>) -> io::Result<Self> {
        let blob = store.blob(0, Place::File);
        match store.home.path(blob.id) {
            None => Ok(Self::Memory { chunks: Vec::new(), last: BytesMut::with_capacity(CHUNK) }),
            Some(path) => Ok(Self::File { file: File::create_new(path)?, blob }),
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Undecided => Err(io::Error::other("nowhere to write")),
            Self::File { file, .. } => file.write_all(bytes),
            Self::Memory { chunks, last } => {
                while !bytes.is_empty() {
                    let take = bytes.len().min(CHUNK - last.len());
                    last.extend_from_slice(&bytes[..take]);
                    bytes = &bytes[take..];
                    if last.len() == CHUNK {
                        chunks.push(std::mem::replace(last, BytesMut::with_capacity(CHUNK)).freeze());
                    }
                }
                Ok(())
            }
        }
    }
}

fn whole(blob: Blob) -> Content {
    let range = 0..blob.len;
    Content::new(vec![Segment { blob: Arc::new(blob), range }])
}
