//! The tries of one operation: counts them, decides by [`History`], sleeps. The only sleep of the wire.

use super::{Client, Inner};
use crate::s3::Error;
use crate::s3::failure::Failure;
use crate::transport::retry::{Decision, History};
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::time::Instant;

/// What one operation has been through.
#[derive(Debug)]
pub(super) struct Tries<'a> {
    client: &'a Inner,
    retries: &'a AtomicU32,
    history: History,
    started: Instant,
    /// Requests sent and failed.
    failed: u32,
    /// Whether the store may have done an earlier attempt's work although we were not told.
    pub(super) lost: bool,
}

impl<'a> Tries<'a> {
    pub(super) fn new(client: &'a Client) -> Self {
        let Client { inner, retries } = client;
        Self { client: inner, retries, history: History::default(), started: Instant::now(), failed: 0, lost: false }
    }

    /// Takes a failed attempt: waits until the next one is due, or gives the failure back if there is none.
    pub(super) async fn again(&mut self, failure: Failure) -> Result<(), Failure> {
        self.failed += 1;
        let (policy, random) = (&self.client.config.retry, (self.client.ambient.random)());
        let elapsed = self.started.elapsed();
        let decision = self.history.decide(policy, failure.class, elapsed, failure.told.retry_after, random);
        let Decision::After(delay) = decision else { return Err(failure) };
        if !self.client.budget.take(failure.class) {
            return Err(failure);
        }
        self.lost |= failure.leaves_doubt();
        self.client.stats.retry();
        self.retries.fetch_add(1, Ordering::Relaxed);
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        Ok(())
    }

    /// The last attempt moved content: earlier ones no longer count against the operation.
    pub(super) fn progressed(&mut self) {
        self.history.progressed();
    }

    pub(super) fn succeeded(&self) {
        self.client.budget.succeeded(self.failed);
    }

    pub(super) fn into_error(self, failure: Failure, operation: &'static str, place: (&str, &str)) -> Box<Error> {
        failure.into_error(operation, place, self.failed.max(1), self.started.elapsed())
    }
}
