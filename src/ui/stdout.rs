//! Standard output as a stream of blocks.
//!
//! A thread of its own writes, so that a slow reader holds up nobody but the producer of the bytes: blocks go through a channel of two,
//! and awaiting its free place is the back-pressure. Small blocks are gathered and flushed as soon as no more are waiting.

use bytes::Bytes;
use std::io::{self, Write};
use tokio::sync::{mpsc, oneshot};

/// Blocks between the producer and the writing thread.
const BLOCKS: usize = 2;
/// Bytes gathered before they are written, unless nothing more is waiting.
const GATHER: usize = 64 * 1024;

/// The way to stdout. Opened by the first write; to be ended by [`Stdout::finish`], which says whether everything arrived.
#[derive(Debug)]
pub struct Stdout {
    sender: Option<mpsc::Sender<Bytes>>,
    ended: Option<oneshot::Receiver<io::Result<()>>>,
    failure: Option<io::Error>,
}

impl Stdout {
    /// Starts the writing thread over any writer.
    pub(super) fn over(writer: impl Write + Send + 'static) -> Self {
        let (sender, blocks) = mpsc::channel(BLOCKS);
        let (end, ended) = oneshot::channel();
        std::thread::spawn(move || {
            // Nobody waits for the result when the command has already failed otherwise.
            drop(end.send(write_all(writer, blocks)));
        });
        Self { sender: Some(sender), ended: Some(ended), failure: None }
    }

    /// Hands a block over, waiting while the reader is slow. Fails as soon as stdout has failed; the error's kind tells a closed
    /// pipe (`BrokenPipe`) from a full disk (`StorageFull`).
    pub async fn write(&mut self, block: impl Into<Bytes>) -> io::Result<()> {
        let block = block.into();
        if let Some(sender) = &self.sender
            && (block.is_empty() || sender.send(block).await.is_ok())
        {
            return Ok(());
        }
        match self.finish().await {
            Err(error) => Err(error),
            Ok(()) => Err(io::Error::from(io::ErrorKind::BrokenPipe)),
        }
    }

    /// Waits until everything is written, or says why it is not. Says the same when asked again.
    pub async fn finish(&mut self) -> io::Result<()> {
        self.sender = None;
        if let Some(ended) = self.ended.take() {
            self.failure = ended.await.unwrap_or_else(|_| Err(io::Error::other("the writing thread died"))).err();
        }
        self.failure.as_ref().map_or(Ok(()), |error| Err(again(error)))
    }
}

fn again(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| io::Error::from(error.kind()), io::Error::from_raw_os_error)
}

fn write_all(mut writer: impl Write, mut blocks: mpsc::Receiver<Bytes>) -> io::Result<()> {
    let mut gathered = Vec::with_capacity(GATHER);
    while let Some(block) = blocks.blocking_recv() {
        if gathered.is_empty() && block.len() >= GATHER {
            writer.write_all(&block)?;
            continue;
        }
        gathered.extend_from_slice(&block);
        if gathered.len() >= GATHER || blocks.is_empty() {
            writer.write_all(&gathered)?;
            gathered.clear();
            writer.flush()?;
        }
    }
    writer.write_all(&gathered)?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::BrokenPipe))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn blocks_arrive_in_order_and_whole() {
        let shared = Shared::default();
        let mut stdout = Stdout::over(shared.clone());
        let big = vec![b'x'; GATHER + 1];
        for block in [&b"small"[..], &big, b"tail"] {
            stdout.write(block.to_vec()).await.unwrap();
        }
        stdout.finish().await.unwrap();
        assert_eq!(*shared.0.lock().unwrap(), [&b"small"[..], &big, b"tail"].concat());
    }

    #[tokio::test]
    async fn a_closed_reader_is_an_error_of_the_next_writes() {
        let mut stdout = Stdout::over(Closed);
        let mut failed = None;
        for _ in 0..10 {
            if let Err(error) = stdout.write(vec![0; 10]).await {
                failed = Some(error.kind());
                break;
            }
        }
        assert_eq!(failed, Some(io::ErrorKind::BrokenPipe));
        assert_eq!(stdout.finish().await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
