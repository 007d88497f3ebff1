//! A file's or stream's bytes into one object: one PUT when they fit, parts otherwise. What is stored is what one state of the source held,
//! proven by a checksum the store verifies; a source that changes under way fails and leaves the old object alone.

use super::local::source::SourceFile;
use super::mover::{Mover, Moving, Overwrite, blocking};
use super::multipart::{self, Filled, Parts, Upload};
use super::{Done, Ending, Failure};
use crate::model::checksum::{Checksum, Hasher};
use crate::model::plan::{self, Plan};
use crate::model::units;
use crate::model::uri::S3Uri;
use crate::s3::ops::{HeadObject, ObjectAttributes, ObjectHead, PartDone, Put, PutObject, UploadPart, WriteCondition};
use bytes::Bytes;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Uploads one file (or FIFO, or device) to an object.
pub(super) async fn file(mover: &Mover, path: &Path, to: &S3Uri) -> Result<Done, Ending> {
    let opening = path.to_path_buf();
    let source = blocking(move || SourceFile::open(&opening)).await?;
    upload(mover, source, Some(path), to).await
}

/// Uploads standard input to an object.
pub(super) async fn stdin(mover: &Mover, to: &S3Uri) -> Result<Done, Ending> {
    let source = blocking(|| SourceFile::open(Path::new("/dev/stdin"))).await?;
    upload(mover, source, None, to).await
}

async fn upload(mover: &Mover, source: SourceFile, path: Option<&Path>, to: &S3Uri) -> Result<Done, Ending> {
    if let Some(reason) = keep_present(mover, &source, to).await? {
        return Err(Ending::Skipped(reason));
    }
    let job = UploadJob {
        mover,
        source: Arc::new(source),
        to,
        attributes: attributes(mover, path, to),
        moving: Arc::new(Moving::new(mover.stats.clone())),
    };
    match job.source.size() {
        Some(size) if size <= mover.policy.multipart_threshold => job.put_whole(size).await,
        Some(size) => job.put_parts(size).await,
        None => job.put_stream().await,
    }
}

/// Why the object that is there stays, if it does.
async fn keep_present(mover: &Mover, source: &SourceFile, to: &S3Uri) -> Result<Option<&'static str>, Ending> {
    match mover.policy.overwrite {
        Overwrite::Always => Ok(None),
        // Stores that ignore `If-None-Match` are why this asks first; the condition on the write closes the gap on the others.
        Overwrite::Never => Ok(present(mover, to).await?.map(|_| "exists")),
        Overwrite::Update => {
            let (Some(size), Some(modified)) = (source.size(), source.modified()) else { return Ok(None) };
            let Some(present) = present(mover, to).await? else { return Ok(None) };
            let source_second = jiff::Timestamp::try_from(modified).map_or(i64::MAX, jiff::Timestamp::as_second);
            let not_older = present.last_modified.is_some_and(|time| time.as_second() >= source_second);
            Ok((present.size == size && not_older).then_some("up to date"))
        }
    }
}

