//! Progress: a line drawn from the counters ten times a second, only where a person sees it and no data goes by.

use super::Printer;
use crate::model::stats::{Snapshot, Stats};
use crate::model::units::human_size;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Time between two drawings; also how long a command may take before it draws at all.
const TICK: Duration = Duration::from_millis(100);
/// Weight of the newest tick in the rate shown: it follows a change in about two seconds.
const NEWEST: f64 = 0.05;

/// Draws until it is dropped, then clears its line.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    _task: JoinSet<()>,
}

/// Whether to draw: as the user said, else if stderr is a terminal, stdout is no pipe, and nothing else is written there.
#[must_use]
pub fn wanted(printer: &Printer, asked: Option<bool>, prints_rows: bool) -> bool {
    let rows_in_the_way = prints_rows && printer.stdout_is_terminal();
    let by_itself = printer.stderr_is_terminal() && !printer.is_quiet() && printer.verbosity() == 0;
    asked.unwrap_or_else(|| by_itself && !stdout_is_pipe()) && !rows_in_the_way
}

fn stdout_is_pipe() -> bool {
    use rustix::fs::FileType;
    let kind = rustix::fs::fstat(rustix::stdio::stdout()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket))
}

impl Progress {
    /// Starts to draw, if `draw`.
    #[must_use]
    pub fn start(printer: &Printer, stats: &Arc<Stats>, draw: bool) -> Self {
        let mut task = JoinSet::new();
        if !draw {
            return Self { bar: None, _task: task };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a template without formats"));
        printer.show(bar.clone());
        task.spawn(draw_for_ever(bar.clone(), Arc::clone(stats)));
        Self { bar: Some(bar), _task: task }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

async fn draw_for_ever(bar: ProgressBar, stats: Arc<Stats>) {
    let began = Instant::now();
    let mut last = (began, 0);
    let mut rate = None;
    loop {
        tokio::time::sleep(TICK).await;
        let counts = stats.snapshot();
        let (now, moved) = (Instant::now(), counts.bytes_done + counts.bytes_moving);
        rate = Some(smoothed(rate, moved.saturating_sub(last.1), now - last.0));
        last = (now, moved);
        bar.set_message(line(&counts, rate.unwrap_or(0.0)));
        bar.tick();
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
fn smoothed(before: Option<f64>, bytes: u64, time: Duration) -> f64 {
    let now = bytes as f64 / time.as_secs_f64().max(1e-3);
    before.map_or(now, |before| before + NEWEST * (now - before))
}

/// `12 of 345 objects, 1.5 of 3.2 GiB, 45 MiB/s, 38 s left, 16 in flight, 2 retries`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "figures for people"
)]
fn line(counts: &Snapshot, rate: f64) -> String {
    let ended = counts.done + counts.failed + counts.skipped;
    let moved = counts.bytes_done + counts.bytes_moving;
    let mut parts = Vec::new();
    if counts.jobs_known > 0 || ended > 0 {
        parts.push(format!("{ended} of {} objects", counts.jobs_known.max(ended)));
    } else {
        parts.push(format!("{} listed", counts.listed));
    }
    if moved > 0 {
        // Sizes of files and of records without one are not known beforehand; then there is no whole to compare with.
        let whole = Some(counts.bytes_known).filter(|whole| *whole > moved);
        let of = whole.map(|whole| format!(" of {}", human_size(whole))).unwrap_or_default();
        parts.push(format!("{}{of}", human_size(moved)));
        parts.push(format!("{}/s", human_size(rate as u64)));
        let left = whole.map_or(0.0, |whole| (whole - moved) as f64 / rate.max(1.0));
        if (1.0..1e6).contains(&left) {
            parts.push(format!("{left:.0} s left"));
        }
    }
    for (count, what) in [(counts.in_flight, "in flight"), (counts.retries, "retries"), (counts.failed, "failed")] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_never_shows_more_moved_than_known() {
        let counts =
            Snapshot { jobs_known: 4, done: 1, bytes_moving: 2 << 20, bytes_known: 1 << 20, ..Snapshot::default() };
        assert_eq!(line(&counts, 1024.0), "1 of 4 objects, 2.0 MiB, 1.0 KiB/s");
    }

    #[test]
    fn a_known_whole_tells_the_time_left() {
        let counts = Snapshot { jobs_known: 1, bytes_moving: 1 << 20, bytes_known: 3 << 20, ..Snapshot::default() };
        assert_eq!(line(&counts, 1_048_576.0), "0 of 1 objects, 1.0 MiB of 3.0 MiB, 1.0 MiB/s, 2 s left");
    }

    #[test]
    fn a_listing_shows_its_keys() {
        assert_eq!(line(&Snapshot { listed: 7, retries: 1, ..Snapshot::default() }, 0.0), "7 listed, 1 retries");
    }

    #[test]
    fn the_rate_follows_slowly() {
        let rate = smoothed(Some(100.0), 200, Duration::from_secs(1));
        assert!(rate > 100.0 && rate < 120.0, "{rate}");
    }
}
