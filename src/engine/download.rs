//! One object's bytes into a local file: one GET tells size, `ETag` and checksum and brings the first part; the other ranges open as soon
//! as its headers are in, all pinned to that `ETag`. The file appears whole and verified, or not at all.

use super::file_sink::{self, BLOCK, FirstSink, Opened, RangeSink, State, Writer};
use super::local::landing::Landed;
use super::local::target::Target;
use super::memory::Share;
use super::mover::{Mover, Moving, Overwrite, blocking};
use super::{Destination, Done, Ending, Failure};
use crate::model::checksum::{Checksum, Hasher};
use crate::model::plan;
use crate::model::record::Record;
use crate::s3::ops::{GetObject, HeadObject, ObjectHead};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// Downloads one object to the place a job names.
pub(super) async fn download(mover: &Mover, record: &Record, to: &Destination) -> Result<Done, Ending> {
    let Some(target) = resolve(mover, to)? else { return directory_marker(mover, record).await };
    if let Some(reason) = keep_present(mover, record, &target).await? {
        return Err(Ending::Skipped(reason));
    }
    let share = mover.memory.acquire(first_bytes(mover, record).min(2 * BLOCK as u64)).await;
    match mover.cancel.unless(fetch(mover, record, target, share)).await {
        Some(done) => done,
        None => Err(Ending::Cancelled),
    }
}

/// The target file; `None` when the name ends in `/` and so is a directory, which is made.
fn resolve(mover: &Mover, to: &Destination) -> Result<Option<Target>, Failure> {
    let target = match to {
        Destination::File(path) => Target::named(path),
        Destination::Beneath(root, name) => {
            let directory = mover.directory(root)?;
            if name.directory {
                directory.create_directory(name)?;
                return Ok(None);
            }
            directory.target(name)
        }
        Destination::Object(_) | Destination::Stdout => {
            return Err(Failure::Refused("the destination of a download is a file".into()));
        }
    };
    let keep = mover.policy.overwrite == Overwrite::Never;
    Ok(Some(if keep { target.keep_existing() } else { target }))
}

/// A key that ends in `/`: a directory, unless it has bytes, which no directory can hold.
async fn directory_marker(mover: &Mover, record: &Record) -> Result<Done, Ending> {
    let size = match record.size {
        Some(size) => size,
        None => mover.client.send(&head_of(record)).await?.size,
    };
    if size > 0 {
        let why =
            format!("the key ends in '/' but holds {size} bytes; name a file for it: s3kit cp '{}' FILE", record.uri);
        return Err(Failure::Refused(why).into());
    }
    Ok(Done::default())
}

fn head_of(record: &Record) -> HeadObject {
    HeadObject {
        bucket: record.uri.bucket.clone(),
        key: record.uri.key.clone(),
        version_id: record.version_id.clone(),
        ..HeadObject::default()
    }
}

/// Why the file that is there stays, if it does.
async fn keep_present(mover: &Mover, record: &Record, target: &Target) -> Result<Option<&'static str>, Ending> {
    if mover.policy.overwrite == Overwrite::Always {
        return Ok(None);
    }
    let asked = target.clone();
    let Some(present) = blocking(move || asked.present()).await? else { return Ok(None) };
    if mover.policy.overwrite == Overwrite::Never {
        return Ok(Some("exists"));
    }
    let (size, modified) = match (record.size, record.last_modified) {
        (Some(size), Some(modified)) => (size, Some(modified)),
        _ => {
            let head = mover.client.send(&head_of(record)).await?;
            (head.size, head.last_modified)
        }
    };
    let present_second = jiff::Timestamp::try_from(present.modified).map(jiff::Timestamp::as_second);
    let not_older = match (modified, present_second) {
        (Some(modified), Ok(present)) => present >= modified.as_second(),
        _ => false,
    };
    Ok((present.size == size && not_older).then_some("up to date"))
}

/// Bytes the first GET takes.
fn first_bytes(mover: &Mover, record: &Record) -> u64 {
    mover.policy.part_size.min(record.size.unwrap_or(u64::MAX))
}

async fn fetch(mover: &Mover, record: &Record, target: Target, share: Share) -> Result<Done, Ending> {
    let get = GetObject {
        bucket: record.uri.bucket.clone(),
        key: record.uri.key.clone(),
        version_id: record.version_id.clone(),
        range: None,
        if_match: record.etag.clone(),
        checksum_mode: true,
        first: Some(mover.policy.part_size),
    };
    let moving = Arc::new(Moving::new(mover.stats.clone()));
    let (opened, waits) = oneshot::channel();
    let mut sink = FirstSink::new(target, mover.policy.part_size, moving.clone(), opened);
    let first = async {
        let head = mover.client.get(&get, &mut sink).await.map_err(file_sink::failure)?;
        sink.flush().await.map_err(file_sink::local_failure)?;
        // A large object's first part is in the file now. Its share goes back before the other ranges need theirs: were it kept, as many
        // large objects as the budget holds would wait for each other for ever.
        Ok::<_, Ending>((head, sink.holds_bytes().then_some(share)))
    };
    let rest = async {
        match waits.await {
            // What is written in place (a FIFO, a device) takes its bytes in order: after the first part, one range at a time.
            Ok(opened) if opened.file.is_sequential() => Ok((Vec::new(), Some(opened))),
            Ok(opened) => {
                let streams = streams(opened.head.size, mover);
                Ok((ranges(mover, record, opened, streams, &moving).await?, None))
            }
            Err(_small) => Ok((Vec::new(), None)),
        }
    };
    let ((head, _share), (mut rest, in_order)) = tokio::try_join!(first, rest)?;
    if let Some(opened) = in_order {
        rest = ranges(mover, record, opened, 1, &moving).await?;
    }
    finish(mover, sink, &head, &rest).await
}

