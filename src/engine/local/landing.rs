//! One file being written: beside its target until it is whole, then in its place by a rename.
//!
//! A reader of the target sees the old file or the new one, never a part; a failure leaves the old one and no temporary. FIFOs, devices
//! and descriptors cannot be replaced and are written in order, in place.

use super::slot::Slot;
use super::{case, failed};
use crate::engine::Failure;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode, OFlags, RawMode, Stat, Timespec, Timestamps};
use rustix::io::Errno;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, IoSlice, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// Files from this size on get their blocks at once: a full disk shows before the transfer, and the file lies in one piece.
const PREALLOCATE_FROM: u64 = 1 << 20;
/// Slices handed to one system call; Linux takes 1,024.
const SLICES_A_CALL: usize = 256;
/// Owner only, while the content is not yet what the target's readers may see.
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);
/// What a new file may be at most, before the process's mask.
const PUBLIC: Mode = Mode::from_raw_mode(0o666);

/// What finishing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a kept file is not the new content"]
pub enum Landed {
    /// The target holds the new content.
    Written,
    /// A file was there and must not be replaced; it is untouched.
    Kept,
}

/// A file being written. Dropped unfinished, it leaves no trace.
#[derive(Debug)]
pub struct Landing {
    file: File,
    path: PathBuf,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Beside(Beside),
    /// The offset that must come next.
    InPlace(Mutex<u64>),
}

/// A temporary file and what it will replace.
#[derive(Debug)]
struct Beside {
    temporary: Temporary,
    slot: Slot,
    /// Set when the temporary's mode is not yet the final one.
    mode: Option<Mode>,
    replaces: bool,
    expected: Option<u64>,
    written: AtomicU64,
}

impl Landing {
    /// Opens a temporary file beside the target. `small` content is written at once and needs neither privacy of its own (a new file's
    /// readers may read it) nor preallocation.
    pub(super) fn beside(
        slot: Slot,
        old: Option<&Stat>,
        expected: Option<u64>,
        small: bool,
        path: &Path,
    ) -> Result<Self, Failure> {
        if old.is_some() && !slot.keep_existing {
            refuse_twin(&slot, path)?;
        }
        let private = !small || old.is_some();
        let (temporary, file) =
            Temporary::create(&slot.dir, if private { PRIVATE } else { PUBLIC }).map_err(failed("create", path))?;
        if let Some(size) = expected.filter(|size| *size >= PREALLOCATE_FROM) {
            preallocate(&file, size).map_err(failed("allocate", path))?;
        }
        let mode = private.then(|| old.map_or_else(new_file_mode, |old| Mode::from_raw_mode(old.st_mode & 0o777)));
        let beside = Beside { temporary, slot, mode, replaces: old.is_some(), expected, written: AtomicU64::new(0) };
        Ok(Self { file, path: path.to_owned(), way: Way::Beside(beside) })
    }

    /// Opens a FIFO or device to be written in order.
    pub(super) fn in_place(slot: &Slot, path: &Path) -> Result<Self, Failure> {
        let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY;
        let file = rustix::fs::openat(&slot.dir, &slot.name, flags, Mode::empty()).map_err(failed("open", path))?;
        Ok(Self { file: file.into(), path: path.to_owned(), way: Way::InPlace(Mutex::new(0)) })
    }

    /// Takes one of the process's own descriptors, `name` being its path.
    pub(super) fn descriptor(name: &Path, path: &Path) -> Result<Self, Failure> {
        let file = open_descriptor(name).map_err(failed("open", path))?;
        Ok(Self { file, path: path.to_owned(), way: Way::InPlace(Mutex::new(0)) })
    }

    /// Whether the bytes must come in order, from offset 0 on.
    #[must_use]
    pub fn is_sequential(&self) -> bool {
        matches!(self.way, Way::InPlace(_))
    }

