//! What is generated from the definition of the command line and committed: help texts, man pages, completions. Drift is a failure;
//! `S3KIT_BLESS=1 cargo test --test generated` writes them anew.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMMANDS: [&str; 8] = ["ls", "cp", "cat", "rm", "stat", "mb", "rb", "serve"];

type Files = BTreeMap<String, Vec<u8>>;

/// s3kit in an environment without settings, at the width of a plain terminal.
fn s3kit(arguments: &[&str]) -> Vec<u8> {
    let output =
        Command::new(env!("CARGO_BIN_EXE_s3kit")).args(arguments).env_clear().env("COLUMNS", "100").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn root(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

fn read(directory: &Path) -> Files {
    let Ok(entries) = std::fs::read_dir(directory) else { return Files::new() };
    let file =
        |entry: std::fs::DirEntry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap());
    entries.map(|entry| file(entry.unwrap())).collect()
}

/// Compares with what is committed, or replaces it when asked to.
fn check(directory: &str, now: &Files) {
    let path = root(directory);
    if std::env::var_os("S3KIT_BLESS").is_some() {
        std::fs::create_dir_all(&path).unwrap();
        for stale in read(&path).keys().filter(|name| !now.contains_key(*name)) {
            std::fs::remove_file(path.join(stale)).unwrap();
        }
        for (name, content) in now {
            std::fs::write(path.join(name), content).unwrap();
        }
    }
    let committed = read(&path);
    for (name, content) in now {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let was = committed.get(name).map(|bytes| text(bytes));
        assert!(was.as_ref() == Some(&text(content)), "{directory}/{name} has drifted; now it is:\n{}", text(content));
    }
    assert_eq!(committed.len(), now.len(), "{directory} holds files that are not generated any more");
}

fn generated(what: &str) -> Files {
    let directory = tempfile::tempdir().unwrap();
    s3kit(&["generate", what, directory.path().to_str().unwrap()]);
    read(directory.path())
}

#[test]
fn help_texts_are_as_committed() {
    let mut texts = Files::new();
    for form in ["-h", "--help"] {
        let suffix = form.trim_start_matches('-');
        texts.insert(format!("s3kit.{suffix}.txt"), s3kit(&[form]));
        for command in COMMANDS {
            texts.insert(format!("{command}.{suffix}.txt"), s3kit(&[command, form]));
        }
    }
    check("tests/help", &texts);
}

#[test]
fn short_help_fits_a_screen() {
    for command in COMMANDS {
        let lines = String::from_utf8(s3kit(&[command, "-h"])).unwrap().lines().count();
        assert!(lines <= 60, "s3kit {command} -h has {lines} lines");
    }
}

#[test]
fn man_pages_are_as_committed() {
    check("man", &generated("man"));
}

#[test]
fn completions_are_as_committed() {
    check("completions", &generated("completions"));
}

#[test]
fn every_man_page_states_examples_and_exit_statuses() {
    let pages = generated("man");
    assert_eq!(pages.len(), COMMANDS.len() + 1);
    for (name, page) in pages {
        let page = String::from_utf8(page).unwrap();
        for section in [".SH EXAMPLES", ".SH \"EXIT STATUS\"", ".SH \"SEE ALSO\""] {
            assert!(page.contains(section), "{name} lacks {section}");
        }
    }
}
