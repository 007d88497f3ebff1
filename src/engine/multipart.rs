//! The life of a multipart upload: created, filled by whoever asked, completed; aborted on failure and on a stop, so that no billed parts stay.

use super::mover::Mover;
use super::{Ending, Failure};
use crate::model::checksum::{Algorithm, Checksum};
use crate::model::uri::S3Uri;
use crate::s3::ops::{
    AbortMultipartUpload, CompleteMultipartUpload, CreateMultipartUpload, ListParts, ObjectAttributes, PartDone, Put,
    WriteCondition,
};
use std::time::Duration;
use tokio::task::JoinSet;

/// Most tries to see an aborted upload gone: a part that was in flight may land after the first abort.
const ABORT_TRIES: u32 = 3;
/// Longest time the clean-up of one upload may take when the run is being stopped.
const ABORT_TIME: Duration = Duration::from_secs(8);

/// What the parts hold together.
pub(super) struct Filled {
    /// In order of part number.
    pub(super) parts: Vec<PartDone>,
    /// Bytes in all parts.
    pub(super) size: u64,
    /// Checksum of the whole, asserted at completion.
    pub(super) checksum: Option<Checksum>,
}

/// Where an upload goes and what it becomes.
pub(super) struct Upload<'a> {
    pub(super) to: &'a S3Uri,
    pub(super) attributes: ObjectAttributes,
    pub(super) algorithm: Option<Algorithm>,
    pub(super) condition: WriteCondition,
}

/// Creates an upload, lets `fill` send its parts (it gets the upload id), and completes it.
pub(super) async fn run<F: Future<Output = Result<Filled, Ending>>>(
    mover: &Mover,
    upload: Upload<'_>,
    fill: impl FnOnce(String) -> F,
) -> Result<(Put, Filled), Ending> {
    let create = CreateMultipartUpload {
        bucket: upload.to.bucket.clone(),
        key: upload.to.key.clone(),
        attributes: upload.attributes,
        checksum: upload.algorithm,
    };
    let id = mover.client.send(&create).await?;
    let abort = AbortMultipartUpload { bucket: create.bucket, key: create.key, upload_id: id.clone() };
    let filled = match mover.cancel.unless(fill(id)).await {
        Some(Ok(filled)) => filled,
        Some(Err(ending)) => return Err(settle(mover, &abort, ending).await),
        None => return Err(settle(mover, &abort, Ending::Cancelled).await),
    };
    let complete = CompleteMultipartUpload {
        bucket: abort.bucket.clone(),
        key: abort.key.clone(),
        upload_id: abort.upload_id.clone(),
        parts: filled.parts.clone(),
        checksum: filled.checksum.clone(),
        size: filled.size,
        condition: upload.condition,
    };
    // Not cut short by a stop: once it is sent, only its answer tells whether the object exists.
    match mover.client.send(&complete).await {
        Ok(put) => Ok((put, filled)),
        Err(error) => Err(settle(mover, &abort, error.into()).await),
    }
}

/// Aborts, then passes the reason on. A failed abort does not hide that reason; it is added to it.
async fn settle(mover: &Mover, upload: &AbortMultipartUpload, ending: Ending) -> Ending {
    match tokio::time::timeout(ABORT_TIME, abort(mover, upload)).await {
        Ok(Ok(())) => ending,
        Ok(Err(error)) => left_over(upload, &ending, &error.to_string()),
        Err(_elapsed) => left_over(upload, &ending, "the store did not answer in time"),
    }
}

fn left_over(upload: &AbortMultipartUpload, ending: &Ending, why: &str) -> Ending {
    let cause = match ending {
        Ending::Failed(failure) => failure.to_string(),
        Ending::Skipped(reason) => (*reason).to_string(),
        Ending::Cancelled | Ending::Done(_) => "stopped".to_string(),
    };
    let id = &upload.upload_id;
    Ending::Failed(Failure::Refused(format!("{cause}; and the unfinished upload {id} could not be aborted: {why}")))
}

/// Aborts until the store no longer knows the upload's parts.
async fn abort(mover: &Mover, upload: &AbortMultipartUpload) -> Result<(), Box<crate::s3::Error>> {
    let list = ListParts {
        bucket: upload.bucket.clone(),
        key: upload.key.clone(),
        upload_id: upload.upload_id.clone(),
        part_number_marker: None,
    };
    for _ in 0..ABORT_TRIES {
        mover.client.send(upload).await?;
        match mover.client.send(&list).await {
            Ok(page) if page.parts.is_empty() => return Ok(()),
            Ok(_) => {}
            Err(_gone) => return Ok(()),
        }
    }
    Ok(())
}

/// Parts on their way: bounded in number, reaped as they finish, all dropped with this value.
pub(super) struct Parts {
    tasks: JoinSet<Result<PartDone, Ending>>,
    limit: usize,
    done: Vec<PartDone>,
}

impl Parts {
    /// At most `limit` under way.
    pub(super) fn new(limit: usize) -> Self {
        Self { tasks: JoinSet::new(), limit, done: Vec::new() }
    }

    /// Starts one part, after waiting for room; fails with the first failed part.
    pub(super) async fn start(
        &mut self,
        part: impl Future<Output = Result<PartDone, Ending>> + Send + 'static,
    ) -> Result<(), Ending> {
        while self.tasks.len() >= self.limit {
            self.reap().await?;
        }
        self.tasks.spawn(part);
        Ok(())
    }

    /// Waits for all; the parts in order.
    pub(super) async fn finish(mut self) -> Result<Vec<PartDone>, Ending> {
        while !self.tasks.is_empty() {
            self.reap().await?;
        }
        self.done.sort_unstable_by_key(|part| part.number);
        Ok(self.done)
    }

    async fn reap(&mut self) -> Result<(), Ending> {
        match self.tasks.join_next().await {
            Some(Ok(part)) => self.done.push(part?),
            Some(Err(panic)) => std::panic::resume_unwind(panic.into_panic()),
            None => {}
        }
        Ok(())
    }
}
