//! The pure retry decision: what failed, how often, what to do next. No clock, no sleep.
/// How hard to try. A value passed down.
#[derive(Debug, Clone)]
pub struct RetryPolicy { /// first try included
    pub max_attempts: u32, pub base: std::time::Duration, pub throttle_base: std::time::Duration, pub cap: std::time::Duration }
impl Default for RetryPolicy { fn default() -> Self { Self { max_attempts: 8, base: std::time::Duration::from_millis(50), throttle_base: std::time::Duration::from_secs(1), cap: std::time::Duration::from_secs(20) } } }
