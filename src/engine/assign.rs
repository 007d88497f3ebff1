//! Where each item goes: container and naming rules make a destination, and two sources never get the same one unseen.

use super::select::{Item, Selected};
use super::{Assigned, Destination, Ending, Failure, Job, Outcome, Source};
use crate::model::checksum::{Algorithm, Checksum};
use crate::model::name::{LocalName, NameError, Naming, local_components};
use crate::model::record::Place;
use crate::model::uri::S3Uri;
use std::collections::HashMap;
use std::path::PathBuf;

/// Destinations kept in memory before the table moves to a temporary file.
const IN_MEMORY: usize = 1_000_000;

/// Where a command's items go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum To {
    /// All to one place, as it is named: a key, a file, stdout.
    One(Destination),
    /// Below a prefix, which is empty or ends in `/`.
    Prefix(S3Uri),
    /// Below a local directory.
    Directory(PathBuf),
}

/// What becomes of the later of two sources with one destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// It fails.
    #[default]
    Fail,
    /// It is skipped.
    Skip,
    /// Its name gets `-2`, `-3` … before the extension.
    Suffix,
}

/// Turns items into jobs.
#[derive(Debug)]
pub struct Assigner {
    to: To,
    naming: Naming,
    on_conflict: OnConflict,
    taken: Option<Taken>,
    number: u64,
}

impl Assigner {
    /// `may_collide` says whether two items may get one name at all; only then a table is kept.
    pub fn new(to: To, naming: Naming, on_conflict: OnConflict, may_collide: bool) -> Self {
        let taken = (may_collide || naming.may_collide()).then(Taken::default);
        Self { to, naming, on_conflict, taken, number: 0 }
    }

    /// The job of an item, or why it has none.
    pub fn assign(&mut self, selected: Selected) -> Assigned {
        let item = selected?;
        self.number += 1;
        match self.destination(&item) {
            Ok(destination) => Ok(Job { number: self.number, source: item.source, destination, input: item.input }),
            Err(ending) => Err(Box::new(Outcome { source: item.source, destination: None, input: item.input, ending })),
        }
    }

    fn destination(&mut self, item: &Item) -> Result<Destination, Ending> {
        if let Some(place) = &item.to {
            let destination = match place {
                Place::Object(record) => Destination::Object(record.uri.clone()),
                Place::Local(path) => Destination::File(path.clone()),
            };
            return self.claim(item, destination);
        }
        let named = |naming: &Naming| {
            let bucket = if let Source::Object(record) = &item.source { record.uri.bucket.as_str() } else { "" };
            naming.name(&item.name, bucket, self.number)
        };
        let destination = match &self.to {
            To::One(destination) => destination.clone(),
            To::Prefix(prefix) => below_prefix(prefix, &marker_or(item, named(&self.naming))?)?,
            To::Directory(root) => {
                let name = marker_or(item, named(&self.naming))?;
                Destination::Beneath(root.clone(), local_name(&name)?)
            }
        };
        self.claim(item, destination)
    }

    /// Takes a destination for an item, or settles the conflict with the one that has it.
    fn claim(&mut self, item: &Item, destination: Destination) -> Result<Destination, Ending> {
        let Some(taken) = &mut self.taken else { return Ok(destination) };
        if matches!(destination, Destination::Stdout) {
            return Ok(destination);
        }
        let mut candidate = destination.clone();
        for attempt in 2.. {
            match taken.claim(&candidate, &item.source)? {
                Claim::Free => return Ok(candidate),
                Claim::SameSource => return Err(Ending::Skipped("already copied there")),
                Claim::Taken => match self.on_conflict {
                    OnConflict::Fail => return Err(Failure::Conflict { destination: text(&candidate) }.into()),
                    OnConflict::Skip => return Err(Ending::Skipped("destination already taken")),
                    OnConflict::Suffix => candidate = suffixed(&destination, attempt),
                },
            }
        }
        unreachable!("some number is free")
    }
}

