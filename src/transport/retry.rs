//! The pure retry decision: what failed, how often, what to do next. No clock, no sleep, no randomness of its own.
//!
//! Three things bound retries: attempts of one operation, its time, and a [`Budget`] that all operations share, so that a store in
//! trouble is not buried under the retries of a thousand requests.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// How hard to try. A value passed down.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryPolicy {
    /// First try included.
    pub max_attempts: u32,
    /// Upper bound of the first delay after an ordinary failure; doubles each time.
    pub base: Duration,
    /// The same after being asked to slow down.
    pub throttle_base: Duration,
    /// Upper bound of any delay of our own choosing.
    pub cap: Duration,
    /// No new attempt once an operation has taken so long.
    pub max_elapsed: Duration,
}

impl Default for RetryPolicy {
    /// Eight attempts, for a run of a million objects meets rare failures often; 50 ms and 1 s are the SDKs' figures.
    fn default() -> Self {
        Self {
            max_attempts: 8,
            base: Duration::from_millis(50),
            throttle_base: Duration::from_secs(1),
            cap: Duration::from_secs(20),
            max_elapsed: Duration::from_mins(10),
        }
    }
}

/// What a failure means for trying again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The store asked to slow down.
    Throttle,
    /// Would likely work later.
    Transient,
    /// The connection broke before a byte of the answer: likely a kept-alive connection the store had closed.
    Closed,
    /// Our bytes did not arrive as we sent them: worth one more try, no more.
    Corrupt,
    /// The host name does not resolve: a hiccup of the resolver or, more likely, a wrong name.
    Unresolved,
    /// Something was learnt (the store's clock, the bucket's region) that makes an immediate second try sensible.
    Learnt,
    /// Trying again would fail again.
    Fatal,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Give up.
    Stop,
    /// Try again after so long (zero: at once).
    After(Duration),
}

/// What one operation has been through. Plain numbers; [`History::decide`] is a function of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    attempts: u32,
    closed: u32,
    learnt: u32,
    corrupt: u32,
    unresolved: u32,
}

/// Closed connections that are not held against an operation. The pool may hold several that died together.
const FREE_CLOSED: u32 = 3;
/// A clock and a region can be learnt once each.
const MAX_LEARNT: u32 = 2;
/// Attempts at a name that does not resolve.
const MAX_UNRESOLVED: u32 = 3;
/// A store's wish to be left alone is honoured up to here.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(1);

impl History {
    /// Adds a failed attempt and says what to do. `retry_after` is the store's wish, `random` is uniform in `0.0..1.0`.
    pub fn decide(
        &mut self,
        policy: &RetryPolicy,
        class: Class,
        elapsed: Duration,
        retry_after: Option<Duration>,
        random: f64,
    ) -> Decision {
        match class {
            Class::Fatal => return Decision::Stop,
            Class::Learnt if self.learnt < MAX_LEARNT => {
                self.learnt += 1;
                return Decision::After(Duration::ZERO);
            }
            Class::Closed if self.closed < FREE_CLOSED => {
                self.closed += 1;
                return Decision::After(Duration::ZERO);
            }
            Class::Corrupt if self.corrupt > 0 => return Decision::Stop,
            Class::Unresolved if self.unresolved + 1 >= MAX_UNRESOLVED => return Decision::Stop,
            Class::Corrupt => self.corrupt += 1,
            Class::Unresolved => self.unresolved += 1,
            _ => {}
        }
        self.attempts += 1;
        if self.attempts >= policy.max_attempts || elapsed >= policy.max_elapsed {
            return Decision::Stop;
        }
        Decision::After(delay(policy, class, self.attempts, retry_after, random))
    }

    /// Forgets the attempts so far, because the last one made progress.
    pub fn progressed(&mut self) {
        *self = Self::default();
    }
}

/// Full jitter under a doubling bound; never earlier than the store wishes, and at most five seconds after that.
fn delay(policy: &RetryPolicy, class: Class, attempts: u32, retry_after: Option<Duration>, random: f64) -> Duration {
    let base = if class == Class::Throttle { policy.throttle_base } else { policy.base };
    let bound = base.saturating_mul(1 << (attempts - 1).min(20)).min(policy.cap);
    let own = bound.mul_f64(random.clamp(0.0, 1.0));
    match retry_after.map(|wish| wish.min(MAX_RETRY_AFTER)) {
        Some(wish) => own.clamp(wish, wish + Duration::from_secs(5)),
        None => own,
    }
}

/// Tokens that all operations of a client share: a retry takes some, a success gives back.
#[derive(Debug)]
pub struct Budget {
    tokens: AtomicI64,
    capacity: i64,
}

impl Budget {
    /// A budget for so many requests in flight. It covers every one of them being retried several times, so a burst of refusals does
    /// not end a run; what it ends is a run against a store that refuses everything.
    pub fn new(concurrency: usize) -> Self {
        let capacity = i64::try_from(concurrency).unwrap_or(i64::MAX / 200).saturating_mul(100).max(1000);
        Self { tokens: AtomicI64::new(capacity), capacity }
    }

