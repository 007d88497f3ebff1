//! Signals: the first asks everything to settle, the second ends the process at once, and so does the end of patience.

use crate::engine::cancel::Trigger;
use crate::settings::defaults::SETTLE;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Which signal came first, if any.
#[derive(Debug, Clone, Default)]
pub struct Received(Arc<AtomicI32>);

impl Received {
    /// Number of the first signal.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        Some(self.0.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }
}

/// Whether a signal was ignored when the process began, as `nohup` and background jobs of scripts have it: then it stays ignored.
fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> (number - 1) & 1 == 1)
}

/// A stream of one signal; one that never comes if it is to stay ignored.
async fn next(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Starts to listen; to be called inside the runtime, once. The task ends with the runtime.
pub fn listen(trigger: Trigger) -> std::io::Result<Received> {
    let received = Received::default();
    let open = |number| if is_ignored(number) { Ok(None) } else { signal(SignalKind::from_raw(number)).map(Some) };
    let (mut hangup, mut interrupt, mut terminate) = (open(SIGHUP)?, open(SIGINT)?, open(SIGTERM)?);
    let first = received.clone();
    tokio::spawn(async move {
        loop {
            let number = tokio::select! {
                () = next(&mut hangup) => SIGHUP,
                () = next(&mut interrupt) => SIGINT,
                () = next(&mut terminate) => SIGTERM,
                () = tokio::time::sleep(SETTLE), if first.signal().is_some() => first.signal().unwrap_or_default(),
            };
            if first.signal().is_some() {
                // Ends the process for all signals listened to; an error would mean that one of them cannot kill.
                drop(signal_hook::low_level::emulate_default_handler(number));
            }
            first.0.store(number, Ordering::Relaxed);
            trigger.cancel();
        }
    });
    Ok(received)
}
