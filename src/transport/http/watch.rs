//! Time limits over any client: silence in both directions, and a minimum speed of content.
//!
//! Every byte is a sign of life, also the white space by which a store keeps a slow answer alive; only content has to be fast.

use super::failure::{HttpError, HttpErrorKind};
use super::{Http, HttpConfig, Patience, Request, Response};
use std::time::Duration;
use tokio::time::Instant;

/// A client under time limits.
#[derive(Debug)]
pub struct Watched<H> {
    inner: H,
    silence: Duration,
    min_speed: u64,
}

impl<H: Http> Watched<H> {
    /// Lays the limits of `config` over `inner`.
    pub fn new(inner: H, config: &HttpConfig) -> Self {
        Self { inner, silence: config.read_timeout, min_speed: config.min_speed }
    }

    fn limits(&self, patience: Patience) -> Limits {
        let silence = if patience == Patience::Long { self.silence * 5 } else { self.silence };
        let min_speed = if patience == Patience::Flow { self.min_speed } else { 0 };
        Limits { silence, min_speed, window: self.silence, waited: Duration::ZERO, bytes: 0 }
    }
}

#[async_trait::async_trait]
impl<H: Http> Http for Watched<H> {
    async fn execute(&self, request: Request) -> Result<Response, HttpError> {
        let mut limits = self.limits(request.patience);
        let progress = request.progress.clone();
        let total: u64 = request.body.iter().map(|piece| piece.len() as u64).sum();
        let before = progress.taken();
        let mut seen = before;
        let exchange = self.inner.execute(request);
        tokio::pin!(exchange);
        // The body's sender leaves marks instead of waking us: look at them once per limit of silence, at a quarter of it while a
        // body is under way, so that silence is noticed at most a quarter late.
        let mut quiet = Duration::ZERO;
        loop {
            let sending = progress.taken() - before < total;
            let look = if sending { limits.silence / 4 } else { limits.silence.saturating_sub(quiet) };
            let started = Instant::now();
            if let Ok(answer) = tokio::time::timeout(look, &mut exchange).await {
                return answer
                    .map(|response| Response { body: response.body.limited(self.limits_after(limits)), ..response });
            }
            let taken = progress.taken();
            if taken > seen {
                quiet = Duration::ZERO;
                limits.waited += started.elapsed();
                limits.received(taken - seen).map_err(|_| too_slow("the server takes", limits.min_speed))?;
                seen = taken;
            } else {
                quiet += started.elapsed();
            }
            if quiet >= limits.silence {
                return Err(silent(if sending { "takes no more bytes" } else { "does not answer" }, limits.silence));
            }
        }
    }
}

impl<H> Watched<H> {
    /// Limits of the answer's body: a fresh window.
    fn limits_after(&self, limits: Limits) -> Limits {
        Limits { waited: Duration::ZERO, bytes: 0, window: self.silence, ..limits }
    }
}

/// The limits of one exchange and how much of them is used up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    silence: Duration,
    min_speed: u64,
    window: Duration,
    waited: Duration,
    bytes: u64,
}

impl Limits {
    /// Waits for a read, at most as long as silence is allowed.
    pub(super) async fn read<F: Future>(&mut self, read: F) -> Result<F::Output, HttpError> {
        let started = (self.min_speed > 0).then(Instant::now);
        let result = tokio::time::timeout(self.silence, read).await;
        if let Some(started) = started {
            self.waited += started.elapsed();
        }
        result.map_err(|_| silent("stopped in the middle of its answer", self.silence))
    }

    /// Counts bytes; at the end of every window, fails if they were too few.
    pub(super) fn received(&mut self, bytes: u64) -> Result<(), HttpError> {
        self.bytes += bytes;
        if self.min_speed == 0 || self.waited < self.window {
            return Ok(());
        }
        let least = u128::from(self.min_speed) * self.waited.as_millis() / 1000;
        if u128::from(self.bytes) < least {
            return Err(too_slow("the server sends", self.min_speed));
        }
        self.bytes = 0;
        self.waited = Duration::ZERO;
        Ok(())
    }
}

fn silent(what: &str, limit: Duration) -> HttpError {
    HttpError::new(HttpErrorKind::Timeout, format!("timeout: the server {what} for {} s", limit.as_secs_f64()))
}

fn too_slow(what: &str, min_speed: u64) -> HttpError {
    HttpError::new(HttpErrorKind::TooSlow, format!("timeout: {what} less than {min_speed} bytes a second"))
}
