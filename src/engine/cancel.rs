//! The wish to stop, as a value: engines look at it between jobs and beside every wait, and settle what they started.

use std::sync::Arc;
use tokio::sync::watch;

/// The receiving half. Cheap to clone; every clone sees the same wish.
#[derive(Debug, Clone)]
pub struct Cancel(watch::Receiver<bool>);

/// The asking half. Dropping it without asking leaves the run to its end.
#[derive(Debug, Clone)]
pub struct Trigger(Arc<watch::Sender<bool>>);

/// A fresh pair that nobody has asked anything of yet.
#[must_use]
pub fn pair() -> (Trigger, Cancel) {
    let (sender, receiver) = watch::channel(false);
    (Trigger(Arc::new(sender)), Cancel(receiver))
}

impl Trigger {
    /// Asks all holders of [`Cancel`] to stop. Asking twice is asking once.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}

impl Cancel {
    /// One that is never asked, for tests and for work that must not be interrupted.
    #[must_use]
    pub fn never() -> Self {
        pair().1
    }

    /// Whether to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when asked to stop; never, if that cannot happen any more.
    pub async fn cancelled(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|asked| *asked).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Runs `work` to its end, or drops it when asked to stop and returns `None`.
    pub async fn unless<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.cancelled() => None,
            result = work => Some(result),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_clone_sees_the_wish_to_stop() {
        let (trigger, cancel) = pair();
        let other = cancel.clone();
        assert!(!other.is_cancelled());
        trigger.cancel();
        other.cancelled().await;
        assert!(cancel.is_cancelled());
    }

    #[tokio::test]
    async fn a_dropped_trigger_is_not_a_wish_to_stop() {
        let cancel = Cancel::never();
        let waited = tokio::time::timeout(std::time::Duration::from_millis(20), cancel.cancelled()).await;
        assert!(waited.is_err(), "must wait for ever");
    }
}