/// What is at the destination, if anything.
pub(super) async fn present(mover: &Mover, to: &S3Uri) -> Result<Option<ObjectHead>, Ending> {
    let head = HeadObject { bucket: to.bucket.clone(), key: to.key.clone(), ..HeadObject::default() };
    match mover.client.send(&head).await {
        Ok(head) => Ok(Some(head)),
        Err(error) if error.status == Some(404) && error.code != "NoSuchBucket" => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What the new object is created with: the user's word, else a content type guessed from the names.
fn attributes(mover: &Mover, path: Option<&Path>, to: &S3Uri) -> ObjectAttributes {
    let mut attributes = mover.policy.attributes.clone();
    if attributes.content.content_type.is_none() && mover.policy.guess_content_type {
        let guess = mime_guess::from_path(&to.key).first_raw();
        let guess = guess.or_else(|| path.and_then(|path| mime_guess::from_path(path).first_raw()));
        attributes.content.content_type = guess.map(str::to_owned);
    }
    attributes
}

/// The condition a created object must meet.
pub(super) fn condition(mover: &Mover) -> WriteCondition {
    match mover.policy.overwrite {
        Overwrite::Never => WriteCondition::Absent,
        Overwrite::Always | Overwrite::Update => mover.policy.condition.clone(),
    }
}

/// A lost race against another writer under `--no-clobber` is a skip, not a failure.
pub(super) fn lost_race(mover: &Mover, ending: Ending) -> Ending {
    match &ending {
        Ending::Failed(Failure::S3(error))
            if mover.policy.overwrite == Overwrite::Never && error.status == Some(412) =>
        {
            Ending::Skipped("exists")
        }
        _ => ending,
    }
}

struct UploadJob<'a> {
    mover: &'a Mover,
    source: Arc<SourceFile>,
    to: &'a S3Uri,
    attributes: ObjectAttributes,
    moving: Arc<Moving>,
}

impl UploadJob<'_> {
    /// One PUT of a regular file.
    async fn put_whole(self, size: u64) -> Result<Done, Ending> {
        let _share = self.mover.memory.acquire(size).await;
        let source = self.source.clone();
        let hashers = hashers(self.mover);
        let read = blocking(move || {
            let piece = read_range(&source, 0..size, hashers)?;
            unchanged(&source)?;
            Ok(piece)
        });
        let piece = read.await?;
        self.put(piece).await
    }

    /// One PUT of bytes in memory.
    async fn put(self, piece: Piece) -> Result<Done, Ending> {
        let put = PutObject {
            bucket: self.to.bucket.clone(),
            key: self.to.key.clone(),
            body: piece.bytes,
            checksum: piece.checksum.clone(),
            attributes: self.attributes,
            condition: condition(self.mover),
        };
        let sent = self.mover.cancel.unless(self.mover.client.send(&put)).await;
        match sent {
            None => Err(Ending::Cancelled),
            Some(Ok(stored)) => Ok(done(&stored, piece.length, piece.checksum)),
            Some(Err(error)) => Err(lost_race(self.mover, error.into())),
        }
    }

    /// A regular file in parts, read and sent side by side.
    async fn put_parts(self, size: u64) -> Result<Done, Ending> {
        let plan = Plan::new(size, self.mover.policy.part_size).map_err(|error| Failure::Refused(error.to_string()))?;
        let (mover, source, to, moving) = (self.mover, self.source, self.to, self.moving);
        let fill = async |id: String| {
            let mut parts = Parts::new(mover.policy.streams);
            for part in plan.parts() {
                let length = part.range.end - part.range.start;
                let share = mover.memory.acquire(length).await;
                let (client, source, moving) = (mover.client.clone(), source.clone(), moving.clone());
                let mut upload = upload_part(to, &id, part.number);
                let hashers = hashers(mover);
                let send = async move {
                    let _share = share;
                    let piece = blocking(move || read_range(&source, part.range, hashers)).await?;
                    (upload.body, upload.checksum) = (piece.bytes, piece.checksum);
                    send_part(&client, upload, &moving).await
                };
                parts.start(send).await?;
            }
            let parts = parts.finish().await?;
            unchanged(&source)?;
            Ok(filled(parts, mover))
        };
        finish(mover, to, self.attributes, fill).await
    }

    /// A stream: its first part tells whether it fits in one PUT.
    async fn put_stream(self) -> Result<Done, Ending> {
        let first = self.first_part()?;
        let share = self.mover.memory.acquire(first).await;
        let Some(piece) = self.mover.cancel.unless(read_next(self.mover, &self.source, first)).await else {
            return Err(Ending::Cancelled);
        };
        let piece = piece?;
        if piece.length < first {
            self.expect(piece.length)?;
            if piece.length == 0 {
                self.refuse_empty().await?;
            }
            return self.put(piece).await;
        }
        let (mover, source, to, moving, job) = (self.mover, &self.source, self.to, &self.moving, &self);
        let fill = async |id: String| {
            let mut parts = Parts::new(mover.policy.streams);
            let (mut piece, mut share, mut number, mut size) = (piece, share, 1, 0);
            loop {
                let (whole, length) = (plan::stream_part_size(number, first), piece.length);
                size += length;
                let mut upload = upload_part(to, &id, number);
                (upload.body, upload.checksum) = (piece.bytes, piece.checksum);
                let (client, moving) = (mover.client.clone(), moving.clone());
                let held = share;
                let send = async move {
                    let _share = held;
                    send_part(&client, upload, &moving).await
                };
                parts.start(send).await?;
                if length < whole {
                    break;
                }
                number += 1;
                if number > plan::MAX_PARTS {
                    return Err(too_long(first).into());
                }
                let next = plan::stream_part_size(number, first);
                share = mover.memory.acquire(next).await;
                piece = read_next(mover, source, next).await?;
                if piece.length == 0 {
                    break;
                }
            }
            job.expect(size)?;
            Ok(filled(parts.finish().await?, mover))
        };
        finish(mover, to, self.attributes.clone(), fill).await
    }

    /// Length of a stream's first part: what the expected size needs, else the usual one, which grows with the stream.
    fn first_part(&self) -> Result<u64, Failure> {
        let wanted = self.mover.policy.part_size;
        let plan = self.mover.policy.expect_size.map(|size| Plan::new(size, wanted)).transpose();
        let plan = plan.map_err(|error| Failure::Refused(error.to_string()))?;
        Ok(plan.map_or(wanted, |plan| plan.part_size()).max(plan::MIN_PART))
    }

    fn expect(&self, size: u64) -> Result<(), Failure> {
        match self.mover.policy.expect_size {
            Some(expected) if expected != size => {
                Err(Failure::Expectation(format!("{size} bytes came, {expected} were expected; nothing was stored")))
            }
            _ => Ok(()),
        }
    }

    /// Nothing came: a broken producer must not wipe an object that is there.
    async fn refuse_empty(&self) -> Result<(), Ending> {
        if self.mover.policy.allow_empty || present(self.mover, self.to).await?.is_none() {
            return Ok(());
        }
        let why = "standard input was empty and the object exists; use -f to replace it by an empty one";
        Err(Failure::Refused(why.into()).into())
    }
}

