//! Where a download lands: a path the user named, or a checked name below a target directory that nothing may leave.
//!
//! Resolves the target to an open parent directory and a plain file name in it, following a symlink at the end (its target is what gets
//! replaced). Below a [`TargetDir`] every step is resolved by the kernel beneath the directory's handle; a path the user named may lead
//! anywhere. Writing is left to [`Landing`].

use super::failed;
use super::landing::{Landed, Landing};
use crate::engine::Failure;
use crate::model::name::LocalName;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// As many symlinks in a row as Linux follows.
const MAX_LINKS: usize = 40;
/// Open parent directories kept by a target directory: enough for the directories a run writes to at once, far below any descriptor limit.
const KEPT_PARENTS: usize = 64;

/// A directory below which names are resolved; no `..`, absolute link or swapped parent leads out of it.
#[derive(Debug)]
pub struct TargetDir {
    root: Dir,
    path: PathBuf,
    parents: Mutex<HashMap<PathBuf, Arc<Dir>>>,
}

impl TargetDir {
    /// Opens the directory (a symlink to one is followed: the user named it), creating it and its parents if `create`.
    ///
    /// # Errors
    /// When it cannot be created or opened, or is not a directory.
    pub fn open(path: &Path, create: bool) -> Result<Self, Failure> {
        let path = or_here(path);
        if create {
            std::fs::create_dir_all(path).map_err(failed("create directory", path))?;
        }
        let root = Dir::open_ambient_dir(path, ambient_authority()).map_err(failed("open directory", path))?;
        Ok(Self { root, path: path.to_owned(), parents: Mutex::default() })
    }

    /// The target a name stands for. Touches nothing yet.
    #[must_use]
    pub fn target(self: &Arc<Self>, name: &LocalName) -> Target {
        let below = name.components.iter().collect();
        Target { place: Place::Beneath(Arc::clone(self), below), keep_existing: false }
    }

    /// Creates the directory a name stands for (a key that ends in `/`) and its parents; one that exists is fine.
    ///
    /// # Errors
    /// When something else is in the way, or the way leads out of the target.
    pub fn create_directory(&self, name: &LocalName) -> Result<(), Failure> {
        let below: PathBuf = name.components.iter().collect();
        self.directory(&below, true).map(drop).map_err(failed("create directory", &self.path.join(&below)))
    }

    /// A directory below the target, opened once and kept: consecutive objects mostly share it.
    fn directory(&self, below: &Path, create: bool) -> io::Result<Arc<Dir>> {
        if let Some(dir) = self.kept().get(below) {
            return Ok(Arc::clone(dir));
        }
        let dir = match self.root.open_dir(or_here(below)) {
            Err(error) if create && error.kind() == io::ErrorKind::NotFound => {
                self.root.create_dir_all(below)?;
                self.root.open_dir(below)?
            }
            opened => opened?,
        };
        let dir = Arc::new(dir);
        let mut kept = self.kept();
        if kept.len() >= KEPT_PARENTS {
            kept.clear();
        }
        kept.insert(below.to_owned(), Arc::clone(&dir));
        Ok(dir)
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Dir>>> {
        self.parents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One file to be written.
#[derive(Debug, Clone)]
pub struct Target {
    place: Place,
    keep_existing: bool,
}

#[derive(Debug, Clone)]
enum Place {
    /// A path the user named.
    Named(PathBuf),
    /// Relative to a target directory.
    Beneath(Arc<TargetDir>, PathBuf),
}

/// What is at a target now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Present {
    /// In bytes; 0 for FIFOs and devices.
    pub size: u64,
    /// Last modification.
    pub modified: SystemTime,
    /// Whether it is a regular file, not a FIFO, device or directory.
    pub regular: bool,
}

impl Target {
    /// A path the user named: it may lead anywhere, through any symlink. Missing parents are created when bytes arrive.
    #[must_use]
    pub fn named(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::Named(path.into()), keep_existing: false }
    }

    /// Never replaces a file, not even one that appears while the bytes arrive (`--no-clobber`).
    #[must_use]
    pub fn keep_existing(self) -> Self {
        Self { keep_existing: true, ..self }
    }

    /// The target as a path, for messages.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        match &self.place {
            Place::Named(path) => path.clone(),
            Place::Beneath(dir, below) => dir.path.join(below),
        }
    }

    /// What is there now, symlinks followed; `None` when nothing is. Creates nothing.
    ///
    /// # Errors
    /// When that cannot be found out, or the way leads out of the target directory.
    pub fn present(&self) -> Result<Option<Present>, Failure> {
        match self.resolve(false) {
            Ok(Spot::Entry(_, None)) => Ok(None),
            Ok(Spot::Entry(_, Some(stat))) => Ok(Some(Present::of(&stat))),
            Ok(Spot::Descriptor(_)) => Ok(Some(Present { size: 0, modified: SystemTime::now(), regular: false })),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(failed("look at", &self.path())(error)),
        }
    }

    /// Prepares to write, creating missing parent directories. To be called once the bytes are known to come: until then nothing is
    /// touched. `size` is the exact length, where known.
    ///
    /// # Errors
    /// When a directory is in the way, the way leads out of the target directory, or the disk has no room for `size` bytes.
    pub fn begin(&self, size: Option<u64>) -> Result<Landing, Failure> {
        self.landing(size, false)
    }

    /// Writes a small file whole, in as few system calls as a replacement by rename takes.
    ///
    /// # Errors
    /// As [`Target::begin`], [`Landing::write_at`] and [`Landing::finish`].
    pub fn put_small<B: AsRef<[u8]>>(
        &self,
        data: &[B],
        fsync: bool,
        modified: Option<SystemTime>,
    ) -> Result<Landed, Failure> {
        if self.keep_existing && self.present()?.is_some_and(|present| present.regular) {
            return Ok(Landed::Kept);
        }
        let landing = self.landing(None, true)?;
        landing.write_at(0, data)?;
        landing.finish(fsync, modified)
    }

    fn landing(&self, size: Option<u64>, small: bool) -> Result<Landing, Failure> {
        let path = self.path();
        match self.try_landing(&path, size, small) {
            Err(Failure::Local { source, .. }) if is_missing(&source) && self.forget_parents() => {
                self.try_landing(&path, size, small)
            }
            landing => landing,
        }
    }

    fn try_landing(&self, path: &Path, size: Option<u64>, small: bool) -> Result<Landing, Failure> {
        match self.resolve(true).map_err(failed("create", path))? {
            Spot::Descriptor(name) => Landing::descriptor(&name, path),
            Spot::Entry(slot, Some(stat)) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => Err(failed("write", path)(Errno::ISDIR)),
                FileType::RegularFile => Landing::beside(slot, Some(&stat), size, small, path),
                _ => Landing::in_place(&slot, path),
            },
            Spot::Entry(slot, None) => Landing::beside(slot, None, size, small, path),
        }
    }

    /// Drops kept directory handles, which may stand for directories that were removed since; false if there were none.
    fn forget_parents(&self) -> bool {
        match &self.place {
            Place::Named(_) => false,
            Place::Beneath(dir, _) => !std::mem::take(&mut *dir.kept()).is_empty(),
        }
    }

    /// Follows symlinks at the end of the path until a name in an open directory stands for the file itself.
    fn resolve(&self, create: bool) -> io::Result<Spot> {
        let mut path = match &self.place {
            Place::Named(path) | Place::Beneath(_, path) => path.clone(),
        };
        for hop in 0..MAX_LINKS {
            if matches!(self.place, Place::Named(_)) && is_descriptor(&path) {
                return Ok(Spot::Descriptor(path));
            }
            let name = plain_name(&path)?.to_owned();
            let parent = path.parent().unwrap_or(Path::new(""));
            // Only the way that was asked for is created, never one a dangling link points to.
            let dir = self.directory(parent, create && hop == 0)?;
            let stat = match rustix::fs::statat(&dir, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => None,
                stat => Some(stat?),
            };
            if let Some(stat) = &stat
                && FileType::from_raw_mode(stat.st_mode).is_symlink()
            {
                let link = rustix::fs::readlinkat(&dir, &name, Vec::new())?;
                path = parent.join(OsString::from_vec(link.into_bytes()));
                continue;
            }
            return Ok(Spot::Entry(Slot { dir, name, keep_existing: self.keep_existing }, stat));
        }
        Err(Errno::LOOP.into())
    }

    fn directory(&self, path: &Path, create: bool) -> io::Result<Arc<Dir>> {
        match &self.place {
            Place::Beneath(dir, _) => dir.directory(path, create),
            Place::Named(_) => open_named(or_here(path), create).map(Arc::new),
        }
    }
}

