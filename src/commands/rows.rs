//! Where printed records go: stdout, or a file that is replaced once all are written.

use super::{Context, Exit};
use crate::engine::Failure;
use crate::engine::local::landing::Landing;
use crate::engine::local::target::Target;
use crate::ui::Stdout;
use bytes::Bytes;
use std::path::Path;

/// An open destination of rows.
#[derive(Debug)]
pub enum Rows {
    /// Standard output.
    Stdout(Stdout),
    /// A file, with the offset that comes next. `None` while a block is being written.
    File(Option<Landing>, u64),
}

/// Why a row could not be written.
#[derive(Debug)]
pub enum RowsError {
    /// Of standard output.
    Stdout(std::io::Error),
    /// Of the file.
    File(Failure),
}

impl From<std::io::Error> for RowsError {
    fn from(error: std::io::Error) -> Self {
        Self::Stdout(error)
    }
}

impl From<Failure> for RowsError {
    fn from(failure: Failure) -> Self {
        Self::File(failure)
    }
}

impl RowsError {
    /// Says so and returns the exit status.
    pub fn report(&self, context: &Context) -> Exit {
        match self {
            Self::Stdout(error) => context.printer.stdout_failed(error),
            Self::File(failure) => {
                context.printer.failure("-o", failure);
                Exit::Stopped
            }
        }
    }
}

impl Rows {
    /// Opens stdout, or a file beside the one named.
    pub fn open(context: &Context, file: Option<&Path>) -> Result<Self, RowsError> {
        match file {
            None => Ok(Self::Stdout(context.printer.stdout()?)),
            Some(path) => Ok(Self::File(Some(Target::named(path).begin(None)?), 0)),
        }
    }

    /// Writes a block.
    pub async fn write(&mut self, block: Bytes) -> Result<(), RowsError> {
        match self {
            Self::Stdout(stdout) => Ok(stdout.write(block).await?),
            Self::File(slot, offset) => {
                let Some(landing) = slot.take() else { return Ok(()) };
                let (at, length) = (*offset, block.len() as u64);
                let (landing, written) = blocking(move || {
                    let written = landing.write_at(at, &[block]);
                    (landing, written)
                })
                .await?;
                *slot = Some(landing);
                *offset += length;
                Ok(written?)
            }
        }
    }

    /// Everything was written: waits for stdout, or puts the file in its place.
    pub async fn finish(self) -> Result<(), RowsError> {
        match self {
            Self::Stdout(mut stdout) => Ok(stdout.finish().await?),
            Self::File(None, _) => Ok(()),
            Self::File(Some(landing), _) => {
                // Not told to keep what was there, so it landed.
                let _landed = blocking(move || landing.finish(false, None)).await??;
                Ok(())
            }
        }
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, RowsError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| RowsError::Stdout(std::io::Error::other(error)))
}
