//! AIMD over requests in flight: permits grow by success, shrink once per congestion window on throttling.
//!
//! Until the first throttling every success adds a permit (so the limit doubles each round trip), after it every round of successes
//! adds one. Growth only follows demand: a limit that nobody reaches does not move.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Tenths of the limit that are left when the store says it is too much.
const LEFT: usize = 7;

/// The shared limit of requests in flight to one store.
#[derive(Debug)]
pub struct Governor {
    permits: Arc<Semaphore>,
    state: Mutex<State>,
    max: usize,
}

#[derive(Debug)]
struct State {
    limit: usize,
    /// Number of decreases so far. A permit remembers the one it was given in: its throttling says nothing about a later limit.
    window: u64,
    /// Permits to withhold as they come back, after a decrease below what is in flight.
    debt: usize,
    /// Successes since the last growth, once growth is additive.
    successes: usize,
    /// Permits given and not yet back.
    in_flight: usize,
}

/// The right to have one request in flight, from before it is sent until its answer is read to the end.
#[derive(Debug)]
pub struct Permit {
    governor: Arc<Governor>,
    slot: Option<OwnedSemaphorePermit>,
    window: u64,
    /// Whether it was the last one there was.
    scarce: bool,
}

impl Governor {
    /// Starts at `initial` permits, between 1 and `max`.
    pub fn new(initial: usize, max: usize) -> Arc<Self> {
        let max = max.clamp(1, Semaphore::MAX_PERMITS);
        let limit = initial.clamp(1, max);
        let state = State { limit, window: 0, debt: 0, successes: 0, in_flight: 0 };
        Arc::new(Self { permits: Arc::new(Semaphore::new(limit)), state: Mutex::new(state), max })
    }

    /// The present limit.
    pub fn limit(&self) -> usize {
        self.state().limit
    }

    /// The greatest limit.
    pub fn max(&self) -> usize {
        self.max
    }

    /// Waits for a permit; first come, first served.
    pub async fn acquire(self: &Arc<Self>) -> Permit {
        let permit = self.permits.clone().acquire_owned().await.expect("the semaphore is never closed");
        let mut state = self.state();
        state.in_flight += 1;
        let scarce = state.in_flight >= state.limit;
        Permit { governor: self.clone(), slot: Some(permit), window: state.window, scarce }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// The request worked: the limit may grow, if it was what held us back.
    pub fn succeeded(&self) {
        let mut state = self.governor.state();
        if state.limit >= self.governor.max || !(self.scarce || state.in_flight >= state.limit) {
            return;
        }
        state.successes += 1;
        if state.window == 0 || state.successes >= state.limit {
            state.successes = 0;
            state.limit += 1;
            if state.debt > 0 {
                state.debt -= 1;
            } else {
                self.governor.permits.add_permits(1);
            }
        }
    }

    /// The same permit serves another request from now on: its throttling is news again.
    pub fn renew(&mut self) {
        self.window = self.governor.state().window;
    }

    /// The store asked to slow down: the limit shrinks, unless it already has since this request was sent.
    pub fn throttled(&mut self) {
        let mut state = self.governor.state();
        if self.window < state.window {
            return;
        }
        state.window += 1;
        state.successes = 0;
        let limit = (state.limit * LEFT / 10).max(1);
        let less = state.limit - limit;
        state.limit = limit;
        state.debt += less - self.governor.permits.forget_permits(less);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.governor.state();
        state.in_flight -= 1;
        if state.debt > 0
            && let Some(slot) = self.slot.take()
        {
            state.debt -= 1;
            slot.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use futures_util::FutureExt;

    fn take(governor: &Arc<Governor>) -> Option<Permit> {
        governor.acquire().now_or_never()
    }

    fn take_all(governor: &Arc<Governor>) -> Vec<Permit> {
        std::iter::from_fn(|| take(governor)).collect()
    }

    #[test]
    fn a_limit_that_is_reached_grows_until_the_maximum() {
        let governor = Governor::new(4, 30);
        let mut seen = Vec::new();
        for _ in 0..4 {
            let permits = take_all(&governor);
            seen.push(permits.len());
            permits.iter().for_each(Permit::succeeded);
        }
        // A round that ends all at once grows less: only its last permits were scarce.
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
        for _ in 0..100 {
            take_all(&governor).iter().for_each(Permit::succeeded);
        }
        assert_eq!(governor.limit(), 30);
    }

    #[test]
    fn a_limit_that_nobody_reaches_does_not_grow() {
        let governor = Governor::new(4, 30);
        for _ in 0..100 {
            take(&governor).unwrap().succeeded();
        }
        assert_eq!(governor.limit(), 4);
    }

    #[test]
    fn a_burst_of_throttling_shrinks_the_limit_once() {
        let governor = Governor::new(10, 10);
        let mut permits = take_all(&governor);
        permits.iter_mut().for_each(Permit::throttled);
        assert_eq!(governor.limit(), 7);
        drop(permits);
        assert_eq!(take_all(&governor).len(), 7, "what was in flight beyond the limit is withheld");
    }

    #[test]
    fn the_next_window_shrinks_again_down_to_one() {
        let governor = Governor::new(10, 10);
        for _ in 0..20 {
            take(&governor).unwrap().throttled();
        }
        assert_eq!(governor.limit(), 1);
        assert_eq!(take_all(&governor).len(), 1);
    }

    #[test]
    fn after_throttling_growth_is_one_a_round() {
        let governor = Governor::new(10, 100);
        take(&governor).unwrap().throttled();
        for expected in [8, 9, 10] {
            let before = governor.limit();
            let permits = take_all(&governor);
            assert_eq!(permits.len(), before);
            permits.iter().for_each(Permit::succeeded);
            assert_eq!(governor.limit(), expected);
        }
    }

    #[tokio::test]
    async fn a_permit_that_is_dropped_goes_to_the_next_in_line() {
        let governor = Governor::new(1, 1);
        let first = governor.acquire().await;
        let waiting = tokio::spawn({
            let governor = governor.clone();
            async move { governor.acquire().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.unwrap();
    }
}
