//! How a run is asked to stop: one value everybody can watch. Whoever holds the [`Handle`] decides; the engines settle and report.

use tokio::sync::watch;

/// The side that asks for the stop.
#[derive(Debug)]
pub struct Handle(watch::Sender<bool>);

/// The side that obeys. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

/// A new pair, not stopped.
pub fn stop() -> (Handle, Stop) {
    let (sender, receiver) = watch::channel(false);
    (Handle(sender), Stop(receiver))
}

impl Handle {
    /// Asks everybody to settle and end. Idempotent.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// Whether the stop was asked for.
    pub fn requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Resolves when the stop is asked for; never, if the handle is gone without asking.
    pub async fn stopped(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|stopped| *stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Runs `work` to its end, or drops it at the stop and returns `None`.
    pub async fn unless<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.stopped() => None,
            result = work => Some(result),
        }
    }
}
