//! The files below a directory, in the byte order of their relative names: the order in which S3 lists the keys they become.
//!
//! Holds one sorted directory per level, never the whole tree. What goes wrong with one entry is an item of its own; the walk goes on.

use super::failed;
use crate::engine::Failure;
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{DirEntry, FileType, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// One finding of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Walked {
    /// A regular file, or a symlink to one.
    File {
        /// How to open it.
        path: PathBuf,
        /// Relative to the root, `/` between components.
        name: String,
    },
    /// Something that is no file and was passed over.
    Skipped {
        /// What it is called.
        path: PathBuf,
        /// Why, for the user.
        why: &'static str,
    },
}

/// Walks the tree below `root` (a symlink to a directory is followed there: the user named it). Symlinks to files count as files; symlinks
/// to directories are entered only with `follow`, and then one that leads back to a directory above it is an error item.
#[must_use]
pub fn walk(root: &Path, follow: bool) -> Walk {
    let mut walk = Walk { follow, open: Vec::new(), pending: Vec::new() };
    walk.enter(root.to_owned(), String::new());
    walk
}

/// An iterator over a tree; see [`walk`].
#[derive(Debug)]
pub struct Walk {
    follow: bool,
    open: Vec<Directory>,
    /// Failures of the directory just entered.
    pending: Vec<Failure>,
}

/// A directory being walked.
#[derive(Debug)]
struct Directory {
    path: PathBuf,
    /// Its name relative to the root with a `/` at the end; empty for the root.
    name: String,
    children: std::vec::IntoIter<Child>,
    /// Device and inode, known when links are followed.
    identity: Option<(u64, u64)>,
}

#[derive(Debug)]
struct Child {
    name: OsString,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    File,
    Directory,
    Skipped(&'static str),
    Failed(io::Error),
}

impl Iterator for Walk {
    type Item = Result<Walked, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(failure) = self.pending.pop() {
                return Some(Err(failure));
            }
            let directory = self.open.last_mut()?;
            let Some(child) = directory.children.next() else {
                self.open.pop();
                continue;
            };
            let path = directory.path.join(&child.name);
            let name = child.name.into_string().map(|name| format!("{}{name}", directory.name));
            match (child.kind, name) {
                (Kind::Skipped(why), _) => return Some(Ok(Walked::Skipped { path, why })),
                (Kind::Failed(error), _) => return Some(Err(failed("look at", &path)(error))),
                (_, Err(_)) => return Some(Err(failed("name a key after", &path)(not_utf8()))),
                (Kind::File, Ok(name)) => return Some(Ok(Walked::File { path, name })),
                (Kind::Directory, Ok(name)) => self.enter(path, name + "/"),
            }
        }
    }
}

impl Walk {
    fn enter(&mut self, path: PathBuf, name: String) {
        match self.identify(&path).and_then(|identity| Ok((identity, std::fs::read_dir(&path)?))) {
            Err(error) => self.pending.push(failed("open directory", &path)(error)),
            Ok((identity, entries)) => {
                let mut children = Vec::new();
                for entry in entries {
                    match entry {
                        Ok(entry) => children.push(self.child(&entry)),
                        Err(error) => self.pending.push(failed("read directory", &path)(error)),
                    }
                }
                children.sort_unstable_by(|a, b| a.order().cmp(b.order()));
                self.open.push(Directory { path, name, children: children.into_iter(), identity });
            }
        }
    }

    /// The directory's identity where loops are possible; an error if it is one.
    fn identify(&self, path: &Path) -> io::Result<Option<(u64, u64)>> {
        if !self.follow {
            return Ok(None);
        }
        let metadata = std::fs::metadata(path)?;
        let identity = Some((metadata.dev(), metadata.ino()));
        if self.open.iter().any(|above| above.identity == identity) {
            return Err(Errno::LOOP.into());
        }
        Ok(identity)
    }

    fn child(&self, entry: &DirEntry) -> Child {
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_symlink() => self.behind_link(std::fs::metadata(entry.path())),
            Ok(kind) => plain(kind),
            Err(error) => Kind::Failed(error),
        };
        Child { name: entry.file_name(), kind }
    }

    fn behind_link(&self, metadata: io::Result<Metadata>) -> Kind {
        match metadata {
            Ok(metadata) if metadata.is_dir() && !self.follow => Kind::Skipped("symbolic link to a directory"),
            Ok(metadata) => plain(metadata.file_type()),
            Err(error) => Kind::Failed(error),
        }
    }
}

impl Child {
    /// As the names of what is in it compare: a directory with its `/`.
    fn order(&self) -> impl Iterator<Item = u8> + '_ {
        let slash = matches!(self.kind, Kind::Directory).then_some(b'/');
        self.name.as_encoded_bytes().iter().copied().chain(slash)
    }
}

