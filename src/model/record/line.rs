//! Records as lines of text: URIs, pairs, local paths, common prefixes, and the escapes they share with TSV.
//!
//! Escapes belong to the line, as GNU `sha256sum` has them: a line that starts with `\` has `\n` `\r` `\t` `\s` `\\` in all its
//! fields, any other line is literal. So `sed` and `awk` may copy a part of a name from one field of a line to another. A later field
//! may all the same bring its own mark, as a whole URI line pasted there does: `\s3://` cannot begin anything else.

use super::{Entry, Place, Record, RecordError};
use crate::model::uri::{S3Uri, SCHEME};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// First field of a common prefix's line.
pub(super) const PREFIX_MARK: &[u8] = b"PRE";

/// How a URI that brings its own mark starts.
const MARKED_SCHEME: &[u8] = br"\s3://";

/// One field of a line to be written.
#[derive(Clone, Copy)]
pub(super) enum Field<'a> {
    /// Any text.
    Text(&'a [u8]),
    /// An object or prefix; a version needs the escaped form.
    Uri(&'a S3Uri, Option<&'a str>),
}

impl Field<'_> {
    fn needs_escapes(self) -> bool {
        match self {
            Self::Text(text) => is_ambiguous(text),
            Self::Uri(uri, version) => version.is_some() || is_ambiguous(uri.key.as_bytes()),
        }
    }

    fn write(self, out: &mut Vec<u8>, escaped: bool) {
        match self {
            Self::Text(text) if escaped => write_escaped(out, text),
            Self::Text(text) => out.extend_from_slice(text),
            Self::Uri(uri, _) if !escaped => write_raw_uri(out, uri),
            Self::Uri(uri, version) => {
                write_bucket(out, uri);
                write_escaped(out, uri.key.as_bytes());
                if let Some(version) = version {
                    out.extend_from_slice(br"\v");
                    write_escaped(out, version.as_bytes());
                }
            }
        }
    }
}

/// Whether a name written as it is would be read (by us or by a person) as another one. NUL is here so that a list made with
/// `-0` and read without is found out.
fn is_ambiguous(name: &[u8]) -> bool {
    let edge = |byte: Option<&u8>| byte == Some(&b' ');
    name.first() == Some(&b'\\')
        || edge(name.first())
        || edge(name.last())
        || name.iter().any(|byte| matches!(byte, b'\n' | b'\r' | b'\t' | 0))
}

fn write_escaped(out: &mut Vec<u8>, name: &[u8]) {
    for (at, byte) in name.iter().enumerate() {
        match byte {
            b'\n' => out.extend_from_slice(br"\n"),
            b'\r' => out.extend_from_slice(br"\r"),
            b'\t' => out.extend_from_slice(br"\t"),
            b'\\' => out.extend_from_slice(br"\\"),
            b' ' if at == 0 || at + 1 == name.len() => out.extend_from_slice(br"\s"),
            _ => out.push(*byte),
        }
    }
}

fn write_bucket(out: &mut Vec<u8>, uri: &S3Uri) {
    out.extend_from_slice(SCHEME.as_bytes());
    out.extend_from_slice(uri.bucket.as_bytes());
    out.push(b'/');
}

/// Appends `s3://bucket/key` as it is.
pub(super) fn write_raw_uri(out: &mut Vec<u8>, uri: &S3Uri) {
    write_bucket(out, uri);
    out.extend_from_slice(uri.key.as_bytes());
}

/// Appends a line of these fields, escaped if one of them needs it.
pub(super) fn write(out: &mut Vec<u8>, fields: &[Field<'_>]) {
    let escaped = fields.iter().any(|field| field.needs_escapes());
    if escaped {
        out.push(b'\\');
    }
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            out.push(b'\t');
        }
        field.write(out, escaped);
    }
    out.push(b'\n');
}

/// Appends an object's URI line.
pub(super) fn write_object(out: &mut Vec<u8>, record: &Record) {
    write(out, &[Field::Uri(&record.uri, record.version_id.as_deref())]);
}

