//! Counters that the engines add to and the progress display pulls from: atomics, no callbacks.
//!
//! Counts only; rates and the time a run took are made by whoever owns a clock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Shared counters of one run. Every method is lock-free or takes a short lock; none blocks.
#[derive(Debug, Default)]
pub struct Stats {
    read: AtomicU64,
    done: AtomicU64,
    failed: AtomicU64,
    skipped: AtomicU64,
    bytes_done: AtomicU64,
    bytes_moving: AtomicI64,
    jobs_known: AtomicU64,
    bytes_known: AtomicU64,
    sizes_unknown: AtomicU64,
    in_flight: AtomicI64,
    requests: Mutex<BTreeMap<&'static str, u64>>,
    retries: AtomicU64,
    throttles: AtomicU64,
    listed: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

/// A consistent-enough copy for display.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Input records read; in the end `done + failed + skipped`.
    pub read: u64,
    /// Jobs that did all they were asked.
    pub done: u64,
    /// Jobs and records that failed.
    pub failed: u64,
    /// Jobs and records with nothing to do.
    pub skipped: u64,
    /// Bytes of finished jobs only.
    pub bytes_done: u64,
    /// Bytes moved by jobs in flight that will count if they succeed (never over the total, where that is known).
    pub bytes_moving: u64,
    /// Jobs known so far.
    pub jobs_known: u64,
    /// Bytes of the known jobs whose size is known.
    pub bytes_known: u64,
    /// Known jobs whose size is not; `bytes_known` is a total only when there are none.
    pub sizes_unknown: u64,
    /// Jobs started and not ended.
    pub in_flight: u64,
    /// Requests sent, repeats included, by S3 operation.
    pub requests: BTreeMap<&'static str, u64>,
    /// Requests sent again.
    pub retries: u64,
    /// Answers that asked us to slow down.
    pub throttles: u64,
    /// Keys seen in listings.
    pub listed: u64,
    /// Body bytes sent, failed attempts included.
    pub sent: u64,
    /// Body bytes received, failed attempts included.
    pub received: u64,
}

impl Stats {
    /// All zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A request of that S3 operation goes out (each attempt counts).
    pub fn request(&self, operation: &'static str) {
        // Counting cannot panic half-way, so a poisoned map is as good as any.
        *self.requests.lock().unwrap_or_else(PoisonError::into_inner).entry(operation).or_default() += 1;
    }

    /// A request is sent once more.
    pub fn retry(&self) {
        self.retries.fetch_add(1, Relaxed);
    }

    /// An answer asked us to slow down.
    pub fn throttle(&self) {
        self.throttles.fetch_add(1, Relaxed);
    }

    /// A listing brought so many keys.
    pub fn listed(&self, keys: u64) {
        self.listed.fetch_add(keys, Relaxed);
    }

    /// Body bytes went out on the wire.
    pub fn sent(&self, bytes: u64) {
        self.sent.fetch_add(bytes, Relaxed);
    }

    /// Body bytes came in from the wire.
    pub fn received(&self, bytes: u64) {
        self.received.fetch_add(bytes, Relaxed);
    }

    /// An input record was read.
    pub fn record_read(&self) {
        self.read.fetch_add(1, Relaxed);
    }

    /// A record failed before it became a started job.
    pub fn record_failed(&self) {
        self.failed.fetch_add(1, Relaxed);
    }

    /// A record was skipped before it became a started job.
    pub fn record_skipped(&self) {
        self.skipped.fetch_add(1, Relaxed);
    }

    /// A job will be asked for; its size, if it is known.
    pub fn job_known(&self, bytes: Option<u64>) {
        self.jobs_known.fetch_add(1, Relaxed);
        match bytes {
            Some(bytes) => self.bytes_known.fetch_add(bytes, Relaxed),
            None => self.sizes_unknown.fetch_add(1, Relaxed),
        };
    }

    /// The size of a job that was known without one.
    pub fn size_learned(&self, bytes: u64) {
        self.bytes_known.fetch_add(bytes, Relaxed);
        self.sizes_unknown.fetch_sub(1, Relaxed);
    }

