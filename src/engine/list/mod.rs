//! Listings as streams of pages, one page fetched ahead of the one in use.
//!
//! A [`Listing`] says what is wanted; [`Pages`] walks it by ListObjectsV2, one request after another, and `walk` defends against stores
//! that lose, repeat or reorder pages. Filtering by size, time and rule, and printing, are left to the callers.

mod walk;

use crate::model::filter::{Pattern, PatternError, glob_prefix};
use crate::model::record::Record;
use crate::model::uri::S3Uri;
use crate::s3::{Client, Error};
use std::collections::VecDeque;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use walk::Walk;

/// What is to be listed.
#[derive(Debug, Clone)]
pub struct Listing {
    scopes: VecDeque<Scope>,
    pattern: Option<Pattern>,
    /// Keys after this one only.
    pub start_after: Option<String>,
    /// Keys up to this one, included.
    pub end_at: Option<String>,
    /// Group keys that share the text up to this into common prefixes.
    pub delimiter: Option<String>,
    /// Stop after so many keys and prefixes, before any filter.
    pub limit: Option<u64>,
    /// Ask for the owners.
    pub owners: bool,
}

/// One walk of a [`Listing`].
#[derive(Debug, Clone, PartialEq, Eq)]
struct Scope {
    bucket: String,
    prefix: String,
    /// Only the key that is the prefix itself.
    exact: bool,
}

/// What a page holds after the defences and the pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// In the store's order.
    pub objects: Vec<Record>,
    /// In the store's order.
    pub prefixes: Vec<S3Uri>,
}

/// A key or a common prefix.
#[expect(clippy::large_enum_variant, reason = "almost every entry is an object, and none is stored")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// An object.
    Object(Record),
    /// A common prefix.
    Prefix(S3Uri),
}

/// The start of the keys below a path: the path with a slash, unless it has one or is the whole bucket.
#[must_use]
pub fn root(key: &str) -> String {
    if key.is_empty() || key.ends_with('/') { key.to_owned() } else { format!("{key}/") }
}

impl Listing {
    fn of(scopes: impl Into<VecDeque<Scope>>) -> Self {
        Self {
            scopes: scopes.into(),
            pattern: None,
            start_after: None,
            end_at: None,
            delimiter: None,
            limit: None,
            owners: false,
        }
    }

    /// All keys that begin with the URI's key, as S3 lists: `s3://b/foo` includes `foobar`.
    #[must_use]
    pub fn prefix(uri: &S3Uri) -> Self {
        Self::of([Scope::new(&uri.bucket, &uri.key)])
    }

    /// A path: the object of this name and the keys below it, never `foobar` for `foo`. Below a name that ends in `/`, or a bucket,
    /// that is the prefix.
    #[must_use]
    pub fn tree(uri: &S3Uri) -> Self {
        let root = root(&uri.key);
        if root == uri.key {
            return Self::prefix(uri);
        }
        Self::of([Scope { exact: true, ..Scope::new(&uri.bucket, &uri.key) }, Scope::new(&uri.bucket, &root)])
    }

    /// The keys that a glob matches.
    pub fn glob(uri: &S3Uri) -> Result<Self, PatternError> {
        let pattern = Pattern::glob(&uri.key)?;
        Ok(Self { pattern: Some(pattern), ..Self::of([Scope::new(&uri.bucket, glob_prefix(&uri.key))]) })
    }

    /// Starts to fetch.
    #[must_use]
    pub fn start(self, client: &Client) -> Pages {
        // One page waits while the next is on its way: enough to overlap listing and use.
        let (sender, pages) = mpsc::channel(1);
        let mut task = JoinSet::new();
        task.spawn(fetch(self, client.clone(), sender));
        Pages { pages, _task: task }
    }
}

impl Scope {
    fn new(bucket: &str, prefix: &str) -> Self {
        Self { bucket: bucket.to_owned(), prefix: prefix.to_owned(), exact: false }
    }
}

/// A running listing. Dropping it stops the fetching.
#[derive(Debug)]
pub struct Pages {
    pages: mpsc::Receiver<Result<Page, Box<Error>>>,
    _task: JoinSet<()>,
}

impl Pages {
    /// The next page; `None` at the end of the listing. After an error nothing more comes.
    pub async fn next(&mut self) -> Result<Option<Page>, Box<Error>> {
        self.pages.recv().await.transpose()
    }
}

async fn fetch(mut listing: Listing, client: Client, sender: mpsc::Sender<Result<Page, Box<Error>>>) {
    while let Some(scope) = listing.scopes.pop_front() {
        let mut walk = Walk::new(&listing, scope, client.config().endpoint.is_aws());
        while let Some(request) = walk.request() {
            let answer = match client.send(&request).await {
                Ok(page) => walk.accept(page),
                Err(error) => Err(error),
            };
            let failed = answer.is_err();
            let page = answer.map(|page| listing.select(page));
            let is_empty = page.as_ref().is_ok_and(|page| page.objects.is_empty() && page.prefixes.is_empty());
            if (!is_empty && sender.send(page).await.is_err()) || failed {
                return;
            }
        }
        listing.limit = walk.remaining();
    }
}

impl Listing {
    fn select(&self, mut page: Page) -> Page {
        if let Some(pattern) = &self.pattern {
            page.objects.retain(|record| pattern.matches(&record.uri.key));
            page.prefixes.retain(|prefix| pattern.matches(&prefix.key));
        }
        page
    }
}

impl Page {
    /// Objects and prefixes in one byte order.
    pub fn entries(self) -> impl Iterator<Item = Entry> + Send {
        let mut objects = self.objects.into_iter().peekable();
        let mut prefixes = self.prefixes.into_iter().peekable();
        std::iter::from_fn(move || {
            let prefix_first = match (objects.peek(), prefixes.peek()) {
                (Some(object), Some(prefix)) => prefix.key < object.uri.key,
                (None, Some(_)) => true,
                (_, None) => false,
            };
            if prefix_first { prefixes.next().map(Entry::Prefix) } else { objects.next().map(Entry::Object) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_page_come_in_one_byte_order() {
        let page = Page {
            objects: ["a-b", "a.txt", "b"].map(|key| Record::new(S3Uri::new("x", key))).to_vec(),
            prefixes: ["a/", "a0/"].map(|key| S3Uri::new("x", key)).to_vec(),
        };
        let keys: Vec<String> = page
            .entries()
            .map(|entry| match entry {
                Entry::Object(record) => record.uri.key,
                Entry::Prefix(uri) => uri.key,
            })
            .collect();
        assert_eq!(keys, ["a-b", "a.txt", "a/", "a0/", "b"]);
    }

    #[test]
    fn a_path_is_its_object_and_what_lies_below_but_not_its_neighbours() {
        let prefixes = |key| {
            Listing::tree(&S3Uri::new("b", key)).scopes.into_iter().map(|s| (s.prefix, s.exact)).collect::<Vec<_>>()
        };
        assert_eq!(prefixes("logs"), [("logs".to_owned(), true), ("logs/".to_owned(), false)]);
        assert_eq!(prefixes("logs/"), [("logs/".to_owned(), false)]);
        assert_eq!(prefixes(""), [(String::new(), false)]);
    }
}