/// Appends a common prefix's line.
pub(super) fn write_prefix(out: &mut Vec<u8>, uri: &S3Uri) {
    write(out, &[Field::Text(PREFIX_MARK), Field::Uri(uri, None)]);
}

/// Appends a pair line.
pub(super) fn write_pair(out: &mut Vec<u8>, src: &Place, dst: &Place) {
    let (src_path, dst_path) = (local_bytes(src), local_bytes(dst));
    write(out, &[field(src, &src_path), field(dst, &dst_path)]);
}

fn local_bytes(place: &Place) -> Cow<'_, [u8]> {
    match place {
        Place::Object(_) => Cow::Borrowed(&[]),
        Place::Local(path) => path_bytes(path),
    }
}

fn field<'a>(place: &'a Place, path: &'a [u8]) -> Field<'a> {
    match place {
        Place::Object(record) => Field::Uri(&record.uri, record.version_id.as_deref()),
        Place::Local(_) => Field::Text(path),
    }
}

/// A path's bytes, with `./` before a name that would read as a URI, as JSON, as a prefix's mark or as a size.
pub(super) fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    // ` 3://` is what the escaped form would turn into a marked scheme.
    let guarded = bytes.starts_with(SCHEME.as_bytes())
        || bytes.starts_with(b" 3://")
        || bytes.starts_with(MARKED_SCHEME)
        || bytes.starts_with(b"{")
        || bytes == PREFIX_MARK
        || bytes.starts_with(b"PRE\ts3://")
        || is_number(bytes);
    if guarded { Cow::Owned([b"./", bytes].concat()) } else { Cow::Borrowed(bytes) }
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// The fields of a line that was read, and whether they are escaped.
pub(super) struct Fields<'a> {
    pub(super) escaped: bool,
    pub(super) raw: Vec<&'a [u8]>,
}

/// Cuts a line that is not JSON into its fields.
pub(super) fn fields(line: &[u8]) -> Result<Fields<'_>, RecordError> {
    if line.last() == Some(&b'\r') {
        return RecordError::malformed(
            r"line ends in CR; remove it with `tr -d '\r'`, or write a name's own CR as \r in a line that starts with \",
        );
    }
    let (escaped, text) = line.strip_prefix(br"\").map_or((false, line), |rest| (true, rest));
    if !escaped && line.contains(&0) {
        return RecordError::malformed("holds NUL; read NUL-separated names with -0");
    }
    Ok(Fields { escaped, raw: text.split(|byte| *byte == b'\t').collect() })
}

/// Reads a line of fewer than five fields: a name, a pair or a common prefix.
pub(super) fn parse(fields: &Fields<'_>) -> Result<Entry, RecordError> {
    let escaped = fields.escaped;
    match fields.raw[..] {
        [one] => Ok(Entry::One(place(one, escaped)?)),
        [PREFIX_MARK, uri] if is_uri(uri) => prefix(place(uri, escaped)?),
        [_, dst] if is_number(dst) => RecordError::malformed("second field is a number; looks like a cut TSV line"),
        [src, dst] => Ok(Entry::Pair { src: place(src, escaped)?, dst: place(dst, escaped)? }),
        _ => RecordError::malformed(format!(
            "{} fields; a pair has two, a TSV line five or more (a TAB of a name is written \\t in a line that starts with \\)",
            fields.raw.len()
        )),
    }
}

/// Reads a NUL-terminated record: literal, except that a common prefix is told by its mark (no path holds `PRE<TAB>s3://`).
pub(super) fn parse_literal(name: &[u8]) -> Result<Entry, RecordError> {
    match name.strip_prefix(b"PRE\t") {
        Some(uri) if uri.starts_with(SCHEME.as_bytes()) => prefix(object(uri, None)?),
        _ if name.starts_with(SCHEME.as_bytes()) => Ok(Entry::One(object(name, None)?)),
        _ => Ok(Entry::One(local(name)?)),
    }
}

