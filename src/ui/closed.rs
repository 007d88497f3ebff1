//! Whether stdout was closed when the process began.
//!
//! The standard library opens `/dev/null` in the place of a closed descriptor before `main` runs, so that `s3kit ls >&-` would seem to
//! succeed with its output lost. Only a look before that can tell; after it, nothing can (`>/dev/null` is the same file). The look is one
//! system call and its answer one flag, which nothing else may use.

use std::sync::atomic::{AtomicBool, Ordering};

static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Registered with `inventory`, which asks for the registry of its kind before `main` runs: the moment needed here, without unsafe code
/// of our own. Nothing is ever collected.
struct Look;

impl inventory::Collect for Look {
    fn registry() -> &'static inventory::Registry {
        static REGISTRY: inventory::Registry = inventory::Registry::new();
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        STDOUT_WAS_CLOSED.store(closed, Ordering::Relaxed);
        &REGISTRY
    }
}

inventory::submit! { Look }

/// Whether it was.
pub(super) fn stdout_was_closed() -> bool {
    STDOUT_WAS_CLOSED.load(Ordering::Relaxed)
}