/// The marker of the root itself (`p/` listed below `p/`) has no name of its own: it stands for the container.
fn marker_or(item: &Item, name: Result<String, NameError>) -> Result<String, Failure> {
    if item.name.is_empty() && matches!(item.source, Source::Object(_)) {
        return Ok(String::new());
    }
    Ok(name?)
}

fn below_prefix(prefix: &S3Uri, name: &str) -> Result<Destination, Failure> {
    let key = format!("{}{name}", prefix.key);
    if key.is_empty() {
        return Err(Failure::Refused("the source has no name; name the destination object".into()));
    }
    let limit = crate::model::uri::MAX_KEY;
    if key.len() > limit {
        return Err(Failure::Refused(format!("the destination key has {} bytes; S3 allows {limit}", key.len())));
    }
    Ok(Destination::Object(S3Uri::new(prefix.bucket.clone(), key)))
}

/// An empty name is the target directory itself.
fn local_name(name: &str) -> Result<LocalName, Failure> {
    if name.is_empty() {
        return Ok(LocalName { components: Vec::new(), directory: true });
    }
    Ok(local_components(name)?)
}

fn text(destination: &Destination) -> String {
    match destination {
        Destination::Object(uri) => uri.to_string(),
        Destination::File(path) => path.display().to_string(),
        Destination::Beneath(root, name) => root.join(name.components.join("/")).display().to_string(),
        Destination::Stdout => "-".into(),
    }
}

/// The destination with `-N` before its extension.
fn suffixed(destination: &Destination, number: u64) -> Destination {
    let with = |name: &str| {
        let base = name.rfind('/').map_or(0, |slash| slash + 1);
        match name[base..].rfind('.').filter(|dot| *dot > 0) {
            Some(dot) => format!("{}-{number}{}", &name[..base + dot], &name[base + dot..]),
            None => format!("{name}-{number}"),
        }
    };
    match destination {
        Destination::Object(uri) => Destination::Object(S3Uri::new(uri.bucket.clone(), with(&uri.key))),
        Destination::Beneath(root, name) => {
            let mut name = name.clone();
            if let Some(last) = name.components.last_mut() {
                *last = with(last);
            }
            Destination::Beneath(root.clone(), name)
        }
        Destination::File(path) => {
            let name = path.file_name().map(|name| with(&name.to_string_lossy())).unwrap_or_default();
            Destination::File(path.with_file_name(name))
        }
        Destination::Stdout => Destination::Stdout,
    }
}

/// What a claim found.
enum Claim {
    Free,
    SameSource,
    Taken,
}

/// Which destinations are taken, and by which source: 128-bit digests, so that a key costs 32 bytes however long it is.
#[derive(Debug, Default)]
struct Taken {
    memory: HashMap<[u8; 16], [u8; 16]>,
    spilled: Option<rusqlite::Connection>,
}

impl Taken {
    fn claim(&mut self, destination: &Destination, source: &Source) -> Result<Claim, Failure> {
        let (place, owner) = (digest(&text(destination)), digest(&owner(source)));
        let known = match (self.memory.get(&place), &self.spilled) {
            (Some(known), _) => Some(*known),
            (None, Some(file)) => lookup(file, &place).map_err(broken)?,
            (None, None) => None,
        };
        match known {
            Some(known) if known == owner => Ok(Claim::SameSource),
            Some(_) => Ok(Claim::Taken),
            None => {
                self.memory.insert(place, owner);
                if self.memory.len() >= IN_MEMORY {
                    self.spill().map_err(broken)?;
                }
                Ok(Claim::Free)
            }
        }
    }

    /// Moves the table to a temporary file that disappears with the process.
    fn spill(&mut self) -> rusqlite::Result<()> {
        let file = match self.spilled.take() {
            Some(file) => file,
            None => temporary_table()?,
        };
        {
            let insertion = file.unchecked_transaction()?;
            let mut insert = insertion.prepare("INSERT INTO taken VALUES (?1, ?2)")?;
            for (place, owner) in self.memory.drain() {
                insert.execute((place.as_slice(), owner.as_slice()))?;
            }
            drop(insert);
            insertion.commit()?;
        }
        self.spilled = Some(file);
        Ok(())
    }
}

