//! Signals: the first asks everything to settle, the second ends the process at once, and so does the end of patience.

use crate::engine::cancel::Trigger;
use crate::settings::defaults::SETTLE;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use tokio::signal::unix::{SignalKind, signal};

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

/// Starts to listen; to be called inside the runtime, once. The task ends with the runtime.
pub fn listen(trigger: Trigger) -> std::io::Result<Received> {
    let received = Received::default();
    let mut hangup = signal(SignalKind::hangup())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let first = received.clone();
    tokio::spawn(async move {
        loop {
            let number = tokio::select! {
                _ = hangup.recv() => signal_hook::consts::SIGHUP,
                _ = interrupt.recv() => signal_hook::consts::SIGINT,
                _ = terminate.recv() => signal_hook::consts::SIGTERM,
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
