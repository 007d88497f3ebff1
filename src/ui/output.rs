//! Records in their printed forms, gathered into blocks.
//!
//! The forms that other commands read back are the codec's ([`crate::model::record`]); here are those for people and spreadsheets, and what
//! a terminal needs. Fields never depend on whether stdout is a terminal, only the escaping of unsafe characters does.

use crate::model::record::{self, Format, Record};
use crate::model::units;
use crate::model::uri::S3Uri;
use crate::s3::ops::Bucket;
use bytes::Bytes;
use serde_json::json;

/// How records are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One of the forms that can be read back.
    Codec(Format),
    /// Comma-separated values as RFC 4180 has them, with the fields of TSV.
    Csv,
    /// Size, time and URI, aligned.
    Long {
        /// Sizes as `1.5 GiB`.
        human: bool,
    },
}

/// Writes records into a block.
#[derive(Debug)]
pub struct Records {
    form: Form,
    for_terminal: bool,
    block: Vec<u8>,
    /// Lines written so far.
    pub lines: u64,
}

impl Records {
    /// An empty block. With `for_terminal`, characters that could fool a reader or a terminal are escaped.
    #[must_use]
    pub fn new(form: Form, for_terminal: bool) -> Self {
        Self { form, for_terminal, block: Vec::new(), lines: 0 }
    }

    /// The names of the fields, in forms that have such a line.
    pub fn header(&mut self) {
        match self.form {
            Form::Codec(Format::Tsv) => self.block.extend_from_slice(record::tsv_header(false).trim_end().as_bytes()),
            Form::Csv => self.block.extend_from_slice(b"uri,size,last_modified,etag,storage_class"),
            _ => return,
        }
        self.block.push(b'\n');
    }

    /// One object.
    pub fn object(&mut self, object: &Record) {
        let start = self.block.len();
        match self.form {
            Form::Codec(format) => record::write_object(&mut self.block, object, format, false),
            Form::Csv => csv(&mut self.block, &fields(object)),
            Form::Long { human } => {
                let size = object.size.map_or_else(|| "-".into(), |size| size_text(size, human));
                long(&mut self.block, &size, object.last_modified);
                record::write_object(&mut self.block, &name_of(object), Format::Uri, false);
            }
        }
        self.end_line(start);
    }

    /// One common prefix.
    pub fn prefix(&mut self, prefix: &S3Uri) {
        let start = self.block.len();
        match self.form {
            Form::Codec(format) => record::write_prefix(&mut self.block, prefix, format),
            Form::Csv => {
                csv(&mut self.block, &[prefix.to_string(), String::new(), String::new(), String::new(), String::new()]);
            }
            Form::Long { .. } => {
                long(&mut self.block, "PRE", None);
                record::write_object(&mut self.block, &Record::new(prefix.clone()), Format::Uri, false);
            }
        }
        self.end_line(start);
    }

    /// One bucket.
    pub fn bucket(&mut self, bucket: &Bucket) {
        let start = self.block.len();
        let uri = S3Uri::new(bucket.name.as_str(), "");
        let created = bucket.created.map(units::format_time);
        match self.form {
            Form::Codec(Format::Json) => {
                let mut line = json!({ "prefix": uri.to_string(), "bucket": bucket.name });
                let facts = [("created", &created), ("region", &bucket.region)];
                for (name, value) in facts.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
                    line[name] = json!(value);
                }
                self.block.extend_from_slice(line.to_string().as_bytes());
                self.block.push(b'\n');
            }
            Form::Codec(Format::Tsv) => {
                self.block.extend_from_slice(format!("{uri}\t-\t{}\t\t\n", created.unwrap_or_default()).as_bytes());
            }
            Form::Csv => {
                csv(
                    &mut self.block,
                    &[uri.to_string(), String::new(), created.unwrap_or_default(), String::new(), String::new()],
                );
            }
            Form::Codec(format) => record::write_object(&mut self.block, &Record::new(uri), format, false),
            Form::Long { .. } => {
                long(&mut self.block, "", bucket.created);
                self.block.extend_from_slice(format!("{uri}\n").as_bytes());
            }
        }
        self.end_line(start);
    }

    /// Bytes gathered and not yet taken.
    #[must_use]
    pub fn len(&self) -> usize {
        self.block.len()
    }

    /// Whether nothing was gathered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.block.is_empty()
    }

    /// Takes what was gathered.
    pub fn take(&mut self) -> Bytes {
        let capacity = self.block.len();
        std::mem::replace(&mut self.block, Vec::with_capacity(capacity)).into()
    }

    fn end_line(&mut self, start: usize) {
        self.lines += 1;
        let readable = !matches!(self.form, Form::Codec(Format::Json | Format::Null));
        if self.for_terminal && readable {
            make_safe(&mut self.block, start);
        }
    }
}