fn temporary_table() -> rusqlite::Result<rusqlite::Connection> {
    let file = rusqlite::Connection::open("")?;
    file.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         CREATE TABLE taken (place BLOB PRIMARY KEY, owner BLOB NOT NULL) WITHOUT ROWID;",
    )?;
    Ok(file)
}

fn lookup(file: &rusqlite::Connection, place: &[u8; 16]) -> rusqlite::Result<Option<[u8; 16]>> {
    use rusqlite::OptionalExtension;
    file.prepare_cached("SELECT owner FROM taken WHERE place = ?1")?
        .query_row([place.as_slice()], |row| row.get::<_, [u8; 16]>(0))
        .optional()
}

fn broken(error: rusqlite::Error) -> Failure {
    Failure::Local {
        action: "write",
        path: "the temporary table of destinations".into(),
        source: std::io::Error::other(error),
    }
}

fn owner(source: &Source) -> String {
    match source {
        Source::Object(record) => match &record.version_id {
            Some(version) => format!("{}\u{0}{version}", record.uri),
            None => record.uri.to_string(),
        },
        other => other.to_string(),
    }
}

/// MD5 as a 128-bit hash: nobody gains by colliding destinations of their own list.
fn digest(text: &str) -> [u8; 16] {
    let digest = Checksum::of(Algorithm::Md5, text.as_bytes());
    digest.digest().try_into().expect("MD5 has 16 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::Record;

    fn item(key: &str, name: &str) -> Item {
        let source = Source::Object(Box::new(Record::new(S3Uri::new("b", key))));
        Item { source, name: name.into(), to: None, input: None }
    }

    fn assigner(on_conflict: OnConflict) -> Assigner {
        Assigner::new(To::Prefix(S3Uri::new("c", "p/")), Naming::Flatten, on_conflict, false)
    }

    fn key(result: Assigned) -> Result<String, Ending> {
        result.map(|job| text(&job.destination)).map_err(|outcome| outcome.ending)
    }

    #[test]
    fn the_later_of_two_sources_with_one_destination_fails() {
        let mut assigner = assigner(OnConflict::Fail);
        assert!(assigner.assign(Ok(item("a/f", "a/f"))).is_ok());
        let second = key(assigner.assign(Ok(item("b/f", "b/f"))));
        assert!(matches!(second, Err(Ending::Failed(Failure::Conflict { .. }))));
    }

    #[test]
    fn the_same_source_again_is_skipped() {
        let mut assigner = assigner(OnConflict::Fail);
        assert!(assigner.assign(Ok(item("a/f", "a/f"))).is_ok());
        assert!(matches!(key(assigner.assign(Ok(item("a/f", "a/f")))), Err(Ending::Skipped(_))));
    }

    #[test]
    fn suffixes_go_before_the_extension() {
        let mut assigner = assigner(OnConflict::Suffix);
        let names: Vec<_> = ["a/f.txt", "b/f.txt", "c/f.txt"]
            .map(|source| key(assigner.assign(Ok(item(source, source)))).expect("has a name"))
            .into();
        assert_eq!(names, ["s3://c/p/f.txt", "s3://c/p/f-2.txt", "s3://c/p/f-3.txt"]);
    }

    #[test]
    fn a_spilled_table_still_knows_what_is_taken() {
        let mut taken = Taken::default();
        let place = Destination::Object(S3Uri::new("b", "k"));
        assert!(matches!(taken.claim(&place, &Source::File("a".into())), Ok(Claim::Free)));
        taken.spill().expect("temporary files can be made");
        assert!(taken.memory.is_empty());
        assert!(matches!(taken.claim(&place, &Source::File("b".into())), Ok(Claim::Taken)));
        assert!(matches!(taken.claim(&place, &Source::File("a".into())), Ok(Claim::SameSource)));
    }
}
