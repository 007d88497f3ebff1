//! The record codec: what flows through pipes, both ways (`cli.md`, section Records).

use super::uri::S3Uri;
use jiff::Timestamp;

/// An entity tag as the store gave it, without the surrounding quotes; opaque (it is an MD5 only by accident).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ETag(String);
impl ETag {
    /// Takes `"abc"`, `abc` or `W/"abc"`-free text; strips one pair of quotes.
    pub fn new(_text: &str) -> Self {
        todo!()
    }
    /// The bare tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// With quotes, as `If-Match` and Complete want it.
    pub fn quoted(&self) -> String {
        format!("\"{}\"", self.0)
    }
}

/// Facts about one object (or object version). Only `uri` is certain; the rest is what the producer knew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub uri: S3Uri,
    pub version_id: Option<String>,
    pub size: Option<u64>,
    pub last_modified: Option<Timestamp>,
    pub etag: Option<ETag>,
    pub storage_class: Option<String>,
    pub checksum_algorithm: Option<String>,
    pub checksum_type: Option<String>,
    pub is_latest: Option<bool>,
    pub delete_marker: bool,
    pub owner: Option<String>,
    pub restore: Option<String>,
}
impl Record {
    /// A record that knows only its name.
    pub fn new(uri: S3Uri) -> Self {
        Self {
            uri,
            version_id: None,
            size: None,
            last_modified: None,
            etag: None,
            storage_class: None,
            checksum_algorithm: None,
            checksum_type: None,
            is_latest: None,
            delete_marker: false,
            owner: None,
            restore: None,
        }
    }
}

/// One side of a pair, or a whole line: an object or a local path (raw bytes of a path; not necessarily UTF-8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Object(Box<Record>),
    Local(std::path::PathBuf),
}

/// What one line of input says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Empty line: counted as skipped.
    Blank,
    /// A single source.
    One(Place),
    /// A source and its destination.
    Pair { src: Place, dst: Place },
    /// A common prefix (`ls -d`).
    Prefix(S3Uri),
}

/// How records are separated and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    #[default]
    Lines,
    Null,
}

/// Output form of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Uri,
    Json,
    Tsv,
    Null,
}

/// Why an input record is malformed; the text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("longer than 64 KiB")]
    TooLong,
    #[error("not valid UTF-8")]
    Utf8,
    #[error("{0}")]
    Malformed(String),
}

/// Longest record accepted, in bytes, without its terminator.
pub const MAX_RECORD: usize = 64 * 1024;

/// Reads one record (without its terminator).
pub fn parse(_line: &[u8], _framing: Framing) -> Result<Entry, RecordError> {
    todo!()
}

/// Appends one record with its terminator. `with_versions` adds the two TSV columns of `--versions`.
pub fn write_object(_out: &mut Vec<u8>, _record: &Record, _format: Format, _with_versions: bool) {
    todo!()
}
/// Appends a common prefix with its terminator.
pub fn write_prefix(_out: &mut Vec<u8>, _uri: &S3Uri, _format: Format) {
    todo!()
}
/// Appends a pair line (`SRC<TAB>DST`, or JSON with `dst`) with its terminator.
pub fn write_pair(_out: &mut Vec<u8>, _src: &Place, _dst: &Place, _format: Format) {
    todo!()
}
/// The TSV header line.
pub fn tsv_header(_with_versions: bool) -> &'static str {
    todo!()
}

/// Cuts a byte stream into records without holding more than one: push what was read, take what is whole.
/// A record over [`MAX_RECORD`] yields one `Err(TooLong)` at its line and is skipped to its terminator.
#[derive(Debug, Default)]
pub struct Splitter {/* framing, buffer, line number … */}
impl Splitter {
    pub fn new(_framing: Framing) -> Self {
        todo!()
    }
    /// Feeds bytes as they were read.
    pub fn push(&mut self, _bytes: &[u8]) {
        todo!()
    }
    /// Says that no more bytes come, so that a last record without terminator is whole.
    pub fn finish(&mut self) {
        todo!()
    }
    /// The next whole record: its 1-based number and its raw bytes (for `--failed`, verbatim), or why it is malformed.
    pub fn next_record(&mut self) -> Option<(u64, Result<Vec<u8>, RecordError>)> {
        todo!()
    }
}
