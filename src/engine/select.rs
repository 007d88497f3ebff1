//! What a command works on: operands and records become a stream of items, each one source with its name relative to the root it came from.

use super::list::{self, Listing};
use super::local::walk::{Walked, walk};
use super::records::Records;
use super::{Ending, Failure, Outcome, Source};
use crate::model::filter::{Filter, glob_prefix};
use crate::model::record::{self, Entry, Framing, Place, Record, RecordError};
use crate::model::stats::Stats;
use crate::model::uri::S3Uri;
use crate::s3::Client;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc;

/// One source operand, already read.
#[derive(Debug, Clone)]
pub enum Operand {
    /// One exact object, or one version of it.
    Object(Box<Record>),
    /// A path: the object of that name and all keys below it; with a `/` at the end (or no key) only those below.
    Below(S3Uri),
    /// All keys a glob matches.
    Glob(S3Uri),
    /// One file, FIFO or device.
    File(PathBuf),
    /// All files below a directory.
    Tree {
        /// The directory.
        root: PathBuf,
        /// Whether symlinks to directories are walked through.
        follow: bool,
    },
    /// Standard input as bytes.
    Stdin,
}

/// Where the items come from.
#[derive(Debug)]
pub enum Selection {
    /// Operands, in order.
    Operands(Vec<Operand>),
    /// Records, as they arrive.
    Records(Records, Framing),
}

/// Which kinds of records a command takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepts {
    /// Pair lines.
    pub pairs: bool,
    /// Local paths.
    pub local: bool,
}

/// One source and what it is called.
#[derive(Debug, Clone)]
pub struct Item {
    /// The source.
    pub source: Source,
    /// Its name relative to the root it came from; for records of objects the whole key.
    pub name: String,
    /// The destination a pair line names.
    pub to: Option<Place>,
    /// The input record, verbatim.
    pub input: Option<Vec<u8>>,
}

/// An item, or what became of an input that gave none.
pub type Selected = Result<Item, Box<Outcome>>;

/// Turns a selection into items. One for each source, in order.
#[derive(Debug)]
pub struct Selector {
    client: Client,
    filter: Filter,
    accepts: Accepts,
    stats: Arc<Stats>,
    items: mpsc::Sender<Selected>,
}

/// The receiver is gone: nobody wants more items.
struct Gone;

impl Selector {
    /// A selector that sends to `items`.
    pub fn new(
        client: Client,
        filter: Filter,
        accepts: Accepts,
        stats: Arc<Stats>,
        items: mpsc::Sender<Selected>,
    ) -> Self {
        Self { client, filter, accepts, stats, items }
    }

    /// Sends all items; returns how many records were read (0 for operands). Ends early when nobody receives.
    pub async fn run(self, selection: Selection) -> u64 {
        match selection {
            Selection::Operands(operands) => {
                for operand in operands {
                    if self.operand(operand).await.is_err() {
                        break;
                    }
                }
                0
            }
            Selection::Records(records, framing) => self.records(records, framing).await,
        }
    }

    async fn operand(&self, operand: Operand) -> Result<(), Gone> {
        match operand {
            Operand::Object(record) => {
                let name = base_name(&record.uri.key).to_owned();
                self.send(Source::Object(record), name).await
            }
            Operand::Below(uri) => {
                let (listing, root) = (Listing::tree(&uri), list::root(&uri.key));
                self.listed(uri, listing, &root).await
            }
            Operand::Glob(uri) => match Listing::glob(&uri) {
                Ok(listing) => {
                    let prefix = glob_prefix(&uri.key);
                    let root = prefix[..prefix.rfind('/').map_or(0, |slash| slash + 1)].to_owned();
                    self.listed(uri, listing, &root).await
                }
                Err(error) => self.fail(object(uri), Failure::Refused(error.to_string())).await,
            },
            Operand::File(path) => match path.file_name().map(|name| name.to_str()) {
                Some(Some(name)) => {
                    let name = name.to_owned();
                    self.send(Source::File(path), name).await
                }
                Some(None) => self.fail(Source::File(path), not_utf8()).await,
                // `cp /dev/fd/3/..` and the like: nothing to call it.
                None => self.send(Source::File(path), String::new()).await,
            },
            Operand::Tree { root, follow } => self.tree(root, follow).await,
            Operand::Stdin => self.send(Source::Stdin, String::new()).await,
        }
    }

    /// All objects of a listing, named relative to `root`; a key that does not start with it (the object of the path's own name) by its
    /// last component.
    async fn listed(&self, uri: S3Uri, listing: Listing, root: &str) -> Result<(), Gone> {
        let mut pages = listing.start(&self.client);
        let mut matched = false;
        loop {
            let page = match pages.next().await {
                Ok(Some(page)) => page,
                Ok(None) => break,
                Err(error) => return self.fail(object(uri), Failure::S3(error)).await,
            };
            for record in page.objects {
                matched = true;
                let key = &record.uri.key;
                let name = key.strip_prefix(root).unwrap_or_else(|| base_name(key)).to_owned();
                self.offer(record, name).await?;
            }
        }
        if matched { Ok(()) } else { self.fail(object(uri), Failure::NoMatch).await }
    }

    /// All files of a tree. The walk blocks, so it runs on a thread of its own and is pulled through a short channel.
    async fn tree(&self, root: PathBuf, follow: bool) -> Result<(), Gone> {
        let (sender, mut found) = mpsc::channel(64);
        let walking = root.clone();
        let walker = tokio::task::spawn_blocking(move || {
            for item in walk(&walking, follow) {
                if sender.blocking_send(item).is_err() {
                    break;
                }
            }
        });
        while let Some(item) = found.recv().await {
            match item {
                Ok(Walked::File { path, name }) => {
                    if self.filter.admits_name(&name) {
                        self.send(Source::File(path), name).await?;
                    } else {
                        self.stats.record_skipped();
                    }
                }
                Ok(Walked::Skipped { path, why }) => {
                    self.deliver(Source::File(path), None, Ending::Skipped(why)).await?;
                }
                Err(failure) => {
                    let path = if let Failure::Local { path, .. } = &failure { path.clone() } else { root.clone() };
                    self.fail(Source::File(path), failure).await?;
                }
            }
        }
        walker.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        Ok(())
    }