fn is_uri(field: &[u8]) -> bool {
    field.starts_with(SCHEME.as_bytes()) || field.starts_with(MARKED_SCHEME)
}

fn prefix(place: Place) -> Result<Entry, RecordError> {
    match place {
        Place::Object(record) if record.version_id.is_none() => Ok(Entry::Prefix(record.uri)),
        _ => RecordError::malformed("a common prefix has no version"),
    }
}

/// Reads a field as an object or a path.
pub(super) fn place(field: &[u8], escaped: bool) -> Result<Place, RecordError> {
    let (escaped, field) = if field.starts_with(MARKED_SCHEME) { (true, &field[1..]) } else { (escaped, field) };
    if !escaped {
        if field.starts_with(SCHEME.as_bytes()) {
            return object(field, None);
        }
        return local(field);
    }
    let (name, version) = unescape(field)?;
    if name.starts_with(SCHEME.as_bytes()) {
        return object(&name, version);
    }
    if version.is_some() {
        return RecordError::malformed(r"\v outside an s3:// URI");
    }
    local(&name)
}

fn object(uri: &[u8], version_id: Option<Vec<u8>>) -> Result<Place, RecordError> {
    let uri = std::str::from_utf8(uri).map_err(|_| RecordError::Utf8)?;
    let uri = S3Uri::parse(uri).map_err(|error| RecordError::Malformed(error.to_string()))?;
    let version_id = version_id.map(String::from_utf8).transpose().map_err(|_| RecordError::Utf8)?;
    Ok(Place::Object(Box::new(Record { version_id, ..Record::new(uri) })))
}

fn local(path: &[u8]) -> Result<Place, RecordError> {
    if path.is_empty() {
        return RecordError::malformed("an empty name");
    }
    if path.contains(&0) {
        return RecordError::malformed("a path cannot hold NUL");
    }
    Ok(Place::Local(path_buf(path)?))
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a path must be UTF-8")]
fn path_buf(path: &[u8]) -> Result<PathBuf, RecordError> {
    use std::os::unix::ffi::OsStrExt as _;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(path)))
}

#[cfg(not(unix))]
fn path_buf(path: &[u8]) -> Result<PathBuf, RecordError> {
    std::str::from_utf8(path).map(PathBuf::from).map_err(|_| RecordError::Utf8)
}

/// Takes escapes out of a field: the text, and the version id after `\v`.
fn unescape(field: &[u8]) -> Result<(Vec<u8>, Option<Vec<u8>>), RecordError> {
    let mut text = Vec::with_capacity(field.len());
    let mut version: Option<Vec<u8>> = None;
    let mut bytes = field.iter();
    while let Some(byte) = bytes.next() {
        let target = version.as_mut().unwrap_or(&mut text);
        if *byte != b'\\' {
            target.push(*byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => target.push(b'\n'),
            Some(b'r') => target.push(b'\r'),
            Some(b't') => target.push(b'\t'),
            Some(b's') => target.push(b' '),
            Some(b'\\') => target.push(b'\\'),
            Some(b'v') if version.is_none() => version = Some(Vec::new()),
            _ => {
                return RecordError::malformed(
                    r"in a line that starts with \ only \n \r \t \s \\ and one \v are escapes",
                );
            }
        }
    }
    if version.as_ref().is_some_and(Vec::is_empty) {
        return RecordError::malformed(r"\v without a version id");
    }
    Ok((text, version))
}

/// A plain field's text, unescaped where the line is.
pub(super) fn text(field: &[u8], escaped: bool) -> Result<Cow<'_, str>, RecordError> {
    if !escaped {
        return std::str::from_utf8(field).map(Cow::Borrowed).map_err(|_| RecordError::Utf8);
    }
    let (text, version) = unescape(field)?;
    if version.is_some() {
        return RecordError::malformed(r"\v outside an s3:// URI");
    }
    String::from_utf8(text).map(Cow::Owned).map_err(|_| RecordError::Utf8)
}