    /// Takes the tokens of a retry; false if there are not enough left.
    pub fn take(&self, class: Class) -> bool {
        let cost = cost(class);
        let taken = self
            .tokens
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| (left >= cost).then_some(left - cost));
        taken.is_ok()
    }

    /// Gives back after a success that needed `retries` retries.
    pub fn succeeded(&self, retries: u32) {
        let refund = 1 + i64::from(retries) * cost(Class::Transient);
        // Most calls find the budget full: a load instead of a write that all threads would contend for.
        if self.tokens.load(Ordering::Relaxed) < self.capacity {
            let add = |left: i64| Some((left + refund).min(self.capacity));
            let _ = self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        }
    }
}

fn cost(class: Class) -> i64 {
    match class {
        Class::Throttle => 5,
        Class::Learnt | Class::Closed => 0,
        _ => 14,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ZERO: Duration = Duration::ZERO;

    fn delays(class: Class, random: f64) -> Vec<u128> {
        let (policy, mut history, mut delays) = (RetryPolicy::default(), History::default(), Vec::new());
        while let Decision::After(delay) = history.decide(&policy, class, ZERO, None, random) {
            delays.push(delay.as_millis());
        }
        delays
    }

    #[test]
    fn delays_double_up_to_the_cap_and_the_attempts_end() {
        assert_eq!(delays(Class::Transient, 1.0), [50, 100, 200, 400, 800, 1600, 3200]);
        assert_eq!(delays(Class::Throttle, 1.0), [1000, 2000, 4000, 8000, 16000, 20000, 20000]);
        assert_eq!(delays(Class::Throttle, 0.5), [500, 1000, 2000, 4000, 8000, 10000, 10000]);
        assert_eq!(delays(Class::Transient, 0.0), [0; 7]);
    }

    #[test]
    fn each_class_has_its_own_number_of_attempts() {
        assert_eq!(delays(Class::Fatal, 1.0).len(), 0);
        assert_eq!(delays(Class::Corrupt, 1.0).len(), 1);
        assert_eq!(delays(Class::Unresolved, 1.0).len(), 2);
        assert_eq!(delays(Class::Learnt, 1.0), [&[0, 0], delays(Class::Transient, 1.0).as_slice()].concat());
    }

    #[test]
    fn closed_connections_are_retried_at_once_and_free_but_not_for_ever() {
        let (policy, mut history) = (RetryPolicy::default(), History::default());
        for _ in 0..FREE_CLOSED {
            assert_eq!(history.decide(&policy, Class::Closed, ZERO, None, 1.0), Decision::After(ZERO));
        }
        assert_eq!(history.attempts, 0);
        assert_eq!(delays(Class::Closed, 1.0).len(), (FREE_CLOSED + policy.max_attempts - 1) as usize);
    }

    #[test]
    fn the_stores_wish_is_a_lower_bound_and_is_itself_bounded() {
        let policy = RetryPolicy::default();
        let decide = |wish: u64, random| {
            History::default().decide(&policy, Class::Throttle, ZERO, Some(Duration::from_secs(wish)), random)
        };
        assert_eq!(decide(7, 0.0), Decision::After(Duration::from_secs(7)));
        assert_eq!(decide(0, 0.5), Decision::After(Duration::from_millis(500)));
        assert_eq!(decide(86_400, 0.5), Decision::After(MAX_RETRY_AFTER));
    }

    #[test]
    fn time_ends_the_attempts_too() {
        let policy = RetryPolicy::default();
        let late = policy.max_elapsed;
        assert_eq!(History::default().decide(&policy, Class::Transient, late, None, 1.0), Decision::Stop);
    }

    #[test]
    fn progress_gives_the_attempts_back() {
        let (policy, mut history) = (RetryPolicy::default(), History::default());
        for _ in 0..100 {
            assert!(matches!(history.decide(&policy, Class::Transient, ZERO, None, 1.0), Decision::After(_)));
            history.progressed();
        }
    }

    #[test]
    fn an_empty_budget_ends_retries_and_successes_fill_it_again() {
        let budget = Budget::new(1);
        let mut taken = 0;
        while budget.take(Class::Transient) {
            taken += 1;
        }
        assert_eq!(taken, 1000 / 14);
        assert!(budget.take(Class::Learnt), "what costs nothing is never refused");
        for _ in 0..14 {
            budget.succeeded(0);
        }
        assert!(budget.take(Class::Transient));
    }

    #[test]
    fn every_request_in_flight_can_use_all_its_attempts() {
        let budget = Budget::new(64);
        assert!((0..64 * 7).all(|_| budget.take(Class::Transient)));
    }

    #[test]
    fn the_budget_never_exceeds_its_capacity() {
        let budget = Budget::new(1);
        budget.succeeded(1_000);
        assert!(budget.take(Class::Transient));
        budget.succeeded(1_000);
        assert_eq!(budget.tokens.load(Ordering::Relaxed), budget.capacity);
    }
}