    async fn records(&self, mut records: Records, framing: Framing) -> u64 {
        let mut read = 0;
        loop {
            let (line, raw) = match records.next().await {
                Ok(Some(line)) => line,
                Ok(None) => return read,
                Err(failure) => {
                    // Whatever could not be read is one failure; there is nothing more to say about it.
                    let _ = self.fail(Source::Unreadable(b"input".to_vec()), failure).await;
                    return read;
                }
            };
            read += 1;
            self.stats.record_read();
            let sent = match raw {
                Ok(raw) => self.record(line, raw, framing).await,
                Err(error) => self.malformed(line, Vec::new(), error).await,
            };
            if sent.is_err() {
                return read;
            }
        }
    }

    async fn record(&self, line: u64, raw: Vec<u8>, framing: Framing) -> Result<(), Gone> {
        let entry = match record::parse(&raw, framing) {
            Ok(entry) => entry,
            Err(error) => return self.malformed(line, raw, error).await,
        };
        let refuse = |why: &str| RecordError::Malformed(why.to_owned());
        let (source, to) = match entry {
            Entry::Blank => {
                self.stats.record_skipped();
                return Ok(());
            }
            Entry::Prefix(_) => {
                return self.malformed(line, raw, refuse("a common prefix, not an object")).await;
            }
            Entry::Pair { .. } if !self.accepts.pairs => {
                return self.malformed(line, raw, refuse("two fields; this command takes one name a line")).await;
            }
            Entry::One(place) => (place, None),
            Entry::Pair { src, dst } => (src, Some(dst)),
        };
        match source {
            Place::Local(_) if !self.accepts.local => self.malformed(line, raw, refuse("not an s3:// URI")).await,
            Place::Local(path) => {
                let Some(name) = relative_name(&path) else {
                    return self
                        .malformed(line, raw, refuse("a file name that is not UTF-8 cannot become a key"))
                        .await;
                };
                if !self.filter.admits_name(&name) {
                    self.stats.record_skipped();
                    return Ok(());
                }
                self.item(Item { source: Source::File(path), name, to, input: Some(raw) }).await
            }
            Place::Object(record) => {
                if !self.filter.admits(&record.uri.key, &record) {
                    self.stats.record_skipped();
                    return Ok(());
                }
                let name = record.uri.key.clone();
                self.item(Item { source: Source::Object(record), name, to, input: Some(raw) }).await
            }
        }
    }

    /// A listed object, if the filters want it.
    async fn offer(&self, record: Record, name: String) -> Result<(), Gone> {
        if self.filter.admits(&name, &record) {
            self.send(Source::Object(Box::new(record)), name).await
        } else {
            self.stats.record_skipped();
            Ok(())
        }
    }

    async fn send(&self, source: Source, name: String) -> Result<(), Gone> {
        self.item(Item { source, name, to: None, input: None }).await
    }

    async fn item(&self, item: Item) -> Result<(), Gone> {
        let size = if let Source::Object(record) = &item.source { record.size } else { None };
        self.stats.job_known(size);
        self.items.send(Ok(item)).await.map_err(|_| Gone)
    }

    async fn malformed(&self, line: u64, raw: Vec<u8>, error: RecordError) -> Result<(), Gone> {
        let input = Some(raw.clone());
        self.deliver(Source::Unreadable(raw), input, Failure::Record { line, error }.into()).await
    }

    async fn fail(&self, source: Source, failure: Failure) -> Result<(), Gone> {
        self.deliver(source, None, failure.into()).await
    }

    async fn deliver(&self, source: Source, input: Option<Vec<u8>>, ending: Ending) -> Result<(), Gone> {
        let outcome = Outcome { source, destination: None, input, ending };
        self.items.send(Err(Box::new(outcome))).await.map_err(|_| Gone)
    }
}

fn object(uri: S3Uri) -> Source {
    Source::Object(Box::new(Record::new(uri)))
}

fn not_utf8() -> Failure {
    Failure::Refused("the file name is not UTF-8 and cannot become a key".into())
}

/// The last component of a key; of a key that ends in `/` the last one with it.
fn base_name(key: &str) -> &str {
    let end = key.strip_suffix('/').unwrap_or(key);
    &key[end.rfind('/').map_or(0, |slash| slash + 1)..]
}

/// What a local path of a list is called below a container: without leading `./` and `/`.
fn relative_name(path: &Path) -> Option<String> {
    let mut name = path.to_str()?;
    loop {
        let rest = name.strip_prefix("./").or_else(|| name.strip_prefix('/'));
        match rest {
            Some(rest) => name = rest,
            None => return Some(name.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_record_is_named_without_its_leading_dots_and_slashes() {
        assert_eq!(relative_name(Path::new("./a/b")).as_deref(), Some("a/b"));
        assert_eq!(relative_name(Path::new("/a/b")).as_deref(), Some("a/b"));
        assert_eq!(relative_name(Path::new(".a")).as_deref(), Some(".a"));
    }

    #[test]
    fn the_base_name_of_a_marker_keeps_its_slash() {
        assert_eq!(base_name("m/bar/"), "bar/");
        assert_eq!(base_name("m/bar"), "bar");
        assert_eq!(base_name("bar"), "bar");
    }
}
