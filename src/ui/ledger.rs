//! The ledger: what a run did, took and cost, as text or as one JSON line; and the summary line of commands that change things.

use crate::model::price::PriceTable;
use crate::model::stats::Snapshot;
use crate::model::units::human_size;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// All that is summed up at the end.
#[derive(Debug, Clone)]
pub struct Ledger {
    /// The counters.
    pub counts: Snapshot,
    /// Since the command began.
    pub wall: Duration,
    /// User and system time of the process.
    pub cpu: Duration,
    /// Greatest resident memory in bytes, where the system says it.
    pub peak_memory: Option<u64>,
    /// Estimated price of the requests in USD.
    pub usd: f64,
    /// Where the prices come from.
    pub prices: String,
    /// Whether the store is one the prices are for.
    pub priced_exactly: bool,
}

impl Ledger {
    /// Sums up now.
    #[must_use]
    pub fn take(counts: Snapshot, wall: Duration, prices: &PriceTable, priced_exactly: bool) -> Self {
        let usd = prices.requests(counts.requests.iter().map(|(operation, count)| (*operation, *count)));
        let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let cpu = Duration::new(u64::try_from(cpu.tv_sec).unwrap_or(0), u32::try_from(cpu.tv_nsec).unwrap_or(0));
        let prices = prices.source.clone();
        Self { counts, wall, cpu, peak_memory: peak_memory(), usd, prices, priced_exactly }
    }

    /// One JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let counts = &self.counts;
        json!({
            "objects": counts.done, "failed": counts.failed, "skipped": counts.skipped, "read": counts.read, "listed": counts.listed,
            "bytes": counts.bytes_done, "requests": counts.requests, "retries": counts.retries, "throttles": counts.throttles,
            "wall_seconds": millis(self.wall), "cpu_seconds": millis(self.cpu), "peak_memory": self.peak_memory,
            "usd": (self.usd * 1e9).round() / 1e9, "prices": self.prices, "prices_exact": self.priced_exactly,
        })
    }

    /// A few lines for people.
    #[must_use]
    pub fn text(&self) -> String {
        let counts = &self.counts;
        let requests: u64 = counts.requests.values().sum();
        let mut text = format!("objects   {} done, {} failed, {} skipped", counts.done, counts.failed, counts.skipped);
        if counts.listed > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "; {} listed", counts.listed);
        }
        let _ = write!(text, "\nbytes     {} ({})", counts.bytes_done, human_size(counts.bytes_done));
        let _ = write!(text, "\nrequests  {requests}, {} retries, {} throttled", counts.retries, counts.throttles);
        for (operation, count) in &counts.requests {
            let _ = write!(text, "\n  {operation:<26} {count:>9}");
        }
        let _ = write!(text, "\ntime      {:.2} s wall, {:.2} s CPU", self.wall.as_secs_f64(), self.cpu.as_secs_f64());
        if let Some(bytes) = self.peak_memory {
            let _ = write!(text, "\nmemory    {} at most", human_size(bytes));
        }
        let mark = if self.priced_exactly { "" } else { "; this store has prices of its own" };
        let _ = write!(text, "\nprice     {:.6} USD for requests ({}{mark})", self.usd, self.prices);
        text
    }
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

/// Greatest resident memory of this process in bytes.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The last line of a command that changes things: `3 copied, 1 failed, 1.5 GiB in 2.1 s (730 MiB/s)`.
#[must_use]
pub fn summary(verb: &str, counts: &Snapshot, wall: Duration) -> String {
    let mut text = format!("{} {verb}", counts.done);
    for (count, what) in [(counts.failed, "failed"), (counts.skipped, "skipped")] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    let seconds = wall.as_secs_f64();
    if counts.bytes_done > 0 {
        let _ = write!(text, ", {}", human_size(counts.bytes_done));
    }
    let _ = write!(text, " in {seconds:.1} s");
    if counts.bytes_done > 0 && seconds >= 0.05 {
        let _ = write!(text, " ({}/s)", human_size(per_second(counts.bytes_done, seconds)));
    }
    text
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a rate for people"
)]
fn per_second(bytes: u64, seconds: f64) -> u64 {
    (bytes as f64 / seconds) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> Snapshot {
        let requests = [("GetObject", 3), ("ListObjectsV2", 1)].into();
        Snapshot { done: 3, failed: 1, bytes_done: 3 << 20, requests, retries: 2, ..Snapshot::default() }
    }

    #[test]
    fn the_summary_names_what_happened_and_leaves_out_what_did_not() {
        let text = summary("copied", &counts(), Duration::from_secs(2));
        assert_eq!(text, "3 copied, 1 failed, 3.0 MiB in 2.0 s (1.5 MiB/s)");
        assert_eq!(summary("deleted", &Snapshot::default(), Duration::ZERO), "0 deleted in 0.0 s");
    }

    #[test]
    fn the_ledger_counts_every_operation_and_marks_foreign_prices() {
        let prices = PriceTable { write_per_1000: 5.0, read_per_1000: 1.0, source: "test".into() };
        let ledger = Ledger::take(counts(), Duration::from_secs(2), &prices, false);
        let json = ledger.json();
        assert_eq!((&json["objects"], &json["requests"]["GetObject"]), (&json!(3), &json!(3)));
        assert_eq!(json["usd"], json!(0.008));
        let text = ledger.text();
        assert!(text.contains("GetObject") && text.contains("prices of its own"), "{text}");
    }
}
