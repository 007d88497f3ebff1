//! Rows of the store's database as the content of objects sees them: the bytes of small objects, and stretches of larger ones.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use rusqlite::{Connection, params};

/// A reading connection for small objects.
#[derive(Debug)]
pub(super) struct Rows(Mutex<Connection>);

/// A stretch of a blob as it is written down.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(super) struct SegmentRow {
    pub(super) blob: u64,
    pub(super) len: u64,
    pub(super) row: bool,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// A connection to the database, for reading or for writing.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

impl Rows {
    /// Opens the database a second time.
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        Ok(Self(Mutex::new(connect(path)?)))
    }

    /// The bytes of a small object.
    pub(super) fn read(&self, id: u64) -> io::Result<Bytes> {
        let connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let mut statement = connection.prepare_cached("SELECT data FROM blobs WHERE id = ?1")?;
            statement.query_row(params![id.cast_signed()], |row| row.get::<_, Vec<u8>>(0))
        };
        read().map(Bytes::from).map_err(io::Error::other)
    }
}