impl Present {
    fn of(stat: &Stat) -> Self {
        let regular = FileType::from_raw_mode(stat.st_mode).is_file();
        let size = if regular { u64::try_from(stat.st_size).unwrap_or(0) } else { 0 };
        #[allow(clippy::useless_conversion, reason = "the fields' widths differ between platforms")]
        let modified = instant(i64::from(stat.st_mtime), u64::try_from(stat.st_mtime_nsec).unwrap_or(0));
        Self { size, modified, regular }
    }
}

/// Where a target was found to be.
enum Spot {
    /// One of this process's own descriptors, by its path.
    Descriptor(PathBuf),
    /// A name in a directory, and what is there.
    Entry(Slot, Option<Stat>),
}

/// A name in an open directory that stands for the file itself, not for a link to it.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) dir: Arc<Dir>,
    pub(super) name: OsString,
    pub(super) keep_existing: bool,
}

fn open_named(path: &Path, create: bool) -> io::Result<Dir> {
    match Dir::open_ambient_dir(path, ambient_authority()) {
        Err(error) if create && error.kind() == io::ErrorKind::NotFound => {
            std::fs::create_dir_all(path)?;
            Dir::open_ambient_dir(path, ambient_authority())
        }
        opened => opened,
    }
}

fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// The last component, if the path ends in one that can name a file.
fn plain_name(path: &Path) -> io::Result<&OsStr> {
    if path.as_os_str().is_empty() {
        return Err(Errno::NOENT.into());
    }
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(Errno::ISDIR.into());
    }
    path.file_name().ok_or_else(|| Errno::ISDIR.into())
}

/// `/dev/stdout`, `/dev/fd/N` and what they link to. Opening such a path again would start a redirected file over, and renaming over it
/// would cut it off from whoever redirected it.
pub(super) fn is_descriptor(path: &Path) -> bool {
    let Some(path) = path.to_str() else { return false };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if matches!(path, "/dev/stdin" | "/dev/stdout" | "/dev/stderr") {
        return true;
    }
    if let Some(rest) = path.strip_prefix("/dev/fd/").or_else(|| path.strip_prefix("/proc/self/fd/")) {
        return number(rest);
    }
    path.strip_prefix("/proc/")
        .and_then(|rest| rest.split_once("/fd/"))
        .is_some_and(|(pid, fd)| number(pid) && number(fd))
}

/// A parent is missing, or is a file: then nothing is below it.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn instant(seconds: i64, nanoseconds: u64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base =
        if seconds < 0 { SystemTime::UNIX_EPOCH.checked_sub(whole) } else { SystemTime::UNIX_EPOCH.checked_add(whole) };
    base.and_then(|base| base.checked_add(Duration::from_nanos(nanoseconds))).unwrap_or(SystemTime::UNIX_EPOCH)
}
