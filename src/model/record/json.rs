//! Records as JSON lines: one object a line, absent facts left out, unknown fields ignored.
//!
//! Written by hand, because a listing writes millions of them; read by serde.

use super::line::{self, path_bytes};
use super::{ETag, Entry, Place, Record, RecordError};
use crate::model::units;
use crate::model::uri::{S3Uri, SCHEME};
use serde::Deserialize;
use std::borrow::Cow;
use std::io::Write as _;

/// The fields that mean something. Each may be missing or null.
#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow)]
    bucket: Option<Cow<'a, str>>,
    #[serde(borrow)]
    key: Option<Cow<'a, str>>,
    #[serde(borrow)]
    dst: Option<Cow<'a, str>>,
    #[serde(borrow)]
    prefix: Option<Cow<'a, str>>,
    #[serde(borrow)]
    last_modified: Option<Cow<'a, str>>,
    #[serde(borrow)]
    etag: Option<Cow<'a, str>>,
    size: Option<u64>,
    storage_class: Option<String>,
    checksum_algorithm: Option<String>,
    checksum_type: Option<String>,
    version_id: Option<String>,
    is_latest: Option<bool>,
    delete_marker: Option<bool>,
    owner: Option<String>,
    restore: Option<String>,
}

/// Reads a line that starts with `{`.
pub(super) fn parse(text: &[u8]) -> Result<Entry, RecordError> {
    let text = std::str::from_utf8(text).map_err(|_| RecordError::Utf8)?;
    let raw: Raw<'_> = serde_json::from_str(text).map_err(|error| {
        // Records are single lines, and callers know which.
        let reason = error.to_string().replace(" at line 1 column ", " at column ");
        RecordError::Malformed(format!("not a JSON record: {reason}"))
    })?;
    if let Some(prefix) = &raw.prefix {
        return if raw.uri.is_some() || raw.key.is_some() || raw.dst.is_some() {
            RecordError::malformed("names an object and a prefix at once")
        } else {
            uri(prefix).map(Entry::Prefix)
        };
    }
    let dst = raw.dst.as_deref().map(|dst| line::place(dst.as_bytes(), false)).transpose()?;
    let src = source(raw)?;
    Ok(match dst {
        Some(dst) => Entry::Pair { src, dst },
        None => Entry::One(src),
    })
}

fn uri(text: &str) -> Result<S3Uri, RecordError> {
    S3Uri::parse(text).map_err(|error| RecordError::Malformed(error.to_string()))
}

/// The place that `uri`, or else `bucket` and `key`, name; with the facts, if it is an object.
fn source(raw: Raw<'_>) -> Result<Place, RecordError> {
    let named = match (&raw.uri, &raw.bucket, &raw.key) {
        (Some(uri), _, _) => line::place(uri.as_bytes(), false)?,
        (None, Some(bucket), Some(key)) => {
            Place::Object(Box::new(Record::new(uri(&format!("{SCHEME}{bucket}/{key}"))?)))
        }
        (None, _, _) => return RecordError::malformed("has neither uri nor bucket and key"),
    };
    let Place::Object(mut record) = named else {
        return if raw.bucket.is_some() || raw.key.is_some() {
            RecordError::malformed("uri is a local path, but bucket or key is given")
        } else {
            Ok(named)
        };
    };
    let differs = |given: Option<&str>, own: &str| given.is_some_and(|given| given != own);
    if differs(raw.bucket.as_deref(), &record.uri.bucket) || differs(raw.key.as_deref(), &record.uri.key) {
        return RecordError::malformed("uri and bucket/key name different objects");
    }
    let known = |text: Option<String>| text.filter(|text| !text.is_empty());
    let version_id = known(raw.version_id);
    if record.version_id.is_some() && version_id.is_some() && record.version_id != version_id {
        return RecordError::malformed("uri and version_id name different versions");
    }
    record.version_id = version_id.or(record.version_id);
    record.size = raw.size;
    record.last_modified = raw.last_modified.as_deref().filter(|text| !text.is_empty()).map(time).transpose()?;
    record.etag = raw.etag.filter(|tag| !tag.is_empty()).map(|tag| ETag::new(&tag));
    record.storage_class = known(raw.storage_class);
    record.checksum_algorithm = known(raw.checksum_algorithm);
    record.checksum_type = known(raw.checksum_type);
    record.is_latest = raw.is_latest;
    record.delete_marker = raw.delete_marker.unwrap_or_default();
    record.owner = known(raw.owner);
    record.restore = known(raw.restore);
    Ok(Place::Object(record))
}

fn time(text: &str) -> Result<jiff::Timestamp, RecordError> {
    units::instant(text).ok_or_else(|| RecordError::Malformed(format!("last_modified '{text}' is no ISO 8601 time")))
}

