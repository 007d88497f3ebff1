//! Counters that the engines add to and the progress display pulls from: atomics, no callbacks.
use std::collections::BTreeMap;
/// Shared counters of one run. Every method is lock-free or takes a short lock; none blocks.
#[derive(Debug, Default)]
pub struct Stats {/* atomics; per-operation counters in a fixed table or a Mutex<BTreeMap<&'static str, u64>> */}
/// A consistent-enough copy for display.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    pub read: u64,
    pub done: u64,
    pub failed: u64,
    pub skipped: u64,
    /// bytes of finished jobs only
    pub bytes_done: u64,
    /// bytes moved by jobs in flight that will count if they succeed (never over the total)
    pub bytes_moving: u64,
    /// what is known to be asked for so far: jobs and bytes
    pub jobs_known: u64,
    pub bytes_known: u64,
    pub in_flight: u64,
    pub requests: BTreeMap<&'static str, u64>,
    pub retries: u64,
    pub throttles: u64,
    pub listed: u64,
}
impl Stats {
    pub fn new() -> Self {
        Self::default()
    }
    pub fn request(&self, _operation: &'static str) {
        todo!()
    }
    pub fn retry(&self) {
        todo!()
    }
    pub fn throttle(&self) {
        todo!()
    }
    pub fn listed(&self, _keys: u64) {
        todo!()
    }
    pub fn record_read(&self) {
        todo!()
    }
    pub fn job_known(&self, _bytes: Option<u64>) {
        todo!()
    }
    pub fn job_started(&self) {
        todo!()
    }
    pub fn job_done(&self, _bytes: u64) {
        todo!()
    }
    pub fn job_failed(&self) {
        todo!()
    }
    pub fn job_skipped(&self) {
        todo!()
    }
    /// Bytes a running job moved (or, negative, takes back because an attempt failed or the job ended).
    pub fn moving(&self, _delta: i64) {
        todo!()
    }
    pub fn snapshot(&self) -> Snapshot {
        todo!()
    }
}
