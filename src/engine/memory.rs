//! The one memory budget of a run, in bytes: acquired before a request is sent, given back when its bytes have left memory.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes one semaphore permit stands for; coarse enough for a 32-bit permit count to cover any budget.
const GRAIN: u64 = 64 * 1024;

/// A budget shared by all transfers of a run. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Memory {
    permits: Arc<Semaphore>,
    grains: u32,
}

/// A share of the budget, given back when dropped.
#[derive(Debug)]
pub struct Share {
    _permit: OwnedSemaphorePermit,
}

impl Memory {
    /// A budget of so many bytes (at least one grain of 64 KiB).
    pub fn new(bytes: u64) -> Self {
        let grains = u32::try_from(bytes / GRAIN).unwrap_or(u32::MAX >> 4).max(1);
        Self { permits: Arc::new(Semaphore::new(grains as usize)), grains }
    }

    /// The whole budget in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.grains) * GRAIN
    }

    /// Waits for a share of so many bytes. More than the whole budget waits for all of it: one such piece may then run alone.
    pub async fn acquire(&self, bytes: u64) -> Share {
        let wanted = u32::try_from(bytes.div_ceil(GRAIN)).unwrap_or(u32::MAX).clamp(1, self.grains);
        let permit = self.permits.clone().acquire_many_owned(wanted).await.expect("the semaphore is never closed");
        Share { _permit: permit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_piece_larger_than_the_budget_runs_alone() {
        let memory = Memory::new(4 * GRAIN);
        let all = memory.acquire(100 * GRAIN).await;
        assert!(tokio::time::timeout(std::time::Duration::from_millis(20), memory.acquire(1)).await.is_err());
        drop(all);
        memory.acquire(1).await;
    }
}
