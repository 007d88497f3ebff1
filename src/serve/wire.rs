//! Bytes on their way: connections that can be reset, bodies that are counted, paced, cut, stalled or spoilt.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::faults::Fault;
use super::request_log::Entry;

/// A connection that ends with a reset once the flag is set.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) reset: Arc<AtomicBool>,
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.reset.load(Ordering::Acquire) {
            // Closing without lingering is what makes the system send a reset.
            let _ = self.stream.set_zero_linger();
        }
    }
}

/// Holds a body to a number of bytes a second.
#[derive(Debug)]
struct Pace {
    rate: f64,
    due: Instant,
    sleep: Pin<Box<Sleep>>,
}

impl Pace {
    fn new(rate: f64) -> Self {
        let now = Instant::now();
        Self { rate, due: now, sleep: Box::pin(sleep_until(now)) }
    }

    /// Ready when the next bytes may pass.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.sleep.as_mut().poll(cx)
    }

    /// Counts bytes that passed.
    fn passed(&mut self, bytes: usize) {
        #[expect(clippy::cast_precision_loss, reason = "a frame is far below 2^52 bytes")]
        let time = Duration::from_secs_f64(bytes as f64 / self.rate);
        self.due = self.due.max(Instant::now()) + time;
        self.sleep.as_mut().reset(self.due);
    }
}

/// The body of a request, counted.
#[derive(Debug)]
pub(super) struct Arriving<B> {
    inner: B,
    count: Arc<AtomicU64>,
    pace: Option<Pace>,
}

impl<B> Arriving<B> {
    pub(super) fn new(inner: B, count: Arc<AtomicU64>, rate: Option<f64>) -> Self {
        Self { inner, count, pace: rate.map(Pace::new) }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Arriving<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = &mut *self;
        if let Some(pace) = &mut this.pace {
            ready!(pace.poll(cx));
        }
        let frame = ready!(Pin::new(&mut this.inner).poll_frame(cx));
        if let Some(Ok(frame)) = &frame
            && let Some(bytes) = frame.data_ref()
        {
            this.count.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            if let Some(pace) = &mut this.pace {
                pace.passed(bytes.len());
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// Time for what was sent so far to leave before the connection breaks.
const FLUSH: Duration = Duration::from_millis(20);

/// What happens to a body at a certain byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disturbance {
    Truncate,
    Stall(Duration),
    Corrupt,
}

/// The body of an answer: counted, paced, and disturbed if a fault says so.
pub(super) struct Leaving {
    inner: s3s::Body,
    entry: Entry,
    pace: Option<Pace>,
    disturbance: Option<(u64, Disturbance)>,
    held: Option<Bytes>,
    pause: Option<Pin<Box<Sleep>>>,
    broken: bool,
}

impl Leaving {
    /// A body of which `fault` may spoil the middle.
    pub(super) fn new(inner: s3s::Body, entry: Entry, rate: Option<f64>, fault: Option<&Fault>) -> Self {
        let len = inner.size_hint().exact().unwrap_or(0);
        let disturbance = match fault {
            Some(Fault::Truncate) => Some(Disturbance::Truncate),
            Some(Fault::Stall(time)) => Some(Disturbance::Stall(*time)),
            Some(Fault::Corrupt) => Some(Disturbance::Corrupt),
            _ => None,
        };
        let disturbance = disturbance.filter(|_| len > 0).map(|disturbance| (len / 2, disturbance));
        Self { inner, entry, pace: rate.map(Pace::new), disturbance, held: None, pause: None, broken: false }
    }

    /// The most bytes that may pass at once, so that the pace is even and a disturbance comes at its byte.
    fn limit(&self) -> usize {
        let paced = self.pace.as_ref().map_or(f64::MAX, |pace| (pace.rate / 20.0).max(1.0));
        let before = match self.disturbance {
            Some((at, Disturbance::Truncate | Disturbance::Stall(_))) => at - self.entry.bytes_out,
            _ => u64::MAX,
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let paced = paced as usize;
        paced.min(usize::try_from(before).unwrap_or(usize::MAX))
    }

    /// Begins the disturbance if its byte has come; `true` if the body now waits.
    fn disturb(&mut self) -> bool {
        match self.disturbance {
            Some((at, Disturbance::Truncate)) if at == self.entry.bytes_out => {
                self.broken = true;
                self.pause = Some(Box::pin(sleep(FLUSH)));
            }
            Some((at, Disturbance::Stall(time))) if at == self.entry.bytes_out => {
                self.pause = Some(Box::pin(sleep(time)));
            }
            _ => return false,
        }
        self.disturbance = None;
        true
    }

    fn hand_out(&mut self, mut bytes: Bytes) -> Frame<Bytes> {
        let limit = self.limit();
        if bytes.len() > limit {
            self.held = Some(bytes.split_off(limit));
        }
        let start = self.entry.bytes_out;
        self.entry.bytes_out += bytes.len() as u64;
        if let Some((at, Disturbance::Corrupt)) = self.disturbance
            && (start..self.entry.bytes_out).contains(&at)
        {
            let mut spoilt = bytes.to_vec();
            let index = usize::try_from(at - start).expect("within a frame");
            spoilt[index] ^= 1;
            bytes = spoilt.into();
            self.disturbance = None;
        }
        if let Some(pace) = &mut self.pace {
            pace.passed(bytes.len());
        }
        Frame::data(bytes)
    }
}

impl Body for Leaving {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = &mut *self;
        loop {
            if let Some(pause) = &mut this.pause {
                ready!(pause.as_mut().poll(cx));
                this.pause = None;
            }
            if this.broken {
                return Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())));
            }
            if this.disturb() {
                continue;
            }
            if let Some(pace) = &mut this.pace {
                ready!(pace.poll(cx));
            }
            if let Some(bytes) = this.held.take() {
                return Poll::Ready(Some(Ok(this.hand_out(bytes))));
            }
            match ready!(Pin::new(&mut this.inner).poll_frame(cx)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(io::Error::other(error)))),
                // Trailers of ours do not exist.
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Poll::Ready(Some(Ok(this.hand_out(bytes))));
                    }
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_none()
            && self.pause.is_none()
            && !self.broken
            && self.disturbance.is_none()
            && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let held = self.held.as_ref().map_or(0, Bytes::len) as u64;
        match self.inner.size_hint().exact() {
            Some(left) => SizeHint::with_exact(left + held),
            None => SizeHint::default(),
        }
    }
}