/// Escapes what a terminal should not see in the line that begins at `start`; tabs between fields stay.
fn make_safe(block: &mut Vec<u8>, start: usize) {
    let Ok(line) = std::str::from_utf8(&block[start..]) else { return };
    let line = line.trim_end_matches('\n');
    let safe = line.split('\t').map(units::sanitise).collect::<Vec<_>>().join("\t");
    if safe != line {
        block.truncate(start);
        block.extend_from_slice(safe.as_bytes());
        block.push(b'\n');
    }
}

fn name_of(object: &Record) -> Record {
    Record { version_id: object.version_id.clone(), ..Record::new(object.uri.clone()) }
}

fn size_text(size: u64, human: bool) -> String {
    if human { units::human_size(size) } else { size.to_string() }
}

/// Size and time columns. Times to the second: stores that keep milliseconds would break the alignment.
fn long(block: &mut Vec<u8>, size: &str, time: Option<jiff::Timestamp>) {
    let whole = time.and_then(|time| jiff::Timestamp::from_second(time.as_second()).ok());
    let time = whole.map(units::format_time).unwrap_or_default();
    block.extend_from_slice(format!("{size:>13}  {time:20}  ").as_bytes());
}

fn fields(object: &Record) -> [String; 5] {
    [
        object.uri.to_string(),
        object.size.map(|size| size.to_string()).unwrap_or_default(),
        object.last_modified.map(units::format_time).unwrap_or_default(),
        object.etag.as_ref().map(|etag| etag.as_str().to_owned()).unwrap_or_default(),
        object.storage_class.clone().unwrap_or_default(),
    ]
}

/// One row; fields with a separator, a quote or a line end are quoted.
fn csv(block: &mut Vec<u8>, fields: &[String]) {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            block.push(b',');
        }
        if field.contains([',', '"', '\r', '\n']) {
            block.extend_from_slice(format!("\"{}\"", field.replace('"', "\"\"")).as_bytes());
        } else {
            block.extend_from_slice(field.as_bytes());
        }
    }
    block.push(b'\n');
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn object(key: &str) -> Record {
        Record {
            size: Some(1_500_000),
            last_modified: Some("2026-01-31T12:00:00.5Z".parse().unwrap()),
            ..Record::new(S3Uri::new("b", key))
        }
    }

    fn printed(form: Form, for_terminal: bool, write: impl FnOnce(&mut Records)) -> String {
        let mut records = Records::new(form, for_terminal);
        write(&mut records);
        String::from_utf8(records.take().to_vec()).unwrap()
    }

    #[test]
    fn long_lines_are_aligned_and_times_whole() {
        let form = Form::Long { human: false };
        let text = printed(form, false, |r| {
            r.object(&object("k"));
            r.prefix(&S3Uri::new("b", "p/"));
        });
        let want =
            ["      1500000  2026-01-31T12:00:00Z  s3://b/k\n", "          PRE                        s3://b/p/\n"];
        assert_eq!(text, want.concat());
    }

    #[test]
    fn human_sizes_have_units() {
        assert!(printed(Form::Long { human: true }, false, |r| r.object(&object("k"))).contains("1.4 MiB"));
    }

    #[test]
    fn csv_quotes_what_would_break_a_row() {
        let text = printed(Form::Csv, false, |r| r.object(&object("say \"hi\", you")));
        assert_eq!(text, "\"s3://b/say \"\"hi\"\", you\",1500000,2026-01-31T12:00:00.500Z,,\n");
    }

    #[test]
    fn only_terminals_get_escaped_names() {
        let hostile = object("a\u{202e}b");
        assert!(printed(Form::Codec(Format::Uri), false, |r| r.object(&hostile)).contains('\u{202e}'));
        let safe = printed(Form::Codec(Format::Uri), true, |r| r.object(&hostile));
        assert!(!safe.contains('\u{202e}') && safe.ends_with('\n'), "{safe:?}");
    }

    #[test]
    fn a_bucket_reads_back_as_a_common_prefix() {
        let bucket = Bucket { name: "b".into(), created: None, region: Some("eu".into()) };
        let text = printed(Form::Codec(Format::Json), false, |r| r.bucket(&bucket));
        assert_eq!(text, "{\"bucket\":\"b\",\"prefix\":\"s3://b/\",\"region\":\"eu\"}\n");
    }
}
