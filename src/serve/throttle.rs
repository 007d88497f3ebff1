//! How many requests a second are admitted; the rest are answered 503 `SlowDown`.
//!
//! Grammar (items separated by commas): `put=RATE`, `get=RATE`, `burst=N`, as in `put=3500/s,get=5500/s,burst=200`. Two token buckets, as S3 counts
//! them: `put` holds PUT, COPY, POST and DELETE, `get` holds GET, HEAD and listings. A tier without a rate is not limited; without `burst` a
//! bucket holds one second's worth.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::spec;

/// S3's two classes of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// GET, HEAD, listings.
    Get,
    /// PUT, COPY, POST, DELETE.
    Put,
}

/// A parsed throttle specification. The default admits everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ThrottleSpec {
    get: Option<f64>,
    put: Option<f64>,
    burst: Option<u64>,
}

impl ThrottleSpec {
    /// Reads the grammar this module's description gives. The error is for the person who typed it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut this = Self::default();
        for item in spec::items(text) {
            match spec::pair(item)? {
                ("get", value) => this.get = Some(spec::rate(value)?),
                ("put", value) => this.put = Some(spec::rate(value)?),
                ("burst", value) => this.burst = Some(spec::whole(value)?.max(1)),
                (name, _) => return Err(format!("`{name}` is not one of get, put, burst")),
            }
        }
        Ok(this)
    }
}

/// The token buckets of a running endpoint.
#[derive(Debug)]
pub(super) struct Throttle {
    get: Option<Mutex<Bucket>>,
    put: Option<Mutex<Bucket>>,
}

impl Throttle {
    pub(super) fn new(spec: &ThrottleSpec, now: Instant) -> Self {
        let bucket = |rate: f64| {
            #[expect(clippy::cast_precision_loss)]
            let capacity = spec.burst.map_or(rate.max(1.0), |burst| burst as f64);
            Mutex::new(Bucket { rate, capacity, tokens: capacity, filled: now })
        };
        Self { get: spec.get.map(bucket), put: spec.put.map(bucket) }
    }

    /// Takes a token; `false` means the request is one too many.
    pub(super) fn admit(&self, tier: Tier, now: Instant) -> bool {
        let bucket = match tier {
            Tier::Get => &self.get,
            Tier::Put => &self.put,
        };
        bucket.as_ref().is_none_or(|bucket| bucket.lock().unwrap_or_else(PoisonError::into_inner).take(now))
    }
}

#[derive(Debug)]
struct Bucket {
    rate: f64,
    capacity: f64,
    tokens: f64,
    filled: Instant,
}

impl Bucket {
    fn take(&mut self, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.tokens = elapsed.mul_add(self.rate, self.tokens).min(self.capacity);
        self.filled = now;
        if self.tokens < 1.0 {
            return false;
        }
        self.tokens -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_is_admitted_and_then_the_rate() {
        let start = Instant::now();
        let throttle = Throttle::new(&ThrottleSpec::parse("put=100/s,burst=20").unwrap(), start);
        let admitted = (0..50).filter(|_| throttle.admit(Tier::Put, start)).count();
        assert_eq!(admitted, 20);
        let later = start + Duration::from_millis(100);
        let admitted = (0..50).filter(|_| throttle.admit(Tier::Put, later)).count();
        assert_eq!(admitted, 10);
        assert!((0..1000).all(|_| throttle.admit(Tier::Get, start)));
    }

    #[test]
    fn unknown_tiers_are_refused() {
        assert!(ThrottleSpec::parse("list=5/s").unwrap_err().contains("list"));
    }
}
