//! The record codec: what flows through pipes, both ways.
//!
//! A record is one exact object, a pair of places, or a common prefix. Its form is recognised record by record, so a list may mix
//! them; only NUL framing is a mode. Whatever is written here is read back as the same names, whatever bytes a key holds:
//!
//! | form | looks like | lives in |
//! |---|---|---|
//! | URI line | `s3://bucket/key`, or `\s3://bucket/ke\ny` where the name needs escapes, or `\s3://bucket/key\vVERSIONID` | `line` |
//! | pair line | `SRC<TAB>DST` | `line` |
//! | local path | `dir/file` | `line` |
//! | common prefix | `PRE<TAB>s3://bucket/prefix/` | `line` |
//! | TSV line | five fields or more | `tsv` |
//! | JSON line | `{"uri":…}` | `json` |
//!
//! Cutting a byte stream into records is [`Splitter`]'s work.

mod json;
mod line;
mod split;
mod tsv;

use super::uri::S3Uri;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

pub use json::write_string as write_json_string;
pub use split::Splitter;
pub use tsv::header as tsv_header;

/// An entity tag as the store gave it, without the surrounding quotes; opaque (it is an MD5 only by accident).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ETag(String);

impl ETag {
    /// Takes `"abc"` or `abc`: one pair of quotes is stripped.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        Self(bare.to_owned())
    }

    /// The bare tag.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// With quotes, as `If-Match` and Complete want it.
    #[must_use]
    pub fn quoted(&self) -> String {
        format!("\"{}\"", self.0)
    }
}

/// Facts about one object (or object version). Only `uri` is certain; the rest is what the producer knew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Bucket and key.
    pub uri: S3Uri,
    /// Set when the record means this version and no other; `null` is a version id too.
    pub version_id: Option<String>,
    /// Bytes.
    pub size: Option<u64>,
    /// When the store took the object in.
    pub last_modified: Option<Timestamp>,
    /// Becomes `If-Match`, so that a replaced object is not taken for this one.
    pub etag: Option<ETag>,
    /// S3's name of it, such as `STANDARD_IA`.
    pub storage_class: Option<String>,
    /// S3's name of the stored checksum's algorithm.
    pub checksum_algorithm: Option<String>,
    /// `FULL_OBJECT` or `COMPOSITE`.
    pub checksum_type: Option<String>,
    /// Whether this version is the one an unversioned GET finds.
    pub is_latest: Option<bool>,
    /// Whether the version is a delete marker.
    pub delete_marker: bool,
    /// The owner's id.
    pub owner: Option<String>,
    /// State of a restore from an archive class, as the store words it.
    pub restore: Option<String>,
}

impl Record {
    /// A record that knows only its name.
    #[must_use]
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
    /// An object.
    Object(Box<Record>),
    /// A path, exactly as written.
    Local(PathBuf),
}

impl Place {
    /// Bucket and key, where it is an object.
    #[must_use]
    pub fn uri(&self) -> Option<&S3Uri> {
        match self {
            Self::Object(record) => Some(&record.uri),
            Self::Local(_) => None,
        }
    }
}

/// What one line of input says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Empty line (or a TSV header): counted as skipped.
    Blank,
    /// A single source.
    One(Place),
    /// A source and its destination.
    Pair {
        /// Where the bytes are.
        src: Place,
        /// Where they go; for archives the entry's name, as a path.
        dst: Place,
    },
    /// A common prefix (`ls -d`).
    Prefix(S3Uri),
}

/// How records are separated and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// One a line.
    #[default]
    Lines,
    /// Literal names that end in NUL, as `find -print0` writes them.
    Null,
}

/// Output form of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// URI lines.
    #[default]
    Uri,
    /// JSON lines.
    Json,
    /// Tab-separated columns.
    Tsv,
    /// Literal URIs that end in NUL.
    Null,
}

/// Why an input record is malformed; the text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Over [`MAX_RECORD`].
    #[error("longer than 64 KiB")]
    TooLong,
    /// An object's name is not UTF-8 (local paths may be anything).
    #[error("not valid UTF-8")]
    Utf8,
    /// No form of a record, or one that contradicts itself.
    #[error("{0}")]
    Malformed(String),
}

impl RecordError {
    fn malformed<T>(why: impl Into<String>) -> Result<T, Self> {
        Err(Self::Malformed(why.into()))
    }
}

/// Longest record accepted, in bytes, without its terminator.
pub const MAX_RECORD: usize = 64 * 1024;

