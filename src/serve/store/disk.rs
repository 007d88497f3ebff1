//! The store's database: everything but the bytes of larger objects.
//!
//! A change is committed here before it is visible, and after the data files it refers to were written, so that at any moment the
//! database describes a whole store. Commits survive the death of the process; they are not forced to the disk one by one, so a power
//! failure may lose the last ones, never their consistency.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, Transaction, params};

use super::content::Content;
use super::rows::connect;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS buckets (name TEXT PRIMARY KEY, facts TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS versions (
        bucket TEXT NOT NULL, key BLOB NOT NULL, id TEXT NOT NULL, sequence INTEGER NOT NULL, facts TEXT NOT NULL, segments TEXT NOT NULL,
        PRIMARY KEY (bucket, key, id)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS uploads (
        bucket TEXT NOT NULL, key BLOB NOT NULL, id TEXT NOT NULL, facts TEXT NOT NULL, PRIMARY KEY (id)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS parts (
        upload TEXT NOT NULL, number INTEGER NOT NULL, facts TEXT NOT NULL, segments TEXT NOT NULL,
        PRIMARY KEY (upload, number)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS blobs (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
";

/// The writing connection.
#[derive(Debug)]
pub(super) struct Disk(Mutex<Connection>);

impl Disk {
    /// Opens or creates the database.
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = connect(path)?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self(Mutex::new(connection)))
    }

    /// Runs changes as one transaction: all of them or none.
    pub(super) fn commit(&self, change: impl FnOnce(&Change<'_>) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
        let mut connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection.transaction()?;
        change(&Change(&transaction))?;
        transaction.commit()
    }

    /// Calls `row` with each row a query gives.
    pub(super) fn each(
        &self,
        query: &str,
        mut row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut statement = connection.prepare(query)?;
        let mut rows = statement.query([])?;
        while let Some(next) = rows.next()? {
            row(next)?;
        }
        Ok(())
    }
}

/// A transaction in progress.
#[derive(Debug)]
pub(super) struct Change<'a>(&'a Transaction<'a>);

impl Change<'_> {
    fn run(&self, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<()> {
        self.0.prepare_cached(sql)?.execute(values).map(drop)
    }

    pub(super) fn put_bucket(&self, name: &str, facts: &str) -> rusqlite::Result<()> {
        self.run("INSERT OR REPLACE INTO buckets VALUES (?1, ?2)", params![name, facts])
    }

    pub(super) fn delete_bucket(&self, name: &str) -> rusqlite::Result<()> {
        self.run("DELETE FROM buckets WHERE name = ?1", params![name])
    }

    pub(super) fn put_version(
        &self,
        bucket: &str,
        key: &[u8],
        id: &str,
        sequence: u64,
        facts: &str,
        content: &Content,
    ) -> rusqlite::Result<()> {
        self.put_rows(content)?;
        self.run(
            "INSERT OR REPLACE INTO versions VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![bucket, key, id, sequence.cast_signed(), facts, segments(content)],
        )
    }

    pub(super) fn delete_version(&self, bucket: &str, key: &[u8], id: &str) -> rusqlite::Result<()> {
        self.run("DELETE FROM versions WHERE bucket = ?1 AND key = ?2 AND id = ?3", params![bucket, key, id])
    }

    pub(super) fn put_upload(&self, bucket: &str, key: &[u8], id: &str, facts: &str) -> rusqlite::Result<()> {
        self.run("INSERT OR REPLACE INTO uploads VALUES (?1, ?2, ?3, ?4)", params![bucket, key, id, facts])
    }

    pub(super) fn delete_upload(&self, id: &str) -> rusqlite::Result<()> {
        self.run("DELETE FROM uploads WHERE id = ?1", params![id])?;
        self.run("DELETE FROM parts WHERE upload = ?1", params![id])
    }

    pub(super) fn put_part(&self, upload: &str, number: u16, facts: &str, content: &Content) -> rusqlite::Result<()> {
        self.put_rows(content)?;
        self.run(
            "INSERT OR REPLACE INTO parts VALUES (?1, ?2, ?3, ?4)",
            params![upload, number, facts, segments(content)],
        )
    }

    pub(super) fn delete_blob(&self, id: u64) -> rusqlite::Result<()> {
        self.run("DELETE FROM blobs WHERE id = ?1", params![id.cast_signed()])
    }

    /// Small bytes that are not stored yet.
    fn put_rows(&self, content: &Content) -> rusqlite::Result<()> {
        for segment in content.segments() {
            if let Some(bytes) = segment.blob.pending() {
                self.run(
                    "INSERT OR REPLACE INTO blobs VALUES (?1, ?2)",
                    params![segment.blob.id.cast_signed(), &*bytes],
                )?;
            }
        }
        Ok(())
    }
}

fn segments(content: &Content) -> String {
    let rows: Vec<_> = content.segments().iter().map(super::content::Segment::to_row).collect();
    serde_json::to_string(&rows).expect("numbers and flags always serialise")
}