/// Appends an object without terminator; `dst` makes it a pair.
pub(super) fn write_object(out: &mut Vec<u8>, record: &Record, dst: Option<&str>) {
    let mut fields = Fields::open(out);
    fields.uri("uri", &record.uri);
    fields.text("bucket", Some(&record.uri.bucket));
    fields.text("key", Some(&record.uri.key));
    if let Some(size) = record.size {
        fields.literal("size", size);
    }
    if let Some(time) = record.last_modified {
        fields.time("last_modified", time);
    }
    fields.text("etag", record.etag.as_ref().map(ETag::as_str));
    fields.text("storage_class", record.storage_class.as_deref());
    fields.text("checksum_algorithm", record.checksum_algorithm.as_deref());
    fields.text("checksum_type", record.checksum_type.as_deref());
    fields.text("version_id", record.version_id.as_deref());
    if let Some(latest) = record.is_latest {
        fields.literal("is_latest", latest);
    }
    if record.delete_marker {
        fields.literal("delete_marker", true);
    }
    fields.text("owner", record.owner.as_deref());
    fields.text("restore", record.restore.as_deref());
    fields.text("dst", dst);
    fields.close();
}

/// Appends a local path without terminator; `dst` makes it a pair.
pub(super) fn write_local(out: &mut Vec<u8>, path: &str, dst: Option<&str>) {
    let mut fields = Fields::open(out);
    fields.text("uri", Some(path));
    fields.text("dst", dst);
    fields.close();
}

/// Appends a common prefix without terminator.
pub(super) fn write_prefix(out: &mut Vec<u8>, uri: &S3Uri) {
    let mut fields = Fields::open(out);
    fields.uri("prefix", uri);
    fields.close();
}

/// Appends a pair without terminator; `false`, and nothing written, if one side is a path that is not UTF-8.
pub(super) fn write_pair(out: &mut Vec<u8>, src: &Place, dst: &Place) -> bool {
    let mut line = Vec::new();
    match dst {
        Place::Local(path) => line.extend_from_slice(&path_bytes(path)),
        // A destination's version has no field of its own; the line form holds it.
        Place::Object(record) if record.version_id.is_some() => {
            line::write_object(&mut line, record);
            line.pop();
        }
        Place::Object(record) => line::write_raw_uri(&mut line, &record.uri),
    }
    let Ok(dst) = String::from_utf8(line) else { return false };
    match src {
        Place::Object(record) => write_object(out, record, Some(&dst)),
        Place::Local(path) => match std::str::from_utf8(&path_bytes(path)) {
            Ok(path) => write_local(out, path, Some(&dst)),
            Err(_) => return false,
        },
    }
    true
}

/// Appends the fields of one JSON object; absent ones are left out.
struct Fields<'a> {
    out: &'a mut Vec<u8>,
    separator: u8,
}

impl<'a> Fields<'a> {
    fn open(out: &'a mut Vec<u8>) -> Self {
        Self { out, separator: b'{' }
    }

    fn name(&mut self, name: &str) {
        self.out.push(self.separator);
        self.separator = b',';
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.name(name);
            write_string(self.out, value);
        }
    }

    fn uri(&mut self, name: &str, uri: &S3Uri) {
        self.name(name);
        self.out.push(b'"');
        // Neither the scheme nor a bucket's name holds anything to escape, but nothing here proves it.
        for piece in [SCHEME, &uri.bucket, "/", &uri.key] {
            write_escaped(self.out, piece.as_bytes());
        }
        self.out.push(b'"');
    }

    /// A number or a truth value.
    fn literal(&mut self, name: &str, value: impl std::fmt::Display) {
        self.name(name);
        write!(self.out, "{value}").expect("a Vec takes all bytes");
    }

    fn time(&mut self, name: &str, time: jiff::Timestamp) {
        self.name(name);
        self.out.push(b'"');
        units::write_time(self.out, time);
        self.out.push(b'"');
    }

    fn close(self) {
        self.out.push(b'}');
    }
}

/// Appends a JSON string, quotes included, without allocating.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_escaped(out, text.as_bytes());
    out.push(b'"');
}

fn write_escaped(out: &mut Vec<u8>, text: &[u8]) {
    let mut clean = 0;
    for (at, byte) in text.iter().enumerate() {
        if !matches!(byte, 0..0x20 | b'"' | b'\\') {
            continue;
        }
        out.extend_from_slice(&text[clean..at]);
        clean = at + 1;
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            b'\n' => out.extend_from_slice(br"\n"),
            b'\r' => out.extend_from_slice(br"\r"),
            b'\t' => out.extend_from_slice(br"\t"),
            _ => write!(out, "\\u{byte:04x}").expect("a Vec takes all bytes"),
        }
    }
    out.extend_from_slice(&text[clean..]);
}
