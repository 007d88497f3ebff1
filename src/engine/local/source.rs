//! What an upload reads: a regular file by ranges, from several threads; or a stream (FIFO, device, descriptor) in order.
//!
//! A regular file is remembered as it was when it was opened. An upload that ends asks [`SourceFile::unchanged`], so that a mixture of two
//! states is never stored as if it were a file.

use super::failed;
use super::target::is_descriptor;
use crate::engine::Failure;
use crate::model::checksum::Hasher;
use bytes::Bytes;
use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use std::fs::{File, Metadata};
use std::io;
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Bytes a buffer: large enough that system calls are few, small enough that it is still in the processor's cache when it is hashed.
pub const PIECE: usize = 256 << 10;

/// An open file to be uploaded.
#[derive(Debug)]
pub struct SourceFile {
    file: File,
    path: PathBuf,
    regular: Option<Identity>,
}

/// What tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    size: u64,
    modified: (i64, i64),
    device: u64,
    inode: u64,
}

impl SourceFile {
    /// Opens a file; for a FIFO this waits for a writer.
    ///
    /// # Errors
    /// When it cannot be opened or is a directory.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let file = open(path).map_err(failed("open", path))?;
        let metadata = file.metadata().map_err(failed("open", path))?;
        if metadata.is_dir() {
            return Err(failed("read", path)(Errno::ISDIR));
        }
        // Standard input is read from where it stands, which need not be the start.
        let by_ranges = metadata.is_file() && !is_standard_input(path) && !is_generated(&file, &metadata);
        let regular = by_ranges.then(|| Identity::of(&metadata));
        Ok(Self { file, path: path.to_owned(), regular })
    }

    /// The path it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length when it was opened; `None` for a stream.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.regular.map(|regular| regular.size)
    }

    /// Its modification time; `None` where there is none.
    #[must_use]
    pub fn modified(&self) -> Option<SystemTime> {
        self.file.metadata().ok().filter(|_| self.regular.is_some())?.modified().ok()
    }

    /// Reads a range of a regular file in pieces of at most [`PIECE`] bytes, feeding each to the hashers while it is in the cache.
    ///
    /// # Errors
    /// [`Failure::SourceChanged`] when the file ends before the range does.
    pub fn read_range(&self, range: Range<u64>, hashers: &mut [Hasher]) -> Result<Vec<Bytes>, Failure> {
        let mut pieces = Vec::with_capacity(piece_count(range.end.saturating_sub(range.start)));
        let mut offset = range.start;
        while offset < range.end {
            let want = piece_size(range.end - offset);
            let piece = fill(want, |buffer, have| rustix::io::pread(&self.file, spare_capacity(buffer), offset + have));
            let piece = piece.map_err(failed("read", &self.path))?;
            if piece.len() < want {
                return Err(Failure::SourceChanged(self.path.clone()));
            }
            offset += want as u64;
            pieces.push(hashed(piece, hashers));
        }
        Ok(pieces)
    }

    /// Reads on in order, `max` bytes or up to the end: fewer than `max` mean that the end was reached. For streams; not to be mixed with
    /// itself on other threads.
    ///
    /// # Errors
    /// When reading fails.
    pub fn read_next(&self, max: u64, hashers: &mut [Hasher]) -> Result<Vec<Bytes>, Failure> {
        let mut pieces = Vec::new();
        let mut left = max;
        while left > 0 {
            let want = piece_size(left);
            let piece = fill(want, |buffer, _| rustix::io::read(&self.file, spare_capacity(buffer)));
            let piece = piece.map_err(failed("read", &self.path))?;
            let ended = piece.len() < want;
            left -= piece.len() as u64;
            if !piece.is_empty() {
                pieces.push(hashed(piece, hashers));
            }
            if ended {
                break;
            }
        }
        Ok(pieces)
    }

    /// Whether the file is still what it was when it was opened, and still what its path names. Always true for a stream.
    #[must_use]
    pub fn unchanged(&self) -> bool {
        let Some(before) = self.regular else { return true };
        let same = |metadata: io::Result<Metadata>| metadata.is_ok_and(|metadata| Identity::of(&metadata) == before);
        same(self.file.metadata()) && same(std::fs::metadata(&self.path))
    }
}