fn plain(kind: FileType) -> Kind {
    match kind {
        kind if kind.is_file() => Kind::File,
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_fifo() => Kind::Skipped("FIFO"),
        kind if kind.is_socket() => Kind::Skipped("socket"),
        _ => Kind::Skipped("device"),
    }
}

fn not_utf8() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the name is not UTF-8")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr)]

    use super::*;
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use tempfile::TempDir;

    fn tree(files: &[&str]) -> TempDir {
        let home = tempfile::tempdir().unwrap();
        for file in files {
            let path = home.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        home
    }

    /// Names of files as they are, of anything else as `?why` or `!kind`.
    fn found(walk: Walk) -> Vec<String> {
        walk.map(|item| match item {
            Ok(Walked::File { path, name }) => {
                assert!(path.ends_with(&name));
                name
            }
            Ok(Walked::Skipped { path, why }) => format!("?{} {why}", path.file_name().unwrap().display()),
            Err(Failure::Local { source, .. }) => format!("!{:?}", source.kind()),
            Err(other) => panic!("{other}"),
        })
        .collect()
    }

    #[test]
    fn names_come_in_the_byte_order_of_keys() {
        let mut files = ["a/x", "a-b", "a.txt", "a0", "ab/c/d", "ab.d/e", "B", "é", "z/😀", "z/\u{ff5e}", "a\nb"];
        let home = tree(&files);
        fs::create_dir(home.path().join("empty")).unwrap();
        files.sort_unstable();
        assert_eq!(found(walk(home.path(), false)), files);
    }

    #[test]
    fn files_behind_links_count_and_directories_behind_links_only_if_followed() {
        let home = tree(&["d/f"]);
        symlink("d/f", home.path().join("file-link")).unwrap();
        symlink("d", home.path().join("dir-link")).unwrap();
        symlink("nowhere", home.path().join("broken")).unwrap();
        let plain = ["!NotFound", "d/f", "?dir-link symbolic link to a directory", "file-link"];
        assert_eq!(found(walk(home.path(), false)), plain);
        assert_eq!(found(walk(home.path(), true)), ["!NotFound", "d/f", "dir-link/f", "file-link"]);
        assert_eq!(found(walk(&home.path().join("dir-link"), false)), ["f"]);
    }

    #[test]
    fn a_link_back_up_the_tree_fails_once_and_the_walk_goes_on() {
        let home = tree(&["a/b/f", "z"]);
        symlink("../..", home.path().join("a/b/up")).unwrap();
        let items: Vec<_> = walk(home.path(), true).collect();
        assert_eq!(items.len(), 3);
        let Err(Failure::Local { path, source, .. }) = &items[1] else { panic!("{:?}", items[1]) };
        assert_eq!(path, &home.path().join("a/b/up"));
        assert_eq!(source.raw_os_error(), Some(Errno::LOOP.raw_os_error()));
        assert!(matches!(&items[2], Ok(Walked::File { name, .. }) if name == "z"));
    }

    #[test]
    fn special_files_are_told_and_passed_over() {
        let home = tree(&["f"]);
        rustix::fs::mknodat(rustix::fs::CWD, home.path().join("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(home.path().join("sock")).unwrap();
        symlink("/dev/null", home.path().join("null")).unwrap();
        assert_eq!(found(walk(home.path(), false)), ["f", "?fifo FIFO", "?null device", "?sock socket"]);
    }

    #[test]
    fn a_name_that_is_not_utf8_fails_that_file_or_directory() {
        let home = tree(&["a", "z"]);
        fs::write(home.path().join(OsStr::from_bytes(b"b\xff")), "").unwrap();
        fs::create_dir(home.path().join(OsStr::from_bytes(b"c\xff"))).unwrap();
        assert_eq!(found(walk(home.path(), false)), ["a", "!InvalidData", "!InvalidData", "z"]);
    }

    #[test]
    fn a_directory_that_vanishes_fails_and_the_rest_is_found() {
        let home = tree(&["a/f", "b/f", "c/f"]);
        let mut walk = walk(home.path(), false);
        assert!(walk.next().unwrap().is_ok());
        fs::remove_dir_all(home.path().join("b")).unwrap();
        assert_eq!(found(walk), ["!NotFound", "c/f"]);
    }

    #[test]
    fn a_root_that_is_missing_or_a_file_is_one_error() {
        let home = tree(&["f"]);
        assert_eq!(found(walk(&home.path().join("missing"), false)), ["!NotFound"]);
        assert_eq!(found(walk(&home.path().join("f"), true)), ["!NotADirectory"]);
    }

    #[test]
    fn an_unreadable_directory_fails_and_the_rest_is_found() {
        let home = tree(&["a/f", "b"]);
        fs::set_permissions(home.path().join("a"), fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read_dir(home.path().join("a")).is_ok() {
            eprintln!("SKIPPED: root reads every directory");
            return;
        }
        assert_eq!(found(walk(home.path(), false)), ["!PermissionDenied", "b"]);
    }
}
