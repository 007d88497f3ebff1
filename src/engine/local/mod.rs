//! Files as the engines see them: where downloads land, what uploads read, which files a tree holds.
//!
//! Everything here blocks, so the engines call it from their blocking threads. What a name below a target may be is decided by
//! [`crate::model::name`]; whether a file should be written at all (`--update`, conflicts) is the engines' decision.
//!
//! The one idea: nothing is addressed by a path string twice. A target's parent directory is opened once and everything after that is
//! relative to the handle, so that a directory swapped for a symlink meanwhile cannot redirect a write.

mod case;
pub mod landing;
mod slot;
pub mod source;
pub mod target;
pub mod walk;

use super::Failure;
use std::io;
use std::path::Path;

/// Wraps an I/O error with what was attempted on which path.
fn failed<E: Into<io::Error>>(action: &'static str, path: &Path) -> impl FnOnce(E) -> Failure {
    move |error| Failure::Local { action, path: path.to_owned(), source: error.into() }
}
