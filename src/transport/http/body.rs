//! Bodies: the one we send, cut small enough that its progress can be seen, and the one we read, with its limits.

use super::failure::HttpError;
use super::watch::Limits;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

/// Largest piece handed to the HTTP library at once. Small against a second of the slowest link worth waiting for, large against the
/// cost of a write.
const FRAME: usize = 128 << 10;

/// How much of a request's body the HTTP library has taken.
#[derive(Debug, Default)]
pub struct Progress {
    taken: AtomicU64,
}

impl Progress {
    /// Bytes taken so far.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
    /// Notes that `bytes` more were taken.
    pub fn add(&self, bytes: u64) {
        self.taken.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A request's body: its pieces in order, cut but never copied.
#[derive(Debug)]
pub struct RequestBody {
    pieces: VecDeque<Bytes>,
    left: u64,
    progress: Arc<Progress>,
}

impl RequestBody {
    /// A body of these pieces.
    pub fn new(pieces: Vec<Bytes>, progress: Arc<Progress>) -> Self {
        let left = pieces.iter().map(|piece| piece.len() as u64).sum();
        let pieces = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        Self { pieces, left, progress }
    }
}

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(front) = self.pieces.front_mut() else { return Poll::Ready(None) };
        let frame = front.split_to(front.len().min(FRAME));
        if front.is_empty() {
            self.pieces.pop_front();
        }
        self.left -= frame.len() as u64;
        self.progress.add(frame.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// The body of an answer, read in pieces of the network's choosing.
pub struct Body {
    inner: UnsyncBoxBody<Bytes, HttpError>,
    limits: Option<Limits>,
}

impl Body {
    /// Wraps any body.
    pub fn new<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        Self { inner: UnsyncBoxBody::new(body.map_err(|error| HttpError::of_body(error.into()))), limits: None }
    }

    /// A body that is already here.
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        Self::new(http_body_util::Full::new(bytes.into()))
    }

    /// Lays limits over the reads to come.
    pub(super) fn limited(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// The next piece, or `None` at the end. Only the time spent in here counts against the limits, so a slow reader is never taken
    /// for a slow network.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        loop {
            let frame = match &mut self.limits {
                None => self.inner.frame().await,
                Some(limits) => limits.read(self.inner.frame()).await?,
            };
            match frame {
                None => return Ok(None),
                Some(Err(error)) => return Err(error),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        if let Some(limits) = &mut self.limits {
                            limits.received(data.len() as u64)?;
                        }
                        if !data.is_empty() {
                            return Ok(Some(data));
                        }
                    }
                }
            }
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Body")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn a_body_of_pieces_arrives_in_order_and_is_counted_as_it_is_taken() {
        let progress = Arc::new(Progress::default());
        let pieces = vec![Bytes::from(vec![1; FRAME + 7]), Bytes::new(), Bytes::from_static(&[2; 5])];
        let mut body = RequestBody::new(pieces, progress.clone());
        assert_eq!(http_body::Body::size_hint(&body).exact(), Some(FRAME as u64 + 12));
        let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!(first.len(), FRAME);
        assert_eq!(progress.taken(), FRAME as u64);
        let rest = body.collect().await.unwrap().to_bytes();
        assert_eq!(rest, [[1; 7].as_slice(), &[2; 5]].concat());
        assert_eq!(progress.taken(), FRAME as u64 + 12);
    }
}
