//! A place in an open directory: found by the target, filled by the landing.

use cap_std::fs::Dir;
use std::ffi::OsString;
use std::sync::Arc;

/// A name in an open directory that stands for the file itself, not for a link to it.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) dir: Arc<Dir>,
    pub(super) name: OsString,
    /// Whether a file that is there must stay.
    pub(super) keep_existing: bool,
}