    /// Writes the buffers one after the other from `offset` on. Several threads may write different ranges, unless it is sequential.
    ///
    /// # Errors
    /// When the system refuses, or a sequential target is written out of order.
    pub fn write_at<B: AsRef<[u8]>>(&self, offset: u64, buffers: &[B]) -> Result<(), Failure> {
        match &self.way {
            Way::Beside(beside) => {
                let written = write_all_at(&self.file, offset, buffers).map_err(failed("write", &self.path))?;
                beside.written.fetch_add(written, Ordering::Relaxed);
            }
            Way::InPlace(next) => {
                let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
                if *next != offset {
                    let error = io::Error::new(io::ErrorKind::InvalidInput, "can only be written in order");
                    return Err(failed("write", &self.path)(error));
                }
                for buffer in buffers {
                    (&self.file).write_all(buffer.as_ref()).map_err(failed("write", &self.path))?;
                    *next += buffer.as_ref().len() as u64;
                }
            }
        }
        Ok(())
    }

    /// Puts the file in its place: mode, modification time, `fsync` of file and directory if asked, rename.
    ///
    /// # Errors
    /// When the system refuses, or fewer bytes were written than announced; then the target is as it was. Only a failure to
    /// flush the directory comes after the rename.
    pub fn finish(self, fsync: bool, modified: Option<SystemTime>) -> Result<Landed, Failure> {
        match self.way {
            Way::Beside(beside) => beside.finish(&self.file, &self.path, fsync, modified),
            Way::InPlace(_) if fsync => match rustix::fs::fsync(&self.file) {
                // Pipes and terminals have nothing to flush to.
                Ok(()) | Err(Errno::INVAL | Errno::ROFS | Errno::NOTSUP) => Ok(Landed::Written),
                Err(error) => Err(failed("flush", &self.path)(error)),
            },
            Way::InPlace(_) => Ok(Landed::Written),
        }
    }
}

impl Beside {
    fn finish(self, file: &File, path: &Path, fsync: bool, modified: Option<SystemTime>) -> Result<Landed, Failure> {
        self.check_length(file).map_err(failed("write", path))?;
        if let Some(mode) = self.mode.filter(|mode| *mode != PRIVATE) {
            rustix::fs::fchmod(file, mode).map_err(failed("set mode of", path))?;
        }
        if let Some(modified) = modified {
            rustix::fs::futimens(file, &timestamps(modified)).map_err(failed("set time of", path))?;
        }
        if fsync {
            rustix::fs::fsync(file).map_err(failed("flush", path))?;
        }
        let landed = self.publish(path)?;
        if fsync && landed == Landed::Written {
            self.flush_directory().map_err(failed("flush directory of", path))?;
        }
        Ok(landed)
    }

    /// What was announced is there: neither a hole nor bytes too many.
    fn check_length(&self, file: &File) -> io::Result<()> {
        let Some(expected) = self.expected else { return Ok(()) };
        let written = self.written.load(Ordering::Relaxed);
        if written < expected {
            let text = format!("only {written} of {expected} bytes were written");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        let length = file.metadata()?.len();
        if length > expected {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("{length} bytes instead of {expected}")));
        }
        Ok(())
    }

    /// Renames over the target; over nothing first, so that a file that appeared meanwhile is noticed.
    fn publish(&self, path: &Path) -> Result<Landed, Failure> {
        let slot = &self.slot;
        if slot.keep_existing || !self.replaces {
            match self.temporary.rename_to_new(slot) {
                Ok(()) => return Ok(Landed::Written),
                Err(Errno::EXIST) if slot.keep_existing => return Ok(Landed::Kept),
                Err(Errno::EXIST) => refuse_twin(slot, path)?,
                // File systems that know neither way: the look before the plain rename has to do.
                Err(_)
                    if slot.keep_existing
                        && rustix::fs::statat(&slot.dir, &slot.name, AtFlags::SYMLINK_NOFOLLOW).is_ok() =>
                {
                    return Ok(Landed::Kept);
                }
                Err(_) => {}
            }
        }
        rustix::fs::renameat(&slot.dir, &*self.temporary.name, &slot.dir, &slot.name)
            .map_err(failed("rename to", path))?;
        self.temporary.is_moved();
        Ok(Landed::Written)
    }

    /// Makes the rename durable. The directory's own handle only stands for its place, so it is opened for reading here.
    fn flush_directory(&self) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::fsync(rustix::fs::openat(&self.slot.dir, ".", flags, Mode::empty())?)
    }
}

/// A temporary file's name, removed when dropped unless it was moved.
#[derive(Debug)]
struct Temporary {
    dir: Arc<Dir>,
    name: String,
    moved: std::sync::atomic::AtomicBool,
}

