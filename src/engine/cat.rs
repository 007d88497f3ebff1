//! Objects' bytes in order into one output: the next objects' first bytes and the present one's next ranges are fetched ahead, within the
//! memory budget, and handed over in sequence. An object that breaks after some of its bytes were written ends the run.

use super::memory::Share;
use super::mover::{Mover, Moving, count, count_unstarted, deliver};
use super::{Assigned, Destination, Done, Ending, Failure, Job, Outcome, Source};
use crate::model::checksum::Hasher;
use crate::model::plan;
use crate::model::record::Record;
use crate::s3::Sink;
use crate::s3::ops::{GetObject, ObjectHead};
use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Bytes an object's first GET brings before it is its turn.
const FIRST: u64 = 1 << 20;
/// Objects whose first bytes are fetched ahead.
const AHEAD: usize = 8;
/// Ranges of the present object fetched ahead.
const RANGES: usize = 8;

/// Where the bytes go.
pub trait Output: Send {
    /// Writes all of a chunk; awaiting here is back-pressure.
    fn write(&mut self, chunk: Bytes) -> impl Future<Output = std::io::Result<()>> + Send;
}

/// How writing objects in order ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every object was tried; failures before their first byte are among the outcomes.
    All,
    /// The output is broken or holds part of a broken object: nothing more was written.
    Broken,
    /// The run was stopped.
    Stopped,
}

/// Writes the jobs' objects to `output` in order. One outcome for each job taken.
pub async fn run(
    mover: &Mover,
    jobs: mpsc::Receiver<Assigned>,
    output: &mut impl Output,
    outcomes: &mpsc::Sender<Outcome>,
) -> Ended {
    let incoming = stream::unfold(jobs, |mut jobs| async { jobs.recv().await.map(|job| (job, jobs)) });
    let opened = incoming.map(|job| async {
        match job {
            Ok(job) => {
                mover.stats.job_started();
                let opened = open(mover, &job).await;
                Ok((job, opened))
            }
            Err(outcome) => Err(outcome),
        }
    });
    let mut opened = std::pin::pin!(opened.buffered(AHEAD));
    loop {
        let Some(next) = mover.cancel.unless(opened.next()).await else { return Ended::Stopped };
        let (job, opened) = match next {
            None => return Ended::All,
            Some(Err(outcome)) => {
                count_unstarted(&mover.stats, &outcome.ending);
                deliver(outcomes, *outcome).await;
                continue;
            }
            Some(Ok(opened)) => opened,
        };
        let mut wrote = false;
        let ending = match opened {
            Err(ending) => ending,
            Ok(opened) => match mover.cancel.unless(write(mover, &job, opened, output, &mut wrote)).await {
                None => Ending::Cancelled,
                Some(Ok(done)) => Ending::Done(done),
                Some(Err(ending)) => ending,
            },
        };
        let (stopped, failed) = (matches!(ending, Ending::Cancelled), matches!(ending, Ending::Failed(_)));
        count(&mover.stats, &ending);
        let outcome = Outcome { source: job.source, destination: Some(Destination::Stdout), input: job.input, ending };
        deliver(outcomes, outcome).await;
        if stopped {
            return Ended::Stopped;
        }
        if failed && wrote {
            return Ended::Broken;
        }
    }
}

/// An object whose first bytes are in memory.
struct Opened {
    head: ObjectHead,
    chunks: Vec<Bytes>,
    share: Share,
}

fn record(job: &Job) -> Result<&Record, Ending> {
    match &job.source {
        Source::Object(record) => Ok(record),
        other => Err(Failure::Refused(format!("{other} is not an object")).into()),
    }
}

async fn open(mover: &Mover, job: &Job) -> Result<Opened, Ending> {
    let record = record(job)?;
    let share = mover.memory.acquire(FIRST.min(record.size.unwrap_or(FIRST))).await;
    let get = GetObject {
        bucket: record.uri.bucket.clone(),
        key: record.uri.key.clone(),
        version_id: record.version_id.clone(),
        range: None,
        if_match: record.etag.clone(),
        checksum_mode: true,
        first: Some(FIRST),
    };
    let mut sink = Gather::default();
    let head = mover.client.get(&get, &mut sink).await?;
    Ok(Opened { head, chunks: sink.chunks, share })
}

/// Writes one opened object whole, its further ranges fetched ahead in order.
async fn write(
    mover: &Mover,
    job: &Job,
    opened: Opened,
    output: &mut impl Output,
    wrote: &mut bool,
) -> Result<Done, Ending> {
    let record = record(job)?;
    let Opened { head, chunks, share } = opened;
    let moving = Arc::new(Moving::new(mover.stats.clone()));
    let longer = head.size > FIRST;
    // What one GET brought whole, the client has verified; the rest is verified here, in order, so any algorithm will do.
    let mut hasher = head.checksum.as_ref().filter(|_| longer).map(|expected| Hasher::new(expected.algorithm()));
    let mut put = async |chunk: Bytes, hasher: &mut Option<Hasher>| {
        if let Some(hasher) = hasher {
            hasher.update(&chunk);
        }
        moving.add(chunk.len());
        *wrote = true;
        output.write(chunk).await.map_err(|source| Failure::Local {
            action: "write",
            path: "standard output".into(),
            source,
        })
    };
    for chunk in chunks {
        put(chunk, &mut hasher).await?;
    }
    // Given back before the ranges ask for theirs, and those are a fraction of the budget each: what waits for its turn behind this object
    // holds a share too, and must not keep this one from ending.
    drop(share);
    if longer {
        let length = mover.policy.part_size.min(mover.memory.bytes() / RANGES as u64);
        let ranges = plan::ranges(head.size - FIRST, length);
        let fetches = ranges.map(|range| fetch(mover, record, &head, range.start + FIRST..range.end + FIRST));
        let mut fetches = std::pin::pin!(stream::iter(fetches).buffered(RANGES));
        while let Some(fetched) = fetches.next().await {
            let (chunks, _share) = fetched?;
            for chunk in chunks {
                put(chunk, &mut hasher).await?;
            }
        }
    }
    let actual = hasher.map(Hasher::finish);
    super::download::compare(actual.as_ref(), &head)?;
    Ok(Done {
        size: Some(head.size),
        etag: head.etag.clone(),
        version_id: head.version_id.clone(),
        checksum: actual.or(head.checksum),
        ..Done::default()
    })
}

async fn fetch(
    mover: &Mover,
    record: &Record,
    head: &ObjectHead,
    range: Range<u64>,
) -> Result<(Vec<Bytes>, Share), Ending> {
    let share = mover.memory.acquire(range.end - range.start).await;
    let get = GetObject {
        bucket: record.uri.bucket.clone(),
        key: record.uri.key.clone(),
        version_id: head.version_id.clone().or_else(|| record.version_id.clone()),
        range: Some(range),
        if_match: head.etag.clone(),
        ..GetObject::default()
    };
    let mut sink = Gather::default();
    mover.client.get(&get, &mut sink).await?;
    Ok((sink.chunks, share))
}

/// Keeps a GET's bytes in memory; the caller holds their share of the budget.
#[derive(Default)]
struct Gather {
    chunks: Vec<Bytes>,
}

impl Sink for Gather {
    fn begin(&mut self, _head: &ObjectHead) -> std::io::Result<()> {
        Ok(())
    }

    async fn write(&mut self, chunk: Bytes) -> std::io::Result<()> {
        self.chunks.push(chunk);
        Ok(())
    }
}
