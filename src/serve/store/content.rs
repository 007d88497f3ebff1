//! An object's bytes: a list of segments of blobs, so that completing an upload and copying move no bytes.

use std::collections::VecDeque;
use std::fs::File;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::task::JoinHandle;

use super::blob::{self, Blob};
use super::rows::SegmentRow;
use crate::model::checksum::{Algorithm, Checksum, Hasher};

/// Files are read and sent in pieces of this size: large enough that system calls do not count, small enough for many readers at once.
const FRAME: u64 = 512 << 10;

/// A stretch of a blob.
#[derive(Debug, Clone)]
pub(in crate::serve) struct Segment {
    pub(super) blob: Arc<Blob>,
    pub(super) range: Range<u64>,
}

/// Bytes as a list of segments. Cloning and slicing share them.
#[derive(Debug, Clone, Default)]
pub(in crate::serve) struct Content {
    segments: Arc<[Segment]>,
    len: u64,
}

impl Content {
    /// The segments one after the other.
    pub(super) fn new(segments: Vec<Segment>) -> Self {
        let len = segments.iter().map(|segment| segment.range.end - segment.range.start).sum();
        Self { segments: segments.into(), len }
    }

    /// Several contents one after the other.
    pub(in crate::serve) fn concat<'a>(parts: impl Iterator<Item = &'a Content>) -> Self {
        Self::new(parts.flat_map(|part| part.segments.iter().cloned()).collect())
    }

    /// How many bytes.
    pub(in crate::serve) fn len(&self) -> u64 {
        self.len
    }

    /// The segments.
    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// A stretch of it; `range` must lie within.
    pub(in crate::serve) fn slice(&self, range: Range<u64>) -> Self {
        let mut at = 0;
        let mut segments = Vec::new();
        for segment in &*self.segments {
            let len = segment.range.end - segment.range.start;
            let from = range.start.clamp(at, at + len) - at;
            let to = range.end.clamp(at, at + len) - at;
            if from < to {
                let range = segment.range.start + from..segment.range.start + to;
                segments.push(Segment { blob: Arc::clone(&segment.blob), range });
            }
            at += len;
        }
        Self::new(segments)
    }

    /// Checksums of all bytes. Reads them all: not for threads that serve requests.
    pub(in crate::serve) fn hash(&self, algorithms: &[Algorithm]) -> io::Result<Vec<Checksum>> {
        let mut hashers: Vec<_> = algorithms.iter().map(|algorithm| Hasher::new(*algorithm)).collect();
        for segment in &*self.segments {
            segment.each(|bytes| hashers.iter_mut().for_each(|hasher| hasher.update(bytes)))?;
        }
        Ok(hashers.into_iter().map(Hasher::finish).collect())
    }

    /// Names exactly these bytes without reading them: which blobs, from where to where.
    pub(in crate::serve) fn fingerprint(&self) -> String {
        let mut name = Hasher::new(Algorithm::Md5);
        for segment in &*self.segments {
            for number in [segment.blob.id, segment.range.start, segment.range.end] {
                name.update(&number.to_le_bytes());
            }
        }
        name.finish().hex()
    }

    /// The bytes as a response body.
    pub(in crate::serve) fn into_body(self) -> ContentBody {
        ContentBody { left: self.len, queue: self.segments.iter().cloned().collect(), reading: None, open: None }
    }
}

impl Segment {
    /// As it is written down.
    pub(super) fn to_row(&self) -> SegmentRow {
        let row = matches!(self.blob.place, blob::Place::Row(_));
        SegmentRow { blob: self.blob.id, len: self.blob.len, row, start: self.range.start, end: self.range.end }
    }

    fn each(&self, mut consume: impl FnMut(&[u8])) -> io::Result<()> {
        let mut at = self.range.start;
        let mut file = None;
        while at < self.range.end {
            let len = FRAME.min(self.range.end - at);
            let piece = match self.blob.at_once(at, len)? {
                Some(piece) => piece,
                None => {
                    let file = match &mut file {
                        Some(file) => file,
                        empty => empty.insert(self.blob.open(at)?),
                    };
                    blob::read_exactly(file, usize::try_from(len).map_err(io::Error::other)?)?
                }
            };
            at += piece.len() as u64;
            consume(&piece);
        }
        Ok(())
    }
}

type Reading = JoinHandle<io::Result<(File, Bytes)>>;

/// A [`Content`] on its way out, one frame at a time; the next frame of a file is read while the last one is sent.
#[derive(Debug)]
pub(in crate::serve) struct ContentBody {
    queue: VecDeque<Segment>,
    /// Bytes not yet handed out.
    left: u64,
    reading: Option<Reading>,
    /// The file of the front segment, standing at its start.
    open: Option<File>,
}

impl ContentBody {
    /// The next piece if it is in memory; otherwise starts reading it.
    fn advance(&mut self) -> io::Result<Option<Bytes>> {
        let Some(front) = self.queue.front_mut() else { return Ok(None) };
        let len = FRAME.min(front.range.end - front.range.start);
        let start = front.range.start;
        if let Some(piece) = front.blob.at_once(start, len)? {
            front.range.start += piece.len() as u64;
            self.drop_finished();
            return Ok(Some(piece));
        }
        front.range.start += len;
        let blob = Arc::clone(&front.blob);
        let file = self.open.take();
        self.reading = Some(tokio::task::spawn_blocking(move || {
            let mut file = match file {
                Some(file) => file,
                None => blob.open(start)?,
            };
            let piece = blob::read_exactly(&mut file, usize::try_from(len).map_err(io::Error::other)?)?;
            Ok((file, piece))
        }));
        Ok(None)
    }

    fn drop_finished(&mut self) {
        if self.queue.front().is_some_and(|front| front.range.is_empty()) {
            self.queue.pop_front();
            self.open = None;
        }
    }

    fn hand_out(&mut self, piece: Bytes) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.left -= piece.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

impl Body for ContentBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = &mut *self;
        if this.left == 0 {
            return Poll::Ready(None);
        }
        if this.reading.is_none()
            && let Some(piece) = this.advance()?
        {
            return this.hand_out(piece);
        }
        let Some(reading) = &mut this.reading else {
            return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())));
        };
        let (file, piece) = ready!(Pin::new(reading).poll(cx)).map_err(io::Error::other)??;
        this.reading = None;
        this.open = Some(file);
        this.drop_finished();
        if this.queue.front().is_some_and(|front| matches!(front.blob.place, blob::Place::File)) {
            this.advance()?;
        }
        this.hand_out(piece)
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