impl Identity {
    fn of(metadata: &Metadata) -> Self {
        Self {
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    if is_standard_input(path) {
        return io::stdin().as_fd().try_clone_to_owned().map(File::from);
    }
    File::open(path)
}

fn is_standard_input(path: &Path) -> bool {
    is_descriptor(path) && path.file_name().is_some_and(|name| name == "stdin" || name == "0")
}

/// Files of `/proc` call themselves empty and are not; their length shows only by reading.
fn is_generated(file: &File, metadata: &Metadata) -> bool {
    metadata.len() == 0 && matches!(rustix::io::pread(file, &mut [0_u8; 1], 0), Ok(1))
}

/// Reads until the buffer holds `want` bytes or there are no more. `read` gets the buffer and how much it holds.
fn fill(want: usize, mut read: impl FnMut(&mut Vec<u8>, u64) -> Result<usize, Errno>) -> io::Result<Vec<u8>> {
    let mut buffer = Vec::with_capacity(want);
    while buffer.len() < want {
        let have = buffer.len() as u64;
        match read(&mut buffer, have) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(buffer)
}

fn hashed(piece: Vec<u8>, hashers: &mut [Hasher]) -> Bytes {
    for hasher in hashers {
        hasher.update(&piece);
    }
    Bytes::from(piece)
}

fn piece_size(left: u64) -> usize {
    usize::try_from(left).map_or(PIECE, |left| left.min(PIECE))
}

fn piece_count(length: u64) -> usize {
    usize::try_from(length.div_ceil(PIECE as u64)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::model::checksum::{Algorithm, Checksum};
    use std::fs;
    use std::io::{Seek, SeekFrom, Write};
    use std::time::Duration;

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()[0]).collect()
    }

    fn file(data: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("f");
        fs::write(&path, data).unwrap();
        (home, path)
    }

    #[test]
    fn ranges_are_read_in_pieces_and_hashed_on_the_way() {
        let data = content(3 * PIECE + 17);
        let (_home, path) = file(&data);
        let source = SourceFile::open(&path).unwrap();
        assert_eq!(source.size(), Some(data.len() as u64));
        let mut hashers = [Hasher::new(Algorithm::Crc64Nvme), Hasher::new(Algorithm::Md5)];
        let pieces = source.read_range(5..data.len() as u64, &mut hashers).unwrap();
        assert!(pieces.len() == 4 && pieces.iter().all(|piece| piece.len() <= PIECE));
        assert_eq!(pieces.concat(), data[5..]);
        for hasher in hashers {
            let checksum = hasher.finish();
            assert_eq!(checksum, Checksum::of(checksum.algorithm(), &data[5..]));
        }
        assert!(source.read_range(7..7, &mut []).unwrap().is_empty());
        assert!(source.unchanged());
    }

    #[test]
    fn a_file_cut_short_is_a_changed_file() {
        let (_home, path) = file(&content(1000));
        let source = SourceFile::open(&path).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
        assert!(matches!(source.read_range(0..1000, &mut []), Err(Failure::SourceChanged(changed)) if changed == path));
        assert!(!source.unchanged());
    }

    #[test]
    fn growing_rewriting_replacing_and_removing_are_noticed() {
        let changes: [fn(&Path); 4] = [
            |path| fs::File::options().append(true).open(path).unwrap().write_all(b"more").unwrap(),
            |path| {
                let mut file = fs::File::options().write(true).open(path).unwrap();
                file.seek(SeekFrom::End(-3)).unwrap();
                file.write_all(b"new").unwrap();
            },
            |path| {
                let modified = fs::metadata(path).unwrap().modified().unwrap();
                fs::write(path.with_extension("new"), [0; 1000]).unwrap();
                fs::File::options()
                    .write(true)
                    .open(path.with_extension("new"))
                    .unwrap()
                    .set_modified(modified)
                    .unwrap();
                fs::rename(path.with_extension("new"), path).unwrap();
            },
            |path| fs::remove_file(path).unwrap(),
        ];
        for change in changes {
            let (_home, path) = file(&[0; 1000]);
            let source = SourceFile::open(&path).unwrap();
            std::thread::sleep(Duration::from_millis(20));
            assert!(source.unchanged());
            change(&path);
            assert!(!source.unchanged());
        }
    }

    #[test]
    fn a_fifo_is_a_stream_read_to_its_end() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let data = content(PIECE * 2 + 100);
        let writer = std::thread::spawn({
            let (path, data) = (path.clone(), data.clone());
            move || {
                let mut fifo = fs::File::options().write(true).open(path).unwrap();
                for chunk in data.chunks(777) {
                    fifo.write_all(chunk).unwrap();
                }
            }
        });
        let source = SourceFile::open(&path).unwrap();
        assert_eq!((source.size(), source.modified()), (None, None));
        let first = source.read_next(PIECE as u64 + 1, &mut []).unwrap().concat();
        assert_eq!(first, data[..=PIECE]);
        let rest = source.read_next(u64::MAX, &mut []).unwrap().concat();
        assert_eq!(rest, data[PIECE + 1..]);
        assert!(source.read_next(10, &mut []).unwrap().is_empty());
        assert!(source.unchanged());
        writer.join().unwrap();
    }

    #[test]
    fn a_file_that_calls_itself_empty_and_is_not_is_a_stream() {
        let source = SourceFile::open(Path::new("/proc/self/status")).unwrap();
        assert_eq!(source.size(), None);
        assert!(source.read_next(1 << 20, &mut []).unwrap().concat().starts_with(b"Name:"));
        let (_home, path) = file(b"");
        assert_eq!(SourceFile::open(&path).unwrap().size(), Some(0));
    }

    #[test]
    fn directories_and_missing_files_are_errors() {
        let home = tempfile::tempdir().unwrap();
        let kind = |path: &Path| match SourceFile::open(path) {
            Err(Failure::Local { source, .. }) => source.kind(),
            other => panic!("{other:?}"),
        };
        assert_eq!(kind(home.path()), io::ErrorKind::IsADirectory);
        assert_eq!(kind(&home.path().join("missing")), io::ErrorKind::NotFound);
    }
}