impl Temporary {
    fn create(dir: &Arc<Dir>, mode: Mode) -> io::Result<(Self, File)> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let name = temporary_name();
            match rustix::fs::openat(dir, &*name, flags, mode) {
                Err(Errno::EXIST) => {}
                file => {
                    let file = file?.into();
                    return Ok((Self { dir: Arc::clone(dir), name, moved: false.into() }, file));
                }
            }
        }
    }

    /// Moves to a name nothing has. File systems that cannot do that in one step give it a second name instead; the first goes on drop.
    fn rename_to_new(&self, slot: &Slot) -> Result<(), Errno> {
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        {
            let flags = rustix::fs::RenameFlags::NOREPLACE;
            match rustix::fs::renameat_with(&self.dir, &*self.name, &slot.dir, &slot.name, flags) {
                Ok(()) => {
                    self.is_moved();
                    return Ok(());
                }
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                Err(error) => return Err(error),
            }
        }
        rustix::fs::linkat(&self.dir, &*self.name, &slot.dir, &slot.name, AtFlags::empty())
    }

    fn is_moved(&self) {
        self.moved.store(true, Ordering::Relaxed);
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !*self.moved.get_mut() {
            // Nobody is left to tell; the name says what it was.
            let _ = rustix::fs::unlinkat(&self.dir, &*self.name, AtFlags::empty());
        }
    }
}

/// Short, so that it fits wherever the target's own name fits, and keyed by the system's randomness, so that nobody can plant it.
fn temporary_name() -> String {
    format!(".s3kit-{:016x}", RandomState::new().build_hasher().finish())
}

fn refuse_twin(slot: &Slot, path: &Path) -> Result<(), Failure> {
    match case::twin(&slot.dir, &slot.name).map_err(failed("look at", path))? {
        None => Ok(()),
        Some(twin) => {
            let text = format!("{} is there, which this file system takes for the same name", twin.display());
            Err(failed("write", path)(io::Error::new(io::ErrorKind::AlreadyExists, text)))
        }
    }
}

/// Reserves the blocks. File systems that cannot are no obstacle, full ones are.
fn preallocate(file: &File, size: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        let mode = rustix::fs::FallocateFlags::empty();
        let reserved = rustix::io::retry_on_intr(|| rustix::fs::fallocate(file, mode, 0, size));
        if let Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) = reserved {
            return Err(error.into());
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, size);
    Ok(())
}

/// Writes everything at `offset`, however little the system takes at a time; returns how much that was.
fn write_all_at<B: AsRef<[u8]>>(file: &File, mut offset: u64, buffers: &[B]) -> io::Result<u64> {
    let start = offset;
    let mut slices: Vec<IoSlice<'_>> = buffers.iter().map(|buffer| IoSlice::new(buffer.as_ref())).collect();
    let mut rest = &mut slices[..];
    // Empty slices would make a call return 0, which means a full device below.
    IoSlice::advance_slices(&mut rest, 0);
    while !rest.is_empty() {
        let some = &rest[..rest.len().min(SLICES_A_CALL)];
        let written = rustix::io::retry_on_intr(|| rustix::io::pwritev(file, some, offset))?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        offset += written as u64;
        IoSlice::advance_slices(&mut rest, written);
    }
    Ok(offset - start)
}

/// A standard stream is taken as it is; others are opened by path, at their end if they are files, so that nothing is overwritten.
fn open_descriptor(name: &Path) -> io::Result<File> {
    let duplicate = match name.file_name().and_then(|name| name.to_str()) {
        Some("stdout" | "1") => io::stdout().as_fd().try_clone_to_owned()?,
        Some("stderr" | "2") => io::stderr().as_fd().try_clone_to_owned()?,
        _ => return File::options().append(true).open(name),
    };
    Ok(duplicate.into())
}

/// `0666 & ~umask`. The mask can only be asked for by setting it, which other threads would notice, so it is read once: from the process
/// status where there is one.
fn new_file_mode() -> Mode {
    static MASK: OnceLock<Mode> = OnceLock::new();
    PUBLIC
        - *MASK.get_or_init(|| {
            mask_in_status(&std::fs::read_to_string("/proc/self/status").unwrap_or_default()).unwrap_or_else(|| {
                let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
                rustix::process::umask(mask);
                mask
            })
        })
}

