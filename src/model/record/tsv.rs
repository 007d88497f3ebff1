//! Records as tab-separated columns, for `sort`, `awk` and databases.
//!
//! `uri size last_modified etag storage_class`, and with versions `version_id latest|old|marker`. What is unknown is an empty field;
//! a common prefix has the size `-`. Further columns are ignored when read.

use super::line::{self, Field, Fields};
use super::{ETag, Entry, Place, Record, RecordError};
use crate::model::units;
use crate::model::uri::S3Uri;
use std::io::Write as _;

const COLUMNS: &str = "uri\tsize\tlast_modified\tetag\tstorage_class";
const COLUMNS_WITH_VERSIONS: &str = "uri\tsize\tlast_modified\tetag\tstorage_class\tversion_id\tversion";

/// The TSV header line, without its line end.
#[must_use]
pub fn header(with_versions: bool) -> &'static str {
    if with_versions { COLUMNS_WITH_VERSIONS } else { COLUMNS }
}

/// Appends a record's line. Without the version columns a version goes into the URI, as on a URI line.
pub(super) fn write(out: &mut Vec<u8>, record: &Record, with_versions: bool) {
    // Digits of a u64 and of a time; a slice of each becomes a field.
    let (mut size, mut time) = ([0; 20], Vec::new());
    let size_len = record.size.map_or(0, |bytes| {
        let mut rest = &mut size[..];
        write!(rest, "{bytes}").expect("20 digits hold any u64");
        20 - rest.len()
    });
    if let Some(instant) = record.last_modified {
        units::write_time(&mut time, instant);
    }
    let version_id = record.version_id.as_deref();
    let fields = [
        Field::Uri(&record.uri, version_id.filter(|_| !with_versions)),
        Field::Text(&size[..size_len]),
        Field::Text(&time),
        Field::Text(record.etag.as_ref().map_or("", ETag::as_str).as_bytes()),
        Field::Text(record.storage_class.as_deref().unwrap_or_default().as_bytes()),
        Field::Text(version_id.unwrap_or_default().as_bytes()),
        Field::Text(state(record).as_bytes()),
    ];
    line::write(out, if with_versions { &fields } else { &fields[..5] });
}

fn state(record: &Record) -> &'static str {
    match (record.delete_marker, record.is_latest) {
        (true, _) => "marker",
        (false, Some(true)) => "latest",
        (false, Some(false)) => "old",
        (false, None) => "",
    }
}

/// Appends a common prefix's line.
pub(super) fn write_prefix(out: &mut Vec<u8>, uri: &S3Uri) {
    let empty = Field::Text(b"");
    line::write(out, &[Field::Uri(uri, None), Field::Text(b"-"), empty, empty, empty]);
}

/// Fields from which on a line is TSV.
pub(super) const LEAST_FIELDS: usize = 5;

/// Reads a line of [`LEAST_FIELDS`] fields or more.
pub(super) fn parse(fields: &Fields<'_>) -> Result<Entry, RecordError> {
    let &Fields { escaped, ref raw } = fields;
    let column = |at: usize| line::text(raw.get(at).copied().unwrap_or_default(), escaped);
    if raw[0] == b"uri" && column(1)? == "size" {
        return Ok(Entry::Blank);
    }
    let Place::Object(mut record) = line::place(raw[0], escaped)? else {
        return RecordError::malformed(format!("{} fields, but the first is no s3:// URI", raw.len()));
    };
    let size = column(1)?;
    if size == "-" && record.version_id.is_none() {
        return Ok(Entry::Prefix(record.uri));
    }
    let known = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    record.size = number(&size)?;
    record.last_modified = time(&column(2)?)?;
    record.etag = Some(column(3)?).filter(|tag| !tag.is_empty()).map(|tag| ETag::new(&tag));
    record.storage_class = known(&column(4)?);
    let version = known(&column(5)?);
    if version.is_some() && record.version_id.is_some() && version != record.version_id {
        return RecordError::malformed("the URI and the version_id column name different versions");
    }
    record.version_id = version.or(record.version_id);
    match &*column(6)? {
        "latest" => record.is_latest = Some(true),
        "old" => record.is_latest = Some(false),
        "marker" => record.delete_marker = true,
        "" => {}
        other => {
            return RecordError::malformed(format!("'{other}' in the version column; it holds latest, old or marker"));
        }
    }
    Ok(Entry::One(Place::Object(record)))
}

fn number(text: &str) -> Result<Option<u64>, RecordError> {
    match text.parse() {
        _ if text.is_empty() => Ok(None),
        Ok(bytes) => Ok(Some(bytes)),
        Err(_) => RecordError::malformed(format!("'{text}' in the size column is no number of bytes")),
    }
}

fn time(text: &str) -> Result<Option<jiff::Timestamp>, RecordError> {
    match units::instant(text) {
        _ if text.is_empty() => Ok(None),
        Some(time) => Ok(Some(time)),
        None => RecordError::malformed(format!("'{text}' in the last_modified column is no ISO 8601 time")),
    }
}
