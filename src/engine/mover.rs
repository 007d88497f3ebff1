//! What moving one job's bytes needs: a client, a policy, the memory budget, the counters, the wish to stop. One for a run, and a cheap
//! copy of it for each job.

use super::cancel::Cancel;
use super::local::target::TargetDir;
use super::memory::Memory;
use super::{Ending, Failure, Outcome};
use crate::model::stats::Stats;
use crate::s3::Client;
use crate::s3::ops::{ObjectAttributes, WriteCondition};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

/// What happens when the destination exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// It is replaced.
    #[default]
    Always,
    /// It is kept and the job skipped.
    Never,
    /// It is kept when it has the same size and is not older.
    Update,
}

/// How transfers are made: a value, passed down.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Length of a part or range, in bytes; raised where 10,000 parts would not do.
    pub part_size: u64,
    /// Objects up to this size go up by one PUT.
    pub multipart_threshold: u64,
    /// Sources of known size above this are copied in parts; S3 itself demands it above 5 GiB.
    pub copy_threshold: u64,
    /// Whether a copy asks for a size it does not know, so that the threshold holds for it; else CopyObject is tried first.
    pub copy_asks_size: bool,
    /// Length of a copied part.
    pub copy_part_size: u64,
    /// Most jobs under way at once.
    pub jobs: usize,
    /// Most parts or ranges of one object under way at once.
    pub streams: usize,
    /// Memory for bytes in flight.
    pub memory: u64,
    /// What happens when the destination exists.
    pub overwrite: Overwrite,
    /// A condition every written object must meet.
    pub condition: WriteCondition,
    /// What the user set for created objects; unset fields are guessed (uploads) or kept (copies).
    pub attributes: ObjectAttributes,
    /// Whether uploads get a content type from their name.
    pub guess_content_type: bool,
    /// Whether local files are flushed to the disk before they count as done.
    pub fsync: bool,
    /// Whether an empty stream may replace an existing object.
    pub allow_empty: bool,
    /// Size a stream must have, checked before it becomes an object.
    pub expect_size: Option<u64>,
}

/// What every job of a run is moved with.
#[derive(Debug)]
pub struct Mover {
    pub(super) client: Client,
    pub(super) policy: Arc<Policy>,
    pub(super) memory: Memory,
    pub(super) stats: Arc<Stats>,
    pub(super) cancel: Cancel,
    directories: Arc<Mutex<HashMap<PathBuf, Arc<TargetDir>>>>,
}

impl Mover {
    /// A mover that reaches one store.
    pub fn new(client: Client, policy: Policy, stats: Arc<Stats>, cancel: Cancel) -> Self {
        let memory = Memory::new(policy.memory);
        Self { client, policy: Arc::new(policy), memory, stats, cancel, directories: Arc::default() }
    }

    /// The same mover with a count of retries of its own.
    pub(super) fn for_job(&self) -> Self {
        Self {
            client: self.client.counting(),
            policy: self.policy.clone(),
            memory: self.memory.clone(),
            stats: self.stats.clone(),
            cancel: self.cancel.clone(),
            directories: self.directories.clone(),
        }
    }

    /// The handle of a target directory, opened once a run.
    pub(super) fn directory(&self, root: &Path) -> Result<Arc<TargetDir>, Failure> {
        let mut directories = self.directories.lock().expect("no holder of this lock panics");
        if let Some(directory) = directories.get(root) {
            return Ok(directory.clone());
        }
        let directory = Arc::new(TargetDir::open(root, true)?);
        directories.insert(root.to_path_buf(), directory.clone());
        Ok(directory)
    }
}

/// Adds the ending of a started job to the counters.
pub(super) fn count(stats: &Stats, ending: &Ending) {
    match ending {
        Ending::Done(done) => stats.job_done(done.size.unwrap_or(0)),
        Ending::Skipped(_) => stats.job_skipped(),
        Ending::Failed(_) | Ending::Cancelled => stats.job_failed(),
    }
}

/// Adds the ending of an input that never became a job.
pub(super) fn count_unstarted(stats: &Stats, ending: &Ending) {
    match ending {
        Ending::Skipped(_) | Ending::Done(_) => stats.record_skipped(),
        Ending::Failed(_) | Ending::Cancelled => stats.record_failed(),
    }
}

/// Hands an outcome on. Nobody listening means the command has ended: then the outcome has no reader.
pub(super) async fn deliver(outcomes: &mpsc::Sender<Outcome>, outcome: Outcome) {
    let _ = outcomes.send(outcome).await;
}

/// Bytes a running job has moved, for the progress display; taken back when the job ends, because finished jobs are counted whole.
#[derive(Debug)]
pub(super) struct Moving {
    stats: Arc<Stats>,
    moved: AtomicI64,
}

impl Moving {
    pub(super) fn new(stats: Arc<Stats>) -> Self {
        Self { stats, moved: AtomicI64::new(0) }
    }

    pub(super) fn add(&self, bytes: usize) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.moved.fetch_add(bytes, Ordering::Relaxed);
        self.stats.moving(bytes);
    }
}

impl Drop for Moving {
    fn drop(&mut self) {
        self.stats.moving(-self.moved.load(Ordering::Relaxed));
    }
}

/// Runs file work off the reactor.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