    /// A job starts; exactly one of the `job_…` endings follows.
    pub fn job_started(&self) {
        self.in_flight.fetch_add(1, Relaxed);
    }

    /// A started job is done and was so many bytes long.
    pub fn job_done(&self, bytes: u64) {
        self.bytes_done.fetch_add(bytes, Relaxed);
        self.end(&self.done);
    }

    /// A started job failed.
    pub fn job_failed(&self) {
        self.end(&self.failed);
    }

    /// A started job had nothing to do.
    pub fn job_skipped(&self) {
        self.end(&self.skipped);
    }

    fn end(&self, counter: &AtomicU64) {
        counter.fetch_add(1, Relaxed);
        self.in_flight.fetch_sub(1, Relaxed);
    }

    /// Bytes a running job moved (or, negative, takes back because an attempt failed or the job ended).
    pub fn moving(&self, delta: i64) {
        self.bytes_moving.fetch_add(delta, Relaxed);
    }

    /// All counters as they are now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let load = |counter: &AtomicU64| counter.load(Relaxed);
        // Counters are read one after another, so a difference may for a moment be below zero.
        let level = |counter: &AtomicI64| u64::try_from(counter.load(Relaxed)).unwrap_or(0);
        let (bytes_done, bytes_known, sizes_unknown) =
            (load(&self.bytes_done), load(&self.bytes_known), load(&self.sizes_unknown));
        // A job's bytes are taken back after it was counted as done; until then they would be counted twice.
        let most = if sizes_unknown == 0 { bytes_known.saturating_sub(bytes_done) } else { u64::MAX };
        Snapshot {
            read: load(&self.read),
            done: load(&self.done),
            failed: load(&self.failed),
            skipped: load(&self.skipped),
            bytes_done,
            bytes_moving: level(&self.bytes_moving).min(most),
            jobs_known: load(&self.jobs_known),
            bytes_known,
            sizes_unknown,
            in_flight: level(&self.in_flight),
            requests: self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            retries: load(&self.retries),
            throttles: load(&self.throttles),
            listed: load(&self.listed),
            sent: load(&self.sent),
            received: load(&self.received),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_are_done_failed_or_skipped() {
        let stats = Stats::new();
        for _ in 0..5 {
            stats.record_read();
        }
        stats.record_failed();
        stats.record_skipped();
        for _ in 0..3 {
            stats.job_started();
        }
        stats.job_done(10);
        stats.job_failed();
        let now = stats.snapshot();
        assert_eq!((now.read, now.done, now.failed, now.skipped, now.in_flight), (5, 1, 2, 1, 1));
        stats.job_skipped();
        let now = stats.snapshot();
        assert_eq!((now.read, now.in_flight), (now.done + now.failed + now.skipped, 0));
    }

    #[test]
    fn bytes_of_failed_attempts_do_not_stay_and_never_exceed_the_total() {
        let stats = Stats::new();
        stats.job_known(Some(100));
        stats.job_started();
        stats.moving(60);
        stats.moving(-60);
        assert_eq!(stats.snapshot().bytes_moving, 0);
        stats.moving(100);
        stats.job_done(100);
        let now = stats.snapshot();
        assert_eq!((now.bytes_done, now.bytes_moving, now.bytes_known), (100, 0, 100));
        stats.moving(-100);
        assert_eq!(stats.snapshot().bytes_moving, 0);
    }

    #[test]
    fn without_a_total_moving_bytes_are_not_cut() {
        let stats = Stats::new();
        stats.job_known(None);
        stats.moving(7);
        assert_eq!((stats.snapshot().bytes_moving, stats.snapshot().sizes_unknown), (7, 1));
        stats.size_learned(20);
        assert_eq!((stats.snapshot().bytes_known, stats.snapshot().sizes_unknown), (20, 0));
    }

    #[test]
    fn requests_are_counted_by_operation() {
        let stats = Stats::new();
        stats.request("GetObject");
        stats.request("PutObject");
        stats.request("GetObject");
        let expected = BTreeMap::from([("GetObject", 2), ("PutObject", 1)]);
        assert_eq!(stats.snapshot().requests, expected);
    }
}
