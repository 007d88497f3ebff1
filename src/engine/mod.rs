//! The engines: they move bytes between files, objects and streams, and know nothing of terminals or output formats.
//!
//! A [`Job`] goes in, exactly one [`Outcome`] comes out, also when it failed or was cancelled.

pub mod assign;
pub mod cancel;
pub mod cat;
mod copy;
pub mod delete;
mod download;
mod file_sink;
pub mod inspect;
pub mod list;
pub mod local;
pub mod memory;
pub mod mover;
mod multipart;
pub mod records;
pub mod select;
pub mod transfer;
mod upload;

use crate::model::name::NameError;
use crate::model::record::{Place, Record, RecordError};
use crate::model::uri::S3Uri;
use std::path::PathBuf;

/// Where bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An object; what its record knows (size, `ETag`) saves requests.
    Object(Box<Record>),
    /// A file, FIFO or device.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// An input line that names nothing.
    Unreadable(Vec<u8>),
}

/// Where bytes go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// An object.
    Object(S3Uri),
    /// A path the user named.
    File(PathBuf),
    /// A name below a target directory that nothing may leave.
    Beneath(PathBuf, crate::model::name::LocalName),
    /// Standard output.
    Stdout,
}

/// One thing to copy.
#[derive(Debug, Clone)]
pub struct Job {
    /// 1-based number among the jobs of a run.
    pub number: u64,
    /// Where the bytes come from.
    pub source: Source,
    /// Where they go.
    pub destination: Destination,
    /// The input record, verbatim, for `--failed`; `None` for operands.
    pub input: Option<Vec<u8>>,
}

/// What a finished job did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    /// Size of what was written; `None` where a copy on the server was told none.
    pub size: Option<u64>,
    /// The destination's `ETag`, where it is an object.
    pub etag: Option<crate::model::record::ETag>,
    /// The destination's version id.
    pub version_id: Option<String>,
    /// Checksum of the whole content, where one was computed or reported.
    pub checksum: Option<crate::model::checksum::Checksum>,
    /// Requests' attempts beyond the first.
    pub retries: u32,
    /// Wall time.
    pub elapsed: std::time::Duration,
}

/// How a job ended.
#[derive(Debug)]
pub enum Ending {
    /// All was done and verified.
    Done(Done),
    /// Nothing had to be done; the text says why (`exists`, `up to date`, `blank line`).
    Skipped(&'static str),
    /// It failed and left nothing half done.
    Failed(Failure),
    /// The run was stopped before it could finish.
    Cancelled,
}

impl From<Failure> for Ending {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Box<crate::s3::Error>> for Ending {
    fn from(error: Box<crate::s3::Error>) -> Self {
        Self::Failed(Failure::S3(error))
    }
}

/// What was asked and how it ended.
#[derive(Debug)]
pub struct Outcome {
    /// What was to be copied or deleted.
    pub source: Source,
    /// Where it was to go; `None` for deletions and for records that name no destination.
    pub destination: Option<Destination>,
    /// The input record, verbatim, for `--failed`; `None` for operands.
    pub input: Option<Vec<u8>>,
    /// What became of it.
    pub ending: Ending,
}

/// A job, or what became of an input that gave none.
pub type Assigned = Result<Job, Box<Outcome>>;

/// Why something could not be done. `ui::diagnostic` words it.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An S3 operation failed.
    #[error(transparent)]
    S3(#[from] Box<crate::s3::Error>),
    /// A local file operation failed.
    #[error("{action} {}: {source}", path.display())]
    Local {
        /// `open`, `read`, `write`, `rename`, `create directory` …
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The source file changed while it was read.
    #[error("{} changed while it was being read", .0.display())]
    SourceChanged(PathBuf),
    /// The bytes that arrived are not those the store keeps.
    #[error("{algorithm} of the received bytes is {actual}, the store says {expected}")]
    Checksum {
        /// S3's name of the algorithm.
        algorithm: &'static str,
        /// What the store says, base64.
        expected: String,
        /// What arrived, base64.
        actual: String,
    },
    /// No destination name can be made, or it would leave the target.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Two sources would get one destination.
    #[error("another source goes to {destination} already")]
    Conflict {
        /// Where both would go.
        destination: String,
    },
    /// The destination exists and must not be replaced (`cp -` of nothing over an object, a directory in the way …).
    #[error("{0}")]
    Refused(String),
    /// An input record is malformed.
    #[error("line {line}: {error}")]
    Record {
        /// 1-based.
        line: u64,
        /// Why.
        error: RecordError,
    },
    /// A named operand or prefix matched nothing.
    #[error("nothing matches")]
    NoMatch,
    /// A check asked for by the user failed (`--expect-size`, `--expect-records`).
    #[error("{0}")]
    Expectation(String),
}

/// A place as text, for messages and records.
impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Object(record) => write!(f, "{}", record.uri),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Stdin => f.write_str("-"),
            Self::Unreadable(line) => f.write_str(&String::from_utf8_lossy(line)),
        }
    }
}

impl From<Place> for Source {
    fn from(place: Place) -> Self {
        match place {
            Place::Object(record) => Self::Object(record),
            Place::Local(path) => Self::File(path),
        }
    }
}