fn mask_in_status(status: &str) -> Option<Mode> {
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    RawMode::from_str_radix(mask.trim(), 8).ok().map(Mode::from_raw_mode)
}

fn timestamps(modified: SystemTime) -> Timestamps {
    let (seconds, nanoseconds) = match modified.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos()),
        Err(before) => {
            let up = before.duration() + Duration::from_nanos(999_999_999);
            let seconds = -i64::try_from(up.as_secs()).unwrap_or(i64::MAX);
            (seconds, (1_000_000_000 - before.duration().subsec_nanos()) % 1_000_000_000)
        }
    };
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT },
        last_modification: Timespec { tv_sec: seconds, tv_nsec: nanoseconds.into() },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr)]

    use super::*;
    use crate::engine::local::target::Target;
    use bytes::Bytes;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;
    use tempfile::TempDir;

    fn home() -> (TempDir, PathBuf, Target) {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("t");
        let target = Target::named(&file);
        (home, file, target)
    }

    fn count(dir: &Path) -> usize {
        fs::read_dir(dir).unwrap().count()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn threads_write_their_ranges_and_the_whole_appears_at_once() {
        let (home, file, target) = home();
        fs::write(&file, "keep").unwrap();
        let landing = target.begin(Some(4 << 20)).unwrap();
        assert!(!landing.is_sequential());
        std::thread::scope(|scope| {
            for part in 0..4_u8 {
                let landing = &landing;
                scope.spawn(move || {
                    let buffers = [Bytes::from(vec![part; 1 << 19]), Bytes::new(), Bytes::from(vec![part; 1 << 19])];
                    landing.write_at(u64::from(part) << 20, &buffers).unwrap();
                });
            }
        });
        assert_eq!(fs::read(&file).unwrap(), b"keep");
        assert_eq!(landing.finish(true, None).unwrap(), Landed::Written);
        let content = fs::read(&file).unwrap();
        assert!(
            content.len() == 4 << 20
                && (0..4).all(|part| content[part << 20..][..1 << 20].iter().all(|byte| usize::from(*byte) == part))
        );
        assert_eq!(count(home.path()), 1);
    }

    #[test]
    fn many_small_buffers_are_written_in_order() {
        let (_home, file, target) = home();
        let landing = target.begin(None).unwrap();
        let buffers: Vec<Vec<u8>> =
            (0..3000_u32).map(|number| vec![number.to_le_bytes()[0]; (number % 3) as usize]).collect();
        landing.write_at(0, &buffers).unwrap();
        assert_eq!(landing.finish(false, None).unwrap(), Landed::Written);
        assert_eq!(fs::read(&file).unwrap(), buffers.concat());
    }

    #[test]
    fn a_landing_that_is_dropped_leaves_the_old_file_and_nothing_else() {
        let (home, file, target) = home();
        fs::write(&file, "keep").unwrap();
        let before = fs::metadata(&file).unwrap().modified().unwrap();
        let landing = target.begin(Some(100)).unwrap();
        landing.write_at(0, &["half"]).unwrap();
        assert_eq!(count(home.path()), 2);
        drop(landing);
        assert_eq!(count(home.path()), 1);
        assert_eq!(fs::read(&file).unwrap(), b"keep");
        assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);
    }

    #[test]
    fn content_shorter_or_longer_than_announced_is_not_published() {
        let (home, file, target) = home();
        for size in [5_u64, 2 << 20] {
            let landing = target.begin(Some(size)).unwrap();
            landing.write_at(size - 4, &["tail"]).unwrap();
            landing.finish(false, None).unwrap_err();
            let landing = target.begin(Some(size)).unwrap();
            landing.write_at(0, &[vec![1; usize::try_from(size).unwrap()], vec![2]]).unwrap();
            landing.finish(false, None).unwrap_err();
        }
        assert!(!file.exists());
        assert_eq!(count(home.path()), 0);
    }

    #[test]
    fn a_new_file_gets_what_the_mask_allows_and_a_replaced_one_its_old_mode() {
        let (home, file, target) = home();
        let reference = home.path().join("reference");
        fs::write(&reference, "").unwrap();
        assert_eq!(target.put_small(&["x"], false, None).unwrap(), Landed::Written);
        assert_eq!(mode(&file), mode(&reference));
        fs::remove_file(&file).unwrap();
        assert_eq!(target.begin(None).unwrap().finish(false, None).unwrap(), Landed::Written);
        assert_eq!(mode(&file), mode(&reference));
        for old in [0o600, 0o640, 0o777, 0o444] {
            fs::set_permissions(&file, fs::Permissions::from_mode(old)).unwrap();
            assert_eq!(target.put_small(&["x"], false, None).unwrap(), Landed::Written);
            assert_eq!(mode(&file), old);
        }
    }

    #[test]
    fn the_mask_is_read_from_the_process_status() {
        let status = "Name:\ts3kit\nUmask:\t0027\nState:\tR\n";
        assert_eq!(mask_in_status(status), Some(Mode::from_raw_mode(0o027)));
        assert_eq!(mask_in_status("Name:\tx\n"), None);
    }

    #[test]
    fn a_temporary_is_private_hidden_short_and_not_to_be_guessed() {
        let (home, _file, target) = home();
        let landings: Vec<_> = (0..3).map(|_| target.begin(Some(1)).unwrap()).collect();
        let mut seen = std::collections::HashSet::new();
        for entry in fs::read_dir(home.path()).unwrap() {
            let entry = entry.unwrap();
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            let name = entry.file_name().into_string().unwrap();
            assert!(name.starts_with(".s3kit-") && name.len() < 32);
            seen.insert(name);
        }
        assert_eq!(seen.len(), landings.len());
    }

    #[test]
    fn the_modification_time_is_set_to_the_nanosecond_also_before_1970() {
        let (_home, file, target) = home();
        let epoch = SystemTime::UNIX_EPOCH;
        let times = [
            epoch + Duration::new(1_700_000_000, 123_456_789),
            epoch - Duration::new(1, 500_000_000),
            epoch - Duration::from_secs(3),
        ];
        for time in times {
            assert_eq!(target.put_small(&["x"], false, Some(time)).unwrap(), Landed::Written);
            assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), time);
            assert_eq!(target.present().unwrap().unwrap().modified, time);
        }
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept_if_asked_and_replaced_otherwise() {
        let (home, file, target) = home();
        let landing = target.clone().keep_existing().begin(None).unwrap();
        landing.write_at(0, &["mine"]).unwrap();
        fs::write(&file, "theirs").unwrap();
        assert_eq!(landing.finish(false, None).unwrap(), Landed::Kept);
        assert_eq!(target.clone().keep_existing().put_small(&["mine"], false, None).unwrap(), Landed::Kept);
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
        fs::remove_file(&file).unwrap();
        let landing = target.begin(None).unwrap();
        landing.write_at(0, &["mine"]).unwrap();
        fs::write(&file, "theirs").unwrap();
        assert_eq!(landing.finish(false, None).unwrap(), Landed::Written);
        assert_eq!(fs::read(&file).unwrap(), b"mine");
        assert_eq!(count(home.path()), 1);
    }

    #[test]
    fn a_link_or_directory_that_appears_meanwhile_is_never_written_through() {
        let (home, file, target) = home();
        fs::write(home.path().join("victim"), "precious").unwrap();
        let landing = target.begin(None).unwrap();
        symlink("victim", &file).unwrap();
        assert_eq!(landing.finish(false, None).unwrap(), Landed::Written);
        assert!(fs::symlink_metadata(&file).unwrap().is_file());
        fs::remove_file(&file).unwrap();
        let landing = target.begin(None).unwrap();
        fs::create_dir(&file).unwrap();
        landing.finish(false, None).unwrap_err();
        assert_eq!(fs::read(home.path().join("victim")).unwrap(), b"precious");
        assert_eq!(count(home.path()), 2);
    }

    #[test]
    fn a_reader_sees_the_old_file_or_the_new_one_never_a_part() {
        let (_home, file, target) = home();
        fs::write(&file, "keep").unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let length = fs::read(&file).unwrap().len();
                    assert!(length == 4 || length == 3 << 20, "{length}");
                }
            });
            for round in 0..20 {
                let size: u64 = if round % 2 == 0 { 3 << 20 } else { 4 };
                let landing = target.begin(Some(size)).unwrap();
                for at in (0..size).step_by(1 << 18) {
                    landing.write_at(at, &[vec![7; usize::try_from((size - at).min(1 << 18)).unwrap()]]).unwrap();
                }
                assert_eq!(landing.finish(false, None).unwrap(), Landed::Written);
            }
            done.store(true, Ordering::Relaxed);
            reader.join().unwrap();
        });
    }

    #[test]
    fn a_device_takes_bytes_in_order_only() {
        let landing = Target::named("/dev/null").begin(None).unwrap();
        assert!(landing.is_sequential());
        landing.write_at(0, &["ab", "c"]).unwrap();
        landing.write_at(4, &["x"]).unwrap_err();
        landing.write_at(3, &["d"]).unwrap();
        assert_eq!(landing.finish(true, None).unwrap(), Landed::Written);
    }

    #[test]
    fn a_full_device_is_an_error() {
        let landing = Target::named("/dev/full").begin(None).unwrap();
        let failure = landing.write_at(0, &["x"]).unwrap_err();
        assert!(matches!(failure, Failure::Local { source, .. } if source.kind() == io::ErrorKind::StorageFull));
    }

    /// Mounts something on a fresh directory for as long as it lives; `None`, said aloud, where that is not allowed.
    struct Mounted(TempDir);

    impl Mounted {
        fn new(arguments: &[&str]) -> Option<Self> {
            let at = tempfile::tempdir().unwrap();
            let mounted = Command::new("mount").args(arguments).arg(at.path()).output();
            if mounted.is_ok_and(|output| output.status.success()) {
                return Some(Self(at));
            }
            eprintln!("SKIPPED: cannot mount {arguments:?} here");
            None
        }

        /// A small file system that keeps the case of names but does not tell them apart by it.
        fn blind_to_case() -> Option<Self> {
            let image = tempfile::NamedTempFile::new().unwrap();
            image.as_file().set_len(16 << 20).unwrap();
            [("mkfs.vfat", "vfat"), ("mkfs.exfat", "exfat"), ("mkfs.exfat", "exfat-fuse")].iter().find_map(
                |(make, kind)| {
                    let made = Command::new(make).arg(image.path()).output();
                    let arguments = ["-t", kind, "-o", "loop", image.path().to_str().unwrap()];
                    made.is_ok_and(|output| output.status.success()).then(|| Self::new(&arguments))?
                },
            )
        }
    }

    impl Drop for Mounted {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
        }
    }

    #[test]
    fn a_full_disk_shows_before_the_transfer_and_while_writing_and_leaves_nothing() {
        let Some(disk) = Mounted::new(&["-t", "tmpfs", "-o", "size=2m", "none"]) else { return };
        let target = Target::named(disk.0.path().join("t"));
        assert_eq!(target.put_small(&["keep"], false, None).unwrap(), Landed::Written);
        let full = |failure| matches!(failure, Failure::Local { source, .. } if io::Error::kind(&source) == io::ErrorKind::StorageFull);
        assert!(full(target.begin(Some(16 << 20)).unwrap_err()));
        let landing = target.begin(None).unwrap();
        assert!(full(landing.write_at(0, &[vec![1; 16 << 20]]).unwrap_err()));
        drop(landing);
        assert_eq!(fs::read(disk.0.path().join("t")).unwrap(), b"keep");
        assert_eq!(count(disk.0.path()), 1);
    }

    #[test]
    fn where_case_does_not_count_the_second_of_two_twins_fails_and_the_first_stays() {
        let Some(disk) = Mounted::blind_to_case() else { return };
        let at = |name: &str| Target::named(disk.0.path().join(name));
        let late = at("readme").begin(None).unwrap();
        assert_eq!(at("README").put_small(&["first"], false, None).unwrap(), Landed::Written);
        late.finish(false, None).unwrap_err();
        let kept = at("readme").keep_existing().begin(None).unwrap();
        assert_eq!(kept.finish(false, None).unwrap(), Landed::Kept);
        let new = at("new").keep_existing().put_small(&["new"], false, None).unwrap();
        assert_eq!(new, Landed::Written);
        at("readme").put_small(&["second"], false, None).unwrap_err();
        assert_eq!(at("README").put_small(&["again"], false, None).unwrap(), Landed::Written);
        assert_eq!(at("other").put_small(&["other"], false, None).unwrap(), Landed::Written);
        assert_eq!(fs::read(disk.0.path().join("README")).unwrap(), b"again");
        assert_eq!(count(disk.0.path()), 3);
    }
}