/// Bytes read from a source.
struct Piece {
    bytes: Vec<Bytes>,
    length: u64,
    checksum: Option<Checksum>,
}

impl Piece {
    fn new(bytes: Vec<Bytes>, mut hashers: Vec<Hasher>) -> Self {
        let length = bytes.iter().map(|piece| piece.len() as u64).sum();
        Self { bytes, length, checksum: hashers.pop().map(Hasher::finish) }
    }
}

/// What digests the store wants of uploaded bytes: none or one.
fn hashers(mover: &Mover) -> Vec<Hasher> {
    mover.client.upload_checksum().map(Hasher::new).into_iter().collect()
}

fn read_range(source: &SourceFile, range: Range<u64>, mut hashers: Vec<Hasher>) -> Result<Piece, Failure> {
    let bytes = source.read_range(range, &mut hashers)?;
    Ok(Piece::new(bytes, hashers))
}

/// Reads up to `length` bytes of a stream; fewer only at its end.
async fn read_next(mover: &Mover, source: &Arc<SourceFile>, length: u64) -> Result<Piece, Failure> {
    let (source, mut hashers) = (source.clone(), hashers(mover));
    blocking(move || {
        let bytes = source.read_next(length, &mut hashers)?;
        Ok(Piece::new(bytes, hashers))
    })
    .await
}

fn too_long(first: u64) -> Failure {
    let limit = units::human_size(plan::stream_limit(first));
    Failure::Refused(format!(
        "the stream is longer than the {limit} that 10,000 parts starting with {} hold; say its size with --expect-size",
        units::human_size(first)
    ))
}

fn unchanged(source: &SourceFile) -> Result<(), Failure> {
    if source.unchanged() { Ok(()) } else { Err(Failure::SourceChanged(source.path().to_owned())) }
}

fn upload_part(to: &S3Uri, id: &str, number: u32) -> UploadPart {
    UploadPart {
        bucket: to.bucket.clone(),
        key: to.key.clone(),
        upload_id: id.to_owned(),
        number,
        ..UploadPart::default()
    }
}

async fn send_part(client: &crate::s3::Client, upload: UploadPart, moving: &Moving) -> Result<PartDone, Ending> {
    let length = upload.body.iter().map(Bytes::len).sum();
    let mut done = client.send(&upload).await?;
    moving.add(length);
    // The store's own part checksum may be absent or of another kind; ours is what the whole is combined from.
    done.checksum = upload.checksum;
    done.size = length as u64;
    Ok(done)
}

/// The parts together, with the checksum of the whole where the parts' combine.
fn filled(parts: Vec<PartDone>, mover: &Mover) -> Filled {
    let size = parts.iter().map(|part| part.size).sum();
    let checksum = mover.client.upload_checksum().and_then(|_| {
        let mut parts = parts.iter();
        let first = parts.next()?.checksum.clone()?;
        parts.try_fold(first, |whole, part| whole.combine(part.checksum.as_ref()?, part.size))
    });
    Filled { parts, size, checksum }
}

async fn finish<F: Future<Output = Result<Filled, Ending>>>(
    mover: &Mover,
    to: &S3Uri,
    attributes: ObjectAttributes,
    fill: impl FnOnce(String) -> F,
) -> Result<Done, Ending> {
    let algorithm = mover.client.upload_checksum();
    let upload = Upload { to, attributes, algorithm, condition: condition(mover) };
    match multipart::run(mover, upload, fill).await {
        Ok((put, filled)) => Ok(done(&put, filled.size, filled.checksum)),
        Err(ending) => Err(lost_race(mover, ending)),
    }
}

/// What a finished write reports.
pub(super) fn done(put: &Put, size: u64, checksum: Option<Checksum>) -> Done {
    Done { size: Some(size), etag: put.etag.clone(), version_id: put.version_id.clone(), checksum, ..Done::default() }
}
