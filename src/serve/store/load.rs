//! Opens a store in a directory: checks that it is one, reads the index, sweeps what a crash left behind.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use super::blob::{Blob, Home, Place};
use super::bucket::Bucket;
use super::content::{Content, Segment};
use super::disk::Disk;
use super::rows::{Rows, SegmentRow};
use super::version::{Part, Upload, Version};
use super::{Last, State, Store, data_directory};
use crate::serve::options::{MARKER, ServeError};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Opens the store in `path`, or makes one if there is nothing.
pub(super) fn open(path: &Path) -> Result<Arc<Store>, ServeError> {
    let failed = |error: Failure| ServeError::Store { path: path.to_owned(), reason: error.to_string() };
    if !is_store(path).map_err(|error| failed(error.into()))? {
        return Err(ServeError::NotAStore { path: path.to_owned() });
    }
    read(path).map_err(failed)
}

/// Whether there is a store, or nothing that speaks against making one.
fn is_store(path: &Path) -> std::io::Result<bool> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none() || path.join(MARKER).is_file()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

fn read(path: &Path) -> Result<Arc<Store>, Failure> {
    fs::create_dir_all(path)?;
    let lock = lock(path)?;
    let data = data_directory(path);
    for directory in 0..=0xff {
        fs::create_dir_all(data.join(format!("{directory:02x}")))?;
    }
    let database = path.join("index.sqlite");
    let disk = Disk::open(&database)?;
    // Nothing is removed until all is read: a blob of a half-read index must not take its file with it.
    let home = Arc::new(Home {
        directory: Some(data),
        rows: Some(Rows::open(&database)?),
        garbage: Mutex::default(),
        closing: AtomicBool::new(true),
    });
    let mut loader = Loader { home: Arc::clone(&home), blobs: HashMap::new(), sequence: 0 };
    let state = loader.state(&disk)?;
    loader.sweep(&disk)?;
    let blob = loader.blobs.keys().copied().max().unwrap_or(0);
    Ok(Arc::new(Store::with(state, Some(disk), home, Some(lock), Last { blob, sequence: loader.sequence })))
}

/// Two servers on one directory would destroy it.
fn lock(path: &Path) -> Result<File, Failure> {
    let marker = OpenOptions::new().create(true).truncate(false).write(true).open(path.join(MARKER))?;
    marker.try_lock().map_err(|_| "another process serves it")?;
    if marker.metadata()?.len() == 0 {
        use std::io::Write as _;
        (&marker).write_all(b"1\n")?;
    }
    Ok(marker)
}

/// Reads the index, each blob once.
struct Loader {
    home: Arc<Home>,
    blobs: HashMap<u64, Arc<Blob>>,
    /// The highest in use.
    sequence: u64,
}

impl Loader {
    fn state(&mut self, disk: &Disk) -> Result<State, Failure> {
        let mut state = State::default();
        disk.each("SELECT name, facts FROM buckets", |row| {
            state.buckets.insert(row.get(0)?, Bucket::new(parsed(row, 1)?));
            Ok(())
        })?;
        self.versions(disk, &mut state)?;
        self.uploads(disk, &mut state)?;
        Ok(state)
    }

    fn versions(&mut self, disk: &Disk, state: &mut State) -> rusqlite::Result<()> {
        disk.each(
            "SELECT bucket, key, id, sequence, facts, segments FROM versions ORDER BY bucket, key, sequence DESC",
            |row| {
                let sequence = row.get::<_, i64>(3)?.cast_unsigned();
                self.sequence = self.sequence.max(sequence);
                let content = self.content(&parsed::<Vec<SegmentRow>>(row, 5)?);
                let version = Version { id: row.get(2)?, sequence, facts: parsed(row, 4)?, content };
                if let Some(bucket) = state.buckets.get_mut(&row.get::<_, String>(0)?) {
                    bucket.objects.entry(row.get(1)?).or_default().push(Arc::new(version));
                }
                Ok(())
            },
        )
    }

    fn uploads(&mut self, disk: &Disk, state: &mut State) -> rusqlite::Result<()> {
        let mut parts: HashMap<String, Vec<(u16, Part)>> = HashMap::new();
        disk.each("SELECT upload, number, facts, segments FROM parts", |row| {
            let part = Part { facts: parsed(row, 2)?, content: self.content(&parsed::<Vec<SegmentRow>>(row, 3)?) };
            parts.entry(row.get(0)?).or_default().push((row.get(1)?, part));
            Ok(())
        })?;
        disk.each("SELECT bucket, key, id, facts FROM uploads", |row| {
            let key = String::from_utf8_lossy(&row.get::<_, Vec<u8>>(1)?).into_owned();
            let id: String = row.get(2)?;
            let parts =
                parts.remove(&id).into_iter().flatten().map(|(number, part)| (number, Arc::new(part))).collect();
            // Upload ids start with their sequence number.
            let sequence = id.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0);
            self.sequence = self.sequence.max(sequence);
            if let Some(bucket) = state.buckets.get_mut(&row.get::<_, String>(0)?) {
                bucket.uploads.insert((key, id), Upload { facts: parsed(row, 3)?, parts });
            }
            Ok(())
        })
    }

    fn content(&mut self, rows: &[SegmentRow]) -> Content {
        let segments = rows.iter().map(|row| {
            let place = || if row.row { Place::Row(Mutex::default()) } else { Place::File };
            let home = &self.home;
            let new = || Arc::new(Blob { id: row.blob, len: row.len, place: place(), home: Arc::clone(home) });
            Segment { blob: Arc::clone(self.blobs.entry(row.blob).or_insert_with(new)), range: row.start..row.end }
        });
        Content::new(segments.collect())
    }

    /// Removes files and rows that nothing refers to: uploads that were under way when the process died.
    fn sweep(&self, disk: &Disk) -> Result<(), Failure> {
        for directory in fs::read_dir(self.home.directory.as_ref().expect("a store on disk has a directory"))? {
            for file in fs::read_dir(directory?.path())? {
                let file = file?;
                let id = file.file_name().to_str().and_then(|name| u64::from_str_radix(name, 16).ok());
                if id.is_none_or(|id| !self.blobs.contains_key(&id)) {
                    fs::remove_file(file.path())?;
                }
            }
        }
        let mut orphans = Vec::new();
        disk.each("SELECT id FROM blobs", |row| {
            let id = row.get::<_, i64>(0)?.cast_unsigned();
            orphans.extend((!self.blobs.contains_key(&id)).then_some(id));
            Ok(())
        })?;
        disk.commit(|tx| orphans.iter().try_for_each(|id| tx.delete_blob(*id)))?;
        Ok(())
    }
}

/// A column of JSON.
fn parsed<T: serde::de::DeserializeOwned>(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into()))
}
