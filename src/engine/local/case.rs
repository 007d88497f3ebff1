//! Names that differ only in case, on file systems that cannot tell them apart: the file that is there belongs to another key.

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, statat};
use std::ffi::{OsStr, OsString};
use std::io;

/// The real name of the file that `name` reaches in `dir`, if that is another spelling. One `stat` where case matters; inode numbers would
/// not do, some file systems give each spelling its own.
pub(super) fn twin(dir: &Dir, name: &OsStr) -> io::Result<Option<OsString>> {
    let Some(respelled) = name.to_str().and_then(respell) else { return Ok(None) };
    if statat(dir, respelled.as_str(), AtFlags::SYMLINK_NOFOLLOW).is_err() {
        return Ok(None);
    }
    let mut spelling = None;
    let folded = name.to_string_lossy().to_lowercase();
    for entry in dir.entries()? {
        let entry = entry?.file_name();
        if entry == name {
            return Ok(None);
        }
        if entry.to_string_lossy().to_lowercase() == folded {
            spelling = Some(entry);
        }
    }
    Ok(spelling)
}

/// The name with its first cased letter in the other case.
fn respell(name: &str) -> Option<String> {
    let other = |letter: char| {
        let mut changed =
            if letter.is_uppercase() { letter.to_lowercase().to_string() } else { letter.to_uppercase().to_string() };
        if changed.chars().count() != 1 {
            changed = letter.to_string();
        }
        changed
    };
    let (at, letter) = name.char_indices().find(|(_, letter)| other(*letter) != letter.to_string())?;
    Some(format!("{}{}{}", &name[..at], other(letter), &name[at + letter.len_utf8()..]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_name_is_respelled_at_its_first_letter() {
        assert_eq!(respell("1Read"), Some("1read".to_owned()));
        assert_eq!(respell("ünder"), Some("Ünder".to_owned()));
        assert_eq!(respell("123_日本"), None);
    }

    #[test]
    fn a_hard_link_in_another_case_is_no_twin() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("readme"), "x").unwrap();
        std::fs::hard_link(home.path().join("readme"), home.path().join("Readme")).unwrap();
        let dir = Dir::open_ambient_dir(home.path(), cap_std::ambient_authority()).unwrap();
        assert_eq!(twin(&dir, OsStr::new("readme")).unwrap(), None);
    }
}
