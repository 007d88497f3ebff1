//! Where a download lands: a path the user named, or a checked name below a target directory that nothing may leave.
//!
//! Resolves the target to an open parent directory and a plain file name in it, following a symlink at the end (its target is what gets
//! replaced). Below a [`TargetDir`] every step is resolved by the kernel beneath the directory's handle; a path the user named may lead
//! anywhere. Writing is left to [`Landing`].

use super::failed;
use super::landing::{Landed, Landing};
use super::slot::Slot;
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
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// As many symlinks in a row as Linux follows.
const MAX_LINKS: usize = 40;
/// Open parent directories kept by a target directory: enough for the directories a run writes to at once, far below any descriptor limit.
const KEPT_PARENTS: usize = 64;

/// A directory below which names are resolved; no `..`, absolute link or swapped parent leads out of it.
#[derive(Debug)]
pub struct TargetDir {
    /// Opened by whoever needs it first: a run that brings nothing makes no directory.
    root: OnceLock<Dir>,
    path: PathBuf,
    parents: Mutex<HashMap<PathBuf, Arc<Dir>>>,
}

impl TargetDir {
    /// Opens the directory (a symlink to one is followed: the user named it). With `create` it need not exist: it and its parents are made
    /// with the first thing that lands in it.
    ///
    /// # Errors
    /// When it cannot be opened, or is not a directory.
    pub fn open(path: &Path, create: bool) -> Result<Self, Failure> {
        let dir = Self { root: OnceLock::new(), path: or_here(path).to_owned(), parents: Mutex::default() };
        match dir.root(false) {
            Err(error) if create && error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed("open directory", &dir.path)(error)),
            Ok(_) => {}
        }
        Ok(dir)
    }

    fn root(&self, create: bool) -> io::Result<&Dir> {
        if let Some(root) = self.root.get() {
            return Ok(root);
        }
        let root = open_named(&self.path, create)?;
        Ok(self.root.get_or_init(|| root))
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
        let root = self.root(create)?;
        let dir = match root.open_dir(or_here(below)) {
            Err(error) if create && error.kind() == io::ErrorKind::NotFound => {
                root.create_dir_all(below)?;
                root.open_dir(below)?
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::engine::local::landing::Landed;
    use std::fs;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use tempfile::TempDir;

    fn name(text: &str) -> LocalName {
        LocalName {
            components: text.trim_end_matches('/').split('/').map(str::to_owned).collect(),
            directory: text.ends_with('/'),
        }
    }

    /// A target directory `out` inside a home that must never change, and a victim file in that home.
    fn out() -> (TempDir, Arc<TargetDir>) {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("victim"), "precious").unwrap();
        fs::create_dir(home.path().join("out")).unwrap();
        let target = TargetDir::open(&home.path().join("out"), false).unwrap();
        (home, Arc::new(target))
    }

    fn put(target: &Target, data: &str) -> Result<(), Failure> {
        target.put_small(&[data.as_bytes()], false, None).map(|landed| assert_eq!(landed, Landed::Written))
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_name_lands_below_the_target_with_its_parents() {
        let (home, dir) = out();
        put(&dir.target(&name("a/b/c")), "x").unwrap();
        assert_eq!(fs::read(home.path().join("out/a/b/c")).unwrap(), b"x");
        assert_eq!(names(&home.path().join("out/a/b")), ["c"]);
    }

    #[test]
    fn a_parent_that_links_out_of_the_target_is_refused_for_files_and_directories() {
        let (home, dir) = out();
        for (link, to) in
            [("abs", home.path().to_str().unwrap()), ("rel", ".."), ("deep", "deep2"), ("deep2", "../../")]
        {
            symlink(to, home.path().join("out").join(link)).unwrap();
        }
        for link in ["abs", "rel", "deep"] {
            for below in ["victim", "new", "new/er"] {
                put(&dir.target(&name(&format!("{link}/{below}"))), "evil").unwrap_err();
                dir.target(&name(&format!("{link}/{below}"))).present().unwrap_err();
            }
            dir.create_directory(&name(&format!("{link}/dir/"))).unwrap_err();
        }
        assert_eq!(names(home.path()), ["out", "victim"]);
        assert_eq!(fs::read(home.path().join("victim")).unwrap(), b"precious");
    }

    #[test]
    fn a_last_component_that_links_out_of_the_target_is_refused() {
        let (home, dir) = out();
        symlink("../victim", home.path().join("out/rel")).unwrap();
        symlink(home.path().join("victim"), home.path().join("out/abs")).unwrap();
        symlink("../fresh", home.path().join("out/dangling")).unwrap();
        symlink("/dev/stdout", home.path().join("out/stdout")).unwrap();
        for link in ["rel", "abs", "dangling", "stdout"] {
            put(&dir.target(&name(link)), "evil").unwrap_err();
            assert!(fs::symlink_metadata(home.path().join("out").join(link)).unwrap().is_symlink());
        }
        assert_eq!(names(home.path()), ["out", "victim"]);
        assert_eq!(fs::read(home.path().join("victim")).unwrap(), b"precious");
    }

    #[test]
    fn links_that_stay_inside_are_followed_and_their_target_replaced() {
        let (home, dir) = out();
        let root = home.path().join("out");
        fs::create_dir_all(root.join("real/sub")).unwrap();
        fs::write(root.join("real/file"), "old").unwrap();
        symlink("real/sub", root.join("way")).unwrap();
        symlink("../real/sub/../file", root.join("real/link")).unwrap();
        put(&dir.target(&name("way/x")), "1").unwrap();
        put(&dir.target(&name("real/link")), "new").unwrap();
        assert_eq!(fs::read(root.join("real/sub/x")).unwrap(), b"1");
        assert_eq!(fs::read(root.join("real/file")).unwrap(), b"new");
        assert!(fs::symlink_metadata(root.join("real/link")).unwrap().is_symlink());
    }

    #[test]
    fn a_directory_swapped_for_a_link_while_files_land_redirects_none_of_them() {
        let (home, dir) = out();
        let root = home.path().join("out");
        let outside = home.path().join("outside");
        fs::create_dir(&outside).unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let _ = fs::create_dir(root.join("d"));
                    let _ = fs::rename(root.join("d"), root.join("e"));
                    let _ = symlink("../outside", root.join("d"));
                    let _ = fs::remove_file(root.join("d"));
                    let _ = fs::remove_dir_all(root.join("e"));
                }
            });
            for number in 0..1000 {
                // Each may fail or land; where it lands is the point.
                let _ = put(&dir.target(&name(&format!("d/{number}"))), "x");
                if number % 2 == 0 {
                    dir.kept().clear();
                }
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert!(names(&outside).is_empty());
    }

    #[test]
    fn a_directory_removed_between_two_files_is_made_again() {
        let (home, dir) = out();
        put(&dir.target(&name("d/1")), "x").unwrap();
        fs::remove_dir_all(home.path().join("out/d")).unwrap();
        put(&dir.target(&name("d/2")), "x").unwrap();
        assert_eq!(names(&home.path().join("out/d")), ["2"]);
    }

    #[test]
    fn names_of_255_bytes_land_and_longer_ones_fail_alone() {
        let (home, dir) = out();
        let fits = ["n".repeat(255), "語".repeat(85)];
        for name_text in &fits {
            put(&dir.target(&name(name_text)), "x").unwrap();
        }
        put(&dir.target(&name(&"n".repeat(256))), "x").unwrap_err();
        assert_eq!(names(&home.path().join("out")), fits);
    }

    #[test]
    fn a_file_where_a_directory_is_needed_and_the_reverse_fail_and_stay() {
        let (home, dir) = out();
        put(&dir.target(&name("a")), "file").unwrap();
        put(&dir.target(&name("a/b")), "x").unwrap_err();
        dir.create_directory(&name("a/")).unwrap_err();
        dir.create_directory(&name("d/e/")).unwrap();
        dir.create_directory(&name("d/e/")).unwrap();
        let failure = put(&dir.target(&name("d/e")), "x").unwrap_err();
        assert!(matches!(failure, Failure::Local { source, .. } if source.kind() == io::ErrorKind::IsADirectory));
        assert_eq!(fs::read(home.path().join("out/a")).unwrap(), b"file");
        assert_eq!(names(&home.path().join("out")), ["a", "d"]);
    }

    #[test]
    fn a_target_that_must_exist_is_not_made() {
        let home = tempfile::tempdir().unwrap();
        TargetDir::open(&home.path().join("missing"), false).unwrap_err();
        fs::write(home.path().join("file"), "").unwrap();
        TargetDir::open(&home.path().join("file"), true).unwrap_err();
        assert_eq!(names(home.path()), ["file"]);
    }

    #[test]
    fn a_new_target_is_made_with_the_first_thing_that_lands_in_it() {
        let home = tempfile::tempdir().unwrap();
        let dir = Arc::new(TargetDir::open(&home.path().join("new/out"), true).unwrap());
        assert_eq!(dir.target(&name("a/b")).present().unwrap(), None);
        assert!(names(home.path()).is_empty());
        put(&dir.target(&name("a/b")), "x").unwrap();
        assert_eq!(fs::read(home.path().join("new/out/a/b")).unwrap(), b"x");
    }

    #[test]
    fn a_named_path_may_lead_anywhere_and_its_parents_appear_only_with_the_bytes() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("in")).unwrap();
        let target = Target::named(home.path().join("in/../new/dir/file"));
        assert_eq!(target.present().unwrap(), None);
        assert_eq!(names(home.path()), ["in"]);
        put(&target, "x").unwrap();
        assert_eq!(fs::read(home.path().join("new/dir/file")).unwrap(), b"x");
    }

    #[test]
    fn a_named_link_is_followed_to_its_end_also_where_nothing_is_yet() {
        let home = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        symlink("two", home.path().join("one")).unwrap();
        symlink(other.path().join("end"), home.path().join("two")).unwrap();
        put(&Target::named(home.path().join("one")), "x").unwrap();
        assert_eq!(fs::read(other.path().join("end")).unwrap(), b"x");
        assert_eq!(names(home.path()), ["one", "two"]);
        assert_eq!(names(other.path()), ["end"]);
    }

    #[test]
    fn links_in_a_circle_and_links_to_directories_fail() {
        let home = tempfile::tempdir().unwrap();
        symlink("b", home.path().join("a")).unwrap();
        symlink("a", home.path().join("b")).unwrap();
        symlink("missing/", home.path().join("c")).unwrap();
        symlink("..", home.path().join("d")).unwrap();
        for name in ["a", "c", "d"] {
            put(&Target::named(home.path().join(name)), "x").unwrap_err();
        }
        assert_eq!(names(home.path()), ["a", "b", "c", "d"]);
        put(&Target::named(""), "x").unwrap_err();
        put(&Target::named("/"), "x").unwrap_err();
    }

    #[test]
    fn what_is_present_is_told_with_size_and_time() {
        let (home, dir) = out();
        let file = home.path().join("out/f");
        let time = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789);
        fs::write(&file, "12345").unwrap();
        fs::File::open(&file).unwrap().set_modified(time).unwrap();
        symlink("f", home.path().join("out/l")).unwrap();
        let present = Some(Present { size: 5, modified: time, regular: true });
        assert_eq!(dir.target(&name("l")).present().unwrap(), present);
        assert_eq!(Target::named(&file).present().unwrap(), present);
        assert_eq!(dir.target(&name("f/below")).present().unwrap(), None);
        assert_eq!(dir.target(&name("missing/f")).present().unwrap(), None);
        assert!(!Target::named(home.path()).present().unwrap().unwrap().regular);
    }

    #[test]
    fn descriptors_are_known_by_their_paths() {
        for path in ["/dev/stdout", "/dev/fd/63", "/proc/self/fd/1", "/proc/12/fd/3"] {
            assert!(is_descriptor(Path::new(path)), "{path}");
        }
        for path in ["/dev/null", "/dev/fd/", "/dev/fd/x", "/dev/fd/1/2", "dev/fd/1", "/proc/x/fd/1"] {
            assert!(!is_descriptor(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_fifo_is_written_in_place_below_a_target_and_by_name() {
        let (home, dir) = out();
        let fifo = home.path().join("out/fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, 0o600.into(), 0).unwrap();
        for target in [dir.target(&name("fifo")), Target::named(&fifo)] {
            let reader = std::thread::spawn({
                let fifo = fifo.clone();
                move || fs::read_to_string(fifo).unwrap()
            });
            put(&target, "through").unwrap();
            assert_eq!(reader.join().unwrap(), "through");
        }
        assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
        put(&Target::named("/dev/null"), "x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_descriptor_opened_for_appending_is_appended_to_not_replaced() {
        use std::os::fd::AsRawFd;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("log");
        fs::write(&path, "first ").unwrap();
        let log = fs::File::options().append(true).open(&path).unwrap();
        put(&Target::named(format!("/dev/fd/{}", log.as_raw_fd())), "second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first second");
        assert_eq!(names(home.path()), ["log"]);
    }

    #[test]
    fn modes_never_come_with_more_than_permission_bits() {
        let (home, dir) = out();
        let file = home.path().join("out/f");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o4751)).unwrap();
        put(&dir.target(&name("f")), "new").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o751);
    }
}
