//! Immutable bytes, stored once and shared: in memory, in a file of their own, or as a row of the store's database.
//!
//! A blob lives as long as something refers to it. The last reference removes its file, or queues its row for removal, unless the store
//! is closing; what a crash leaves behind is swept when the store is opened next.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::rows::Rows;

/// Memory blobs are cut into pieces of this size, so that a large one needs no contiguous gigabytes.
pub(in crate::serve) const CHUNK: usize = 1 << 20;

/// What the blobs of one store share.
#[derive(Debug)]
pub(in crate::serve) struct Home {
    /// Where files are; `None` keeps all in memory.
    pub(super) directory: Option<PathBuf>,
    /// Reads rows.
    pub(super) rows: Option<Rows>,
    /// Rows nothing refers to any more.
    pub(super) garbage: Mutex<Vec<u64>>,
    /// Set when the store closes: nothing is removed from then on.
    pub(super) closing: AtomicBool,
}

impl Home {
    /// The file of a blob. 256 directories keep each of them small.
    pub(super) fn path(&self, id: u64) -> Option<PathBuf> {
        self.directory.as_ref().map(|directory| directory.join(format!("{:02x}/{id:016x}", id & 0xff)))
    }
}

/// Where a blob's bytes are.
#[derive(Debug)]
pub(super) enum Place {
    Memory(Vec<Bytes>),
    File,
    /// The bytes are kept until the row is committed.
    Row(Mutex<Option<Bytes>>),
}

/// Immutable bytes.
#[derive(Debug)]
pub(in crate::serve) struct Blob {
    pub(super) id: u64,
    pub(super) len: u64,
    pub(super) place: Place,
    pub(super) home: Arc<Home>,
}

impl Blob {
    /// A piece that can be given at once, if the blob is not a file: from `start`, at most `len` bytes.
    pub(super) fn at_once(&self, start: u64, len: u64) -> io::Result<Option<Bytes>> {
        match &self.place {
            Place::Memory(chunks) => {
                let start = usize::try_from(start).map_err(io::Error::other)?;
                let chunk = chunks.get(start / CHUNK).ok_or(io::ErrorKind::UnexpectedEof)?;
                let from = start % CHUNK;
                let to = chunk.len().min(from + usize::try_from(len).unwrap_or(usize::MAX));
                Ok(Some(chunk.slice(from..to)))
            }
            Place::Row(pending) => {
                let bytes = match pending.lock().unwrap_or_else(PoisonError::into_inner).clone() {
                    Some(bytes) => bytes,
                    None => self.home.rows.as_ref().ok_or(io::ErrorKind::NotFound)?.read(self.id)?,
                };
                let from = usize::try_from(start).map_err(io::Error::other)?;
                let to = from + usize::try_from(len).map_err(io::Error::other)?;
                if to > bytes.len() {
                    Err(io::ErrorKind::UnexpectedEof.into())
                } else {
                    Ok(Some(bytes.slice(from..to)))
                }
            }
            Place::File => Ok(None),
        }
    }

    /// The file, open at `start`.
    pub(super) fn open(&self, start: u64) -> io::Result<File> {
        let mut file = File::open(self.home.path(self.id).ok_or(io::ErrorKind::NotFound)?)?;
        if start > 0 {
            file.seek(SeekFrom::Start(start))?;
        }
        Ok(file)
    }

    /// The bytes a row blob will be stored with, until they are.
    pub(super) fn pending(&self) -> Option<Bytes> {
        match &self.place {
            Place::Row(pending) => pending.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            _ => None,
        }
    }

    /// Marks a row blob as stored.
    pub(super) fn committed(&self) {
        if let Place::Row(pending) = &self.place {
            *pending.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

/// Reads exactly `len` bytes from where the file stands.
pub(super) fn read_exactly(file: &mut File, len: usize) -> io::Result<Bytes> {
    let mut buffer = Vec::with_capacity(len);
    file.take(len as u64).read_to_end(&mut buffer)?;
    if buffer.len() == len { Ok(buffer.into()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

impl Drop for Blob {
    fn drop(&mut self) {
        if self.home.closing.load(Ordering::Acquire) {
            return;
        }
        match &self.place {
            Place::Memory(_) => {}
            Place::Row(_) => self.home.garbage.lock().unwrap_or_else(PoisonError::into_inner).push(self.id),
            Place::File => {
                let Some(path) = self.home.path(self.id) else { return };
                let remove = move || drop(std::fs::remove_file(path));
                // Removing gigabytes takes a while: not on a thread that serves requests.
                match tokio::runtime::Handle::try_current() {
                    Ok(runtime) => drop(runtime.spawn_blocking(remove)),
                    Err(_) => remove(),
                }
            }
        }
    }
}