/// Reads one record (without its terminator).
pub fn parse(line: &[u8], framing: Framing) -> Result<Entry, RecordError> {
    let entry = parse_any(line, framing)?;
    let uris = match &entry {
        Entry::Blank => [None, None],
        Entry::One(place) => [place.uri(), None],
        Entry::Pair { src, dst } => [src.uri(), dst.uri()],
        Entry::Prefix(uri) => [Some(uri), None],
    };
    if let Some(uri) = uris.into_iter().flatten().find(|uri| uri.key.is_empty()) {
        return RecordError::malformed(format!("{uri} names a bucket; a record names one object"));
    }
    Ok(entry)
}

/// Reads one record of a list of *prefixes* (`ls --from`): a common prefix, or a URI in any form, which may be a bucket and is taken
/// as a prefix. `None` for a blank line.
pub fn parse_prefix(line: &[u8], framing: Framing) -> Result<Option<S3Uri>, RecordError> {
    match parse_any(line, framing)? {
        Entry::Blank => Ok(None),
        Entry::Prefix(uri) => Ok(Some(uri)),
        Entry::One(Place::Object(record)) if record.version_id.is_none() => Ok(Some(record.uri)),
        Entry::One(_) | Entry::Pair { .. } => RecordError::malformed("not a prefix (s3://bucket/prefix)"),
    }
}

/// Recognises the form and reads it; keys may still be empty.
fn parse_any(line: &[u8], framing: Framing) -> Result<Entry, RecordError> {
    if line.len() > MAX_RECORD {
        return Err(RecordError::TooLong);
    }
    match (framing, line.first()) {
        (_, None) => Ok(Entry::Blank),
        (Framing::Null, _) => line::parse_literal(line),
        (Framing::Lines, Some(b'{')) => json::parse(line),
        (Framing::Lines, _) => match line::fields(line)? {
            fields if fields.raw.len() >= tsv::LEAST_FIELDS => tsv::parse(&fields),
            fields => line::parse(&fields),
        },
    }
}

/// Appends one record with its terminator. `with_versions` adds the two TSV columns of `--versions`.
///
/// NUL form has no escapes, so it cannot hold a version or a key with NUL. Such a record is written as JSON (and NUL): its reader
/// takes it for a local path and fails, instead of acting on another object. Better, refuse `-0` where [`fits_null`] is false.
pub fn write_object(out: &mut Vec<u8>, record: &Record, format: Format, with_versions: bool) {
    match format {
        Format::Uri => line::write_object(out, record),
        Format::Tsv => tsv::write(out, record, with_versions),
        Format::Null if fits_null(record) => {
            line::write_raw_uri(out, &record.uri);
            out.push(0);
        }
        Format::Json | Format::Null => {
            json::write_object(out, record, None);
            out.push(terminator(format));
        }
    }
}

/// Whether NUL form says everything that identifies the record.
#[must_use]
pub fn fits_null(record: &Record) -> bool {
    record.version_id.is_none() && !record.uri.key.contains('\0')
}

/// Appends a local path as a record with its terminator, for commands that print the files they made.
///
/// Names that would read as something else are written with `./` before them; JSON, which holds no bytes outside UTF-8, gives way
/// to a line for such a path.
pub fn write_local(out: &mut Vec<u8>, path: &Path, format: Format) {
    let bytes = line::path_bytes(path);
    match (format, std::str::from_utf8(&bytes)) {
        (Format::Null, _) => {
            out.extend_from_slice(&bytes);
            out.push(0);
        }
        (Format::Json, Ok(text)) => {
            json::write_local(out, text, None);
            out.push(b'\n');
        }
        (Format::Uri | Format::Tsv | Format::Json, _) => line::write(out, &[line::Field::Text(&bytes)]),
    }
}

/// Appends a common prefix with its terminator.
pub fn write_prefix(out: &mut Vec<u8>, uri: &S3Uri, format: Format) {
    match format {
        Format::Uri => line::write_prefix(out, uri),
        Format::Json => json::write_prefix(out, uri),
        Format::Tsv => tsv::write_prefix(out, uri),
        Format::Null => {
            out.extend_from_slice(line::PREFIX_MARK);
            out.push(b'\t');
            line::write_raw_uri(out, uri);
        }
    }
    // The lines bring their own; the others are bare.
    if matches!(format, Format::Json | Format::Null) {
        out.push(terminator(format));
    }
}

/// Appends a pair (`SRC<TAB>DST`, or JSON with `dst`) with its terminator. NUL form knows no pairs: refuse it before; here it gets
/// JSON, as [`write_object`] explains.
pub fn write_pair(out: &mut Vec<u8>, src: &Place, dst: &Place, format: Format) {
    let as_json = matches!(format, Format::Json | Format::Null);
    if as_json && json::write_pair(out, src, dst) {
        out.push(terminator(format));
    } else {
        line::write_pair(out, src, dst);
    }
}

fn terminator(format: Format) -> u8 {
    if format == Format::Null { 0 } else { b'\n' }
}

#[cfg(test)]
mod tests;