/// Ranges under way at once: eight, and more for objects so large that each still fetches several. Every stream beyond what the link needs
/// costs cache misses in the kernel's buffers.
fn streams(size: u64, mover: &Mover) -> usize {
    let several = size / (4 * mover.policy.part_size.max(1));
    usize::try_from(several).unwrap_or(usize::MAX).clamp(8.min(mover.policy.streams), mover.policy.streams)
}

/// Fetches all ranges after the first part, `streams` at a time; their lengths and checksums in order.
async fn ranges(
    mover: &Mover,
    record: &Record,
    opened: Opened,
    streams: usize,
    moving: &Arc<Moving>,
) -> Result<Vec<Piece>, Ending> {
    let first = mover.policy.part_size;
    let algorithm = opened.head.checksum.as_ref().map(Checksum::algorithm).filter(|algorithm| algorithm.combines());
    let mut pieces = Vec::new();
    let mut tasks = JoinSet::new();
    for (index, range) in plan::ranges(opened.head.size - first, mover.policy.part_size).enumerate() {
        let range = range.start + first..range.end + first;
        let share = mover.memory.acquire(2 * BLOCK as u64).await;
        while tasks.len() >= streams {
            collect(&mut pieces, &mut tasks).await?;
        }
        let get = GetObject {
            bucket: record.uri.bucket.clone(),
            key: record.uri.key.clone(),
            version_id: opened.head.version_id.clone().or_else(|| record.version_id.clone()),
            range: Some(range.clone()),
            if_match: opened.head.etag.clone(),
            ..GetObject::default()
        };
        let client = mover.client.clone();
        let writer = Writer::new(opened.file.clone(), range.start, moving.clone());
        let mut sink = RangeSink { writer, hasher: algorithm.map(Hasher::new) };
        tasks.spawn(async move {
            let _share = share;
            client.get(&get, &mut sink).await.map_err(file_sink::failure)?;
            sink.writer.flush().await.map_err(file_sink::local_failure)?;
            Ok::<_, Ending>((
                index,
                Piece { length: range.end - range.start, checksum: sink.hasher.map(Hasher::finish) },
            ))
        });
    }
    while !tasks.is_empty() {
        collect(&mut pieces, &mut tasks).await?;
    }
    pieces.sort_unstable_by_key(|(index, _)| *index);
    Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
}

type Fetched = Result<(usize, Piece), Ending>;

async fn collect(pieces: &mut Vec<(usize, Piece)>, tasks: &mut JoinSet<Fetched>) -> Result<(), Ending> {
    match tasks.join_next().await {
        Some(Ok(piece)) => pieces.push(piece?),
        Some(Err(panic)) => std::panic::resume_unwind(panic.into_panic()),
        None => {}
    }
    Ok(())
}

/// A fetched range.
struct Piece {
    length: u64,
    checksum: Option<Checksum>,
}

/// Verifies the whole and makes the file appear.
async fn finish(mover: &Mover, sink: FirstSink, head: &ObjectHead, rest: &[Piece]) -> Result<Done, Ending> {
    let fsync = mover.policy.fsync;
    let (landed, checksum) = match sink.into_state() {
        State::Small { target, chunks } => {
            (blocking(move || target.put_small(&chunks, fsync, None)).await?, head.checksum.clone())
        }
        State::Large { writer, hasher } => {
            let checksum = whole_checksum(hasher, rest);
            compare(checksum.as_ref(), head)?;
            let landing = writer.into_landing();
            (blocking(move || landing.finish(fsync, None)).await?, checksum)
        }
        State::Waiting(_) | State::Headed(..) | State::Taken => {
            return Err(Failure::Refused("the store sent no headers".into()).into());
        }
    };
    if landed == Landed::Kept {
        return Err(Ending::Skipped("exists"));
    }
    Ok(Done {
        size: Some(head.size),
        etag: head.etag.clone(),
        version_id: head.version_id.clone(),
        checksum,
        ..Done::default()
    })
}

/// Combines the first part's checksum with the ranges'.
fn whole_checksum(first: Option<Hasher>, rest: &[Piece]) -> Option<Checksum> {
    rest.iter().try_fold(first?.finish(), |whole, piece| whole.combine(piece.checksum.as_ref()?, piece.length))
}

/// Compares what arrived with what the store says the whole object has.
pub(super) fn compare(actual: Option<&Checksum>, head: &ObjectHead) -> Result<(), Failure> {
    match (actual, &head.checksum) {
        (Some(actual), Some(expected)) if actual != expected => Err(Failure::Checksum {
            algorithm: expected.algorithm().as_str(),
            expected: expected.base64(),
            actual: actual.base64(),
        }),
        _ => Ok(()),
    }
}
