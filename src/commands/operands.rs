//! Reads what was typed as sources: which are objects, paths, globs, files, trees, or bytes on stdin. Refuses early what cannot be meant.

use crate::engine::select::Operand;
use crate::model::filter::is_glob;
use crate::model::record::Record;
use crate::model::uri::S3Uri;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// How operands are to be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'a> {
    /// `-r`.
    pub recursive: bool,
    /// `--raw`: no globs, and a `/` at the end is part of a name.
    pub raw: bool,
    /// Whether symlinks to directories are walked through.
    pub follow: bool,
    /// Version of the one object named.
    pub version_id: Option<&'a str>,
}

impl Reading<'_> {
    /// An object operand. The text of an error is a usage error.
    pub fn object(&self, text: &str) -> Result<Operand, String> {
        let uri = S3Uri::parse(text).map_err(|error| format!("'{text}': {error}"))?;
        let is_glob = !self.raw && is_glob(&uri.key);
        if self.recursive && !is_glob {
            return Ok(Operand::Below(uri));
        }
        if uri.key.is_empty() {
            return Err(format!("'{text}' is a whole bucket; add -r to take all of it"));
        }
        if is_glob {
            return Ok(Operand::Glob(uri));
        }
        let version_id = self.version_id.map(str::to_owned);
        Ok(Operand::Object(Box::new(Record { version_id, ..Record::new(uri) })))
    }

    /// An object operand of a command that takes bytes from it: a name that ends in `/` means a tree.
    pub fn readable_object(&self, text: &str) -> Result<Operand, String> {
        match self.object(text)? {
            Operand::Object(record) if record.uri.key.ends_with('/') && !self.raw => Err(format!(
                "'{text}' is a prefix; add -r to take all below it, or --raw for the object of exactly this name"
            )),
            operand => Ok(operand),
        }
    }

    /// A source of `cp`: `-`, an object, or something local.
    pub fn source(&self, text: &OsStr) -> Result<Operand, String> {
        match text.to_str() {
            Some("-") => Ok(Operand::Stdin),
            Some(uri) if uri.starts_with("s3://") => self.readable_object(uri),
            _ if text.is_empty() => Err("an operand is empty".into()),
            _ => self.local(PathBuf::from(text)),
        }
    }

    fn local(&self, path: PathBuf) -> Result<Operand, String> {
        match (path.is_dir(), self.recursive) {
            (true, true) => Ok(Operand::Tree { root: path, follow: self.follow }),
            (true, false) => Err(format!("'{}' is a directory; add -r to take all of it", path.display())),
            (false, _) => Ok(Operand::File(path)),
        }
    }
}

/// Whether an operand means objects.
#[must_use]
pub fn is_remote(operand: &Operand) -> bool {
    matches!(operand, Operand::Object(_) | Operand::Below(_) | Operand::Glob(_))
}

/// Whether an operand may stand for more than one source.
#[must_use]
pub fn is_many(operand: &Operand) -> bool {
    matches!(operand, Operand::Below(_) | Operand::Glob(_) | Operand::Tree { .. })
}

/// A destination as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// `-`.
    Stdout,
    /// `s3://…`.
    Object(S3Uri),
    /// A path.
    Local(PathBuf),
}

impl Typed {
    /// Reads a destination.
    pub fn parse(text: &OsString) -> Result<Self, String> {
        match text.to_str() {
            Some("-") => Ok(Self::Stdout),
            Some("") => Err("the destination is empty".into()),
            Some(uri) if uri.starts_with("s3://") => {
                S3Uri::parse(uri).map(Self::Object).map_err(|error| format!("'{uri}': {error}"))
            }
            _ => Ok(Self::Local(PathBuf::from(text))),
        }
    }

    /// Whether names are appended to it: it ends in `/`, is a bucket, or is a directory that exists.
    #[must_use]
    pub fn is_container(&self) -> bool {
        match self {
            Self::Stdout => false,
            Self::Object(uri) => uri.key.is_empty() || uri.key.ends_with('/'),
            Self::Local(path) => ends_in_slash(path) || path.is_dir(),
        }
    }
}

fn ends_in_slash(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_without_r_is_refused_with_the_hint() {
        let reading = Reading::default();
        for text in ["s3://b", "s3://b/", "s3://b/p/"] {
            let refused = reading.readable_object(text).expect_err("is no object");
            assert!(refused.contains("-r"), "{refused}");
        }
    }

    #[test]
    fn raw_takes_globs_and_slashes_literally() {
        let reading = Reading { raw: true, ..Reading::default() };
        assert!(matches!(reading.readable_object("s3://b/p/*"), Ok(Operand::Object(_))));
        assert!(matches!(reading.readable_object("s3://b/p/"), Ok(Operand::Object(_))));
    }

    #[test]
    fn a_bucket_and_a_name_with_a_slash_are_containers() {
        let is_container = |text: &str| Typed::parse(&text.into()).expect("is a destination").is_container();
        assert!(
            is_container("s3://b") && is_container("s3://b/p/") && is_container("no/such/dir/") && is_container(".")
        );
        assert!(!is_container("s3://b/p") && !is_container("no/such/file") && !is_container("-"));
    }
}
