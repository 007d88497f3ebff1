//! The walk through one prefix as a state machine without I/O: which request comes next, and what of an answer may be believed.
//!
//! Stores differ: some ignore start-after, some skip a key when a token follows it, some send a truncated page without a token, or one
//! page for ever. Every rule below ends in progress or in one protocol error, never in a loop, and no key is handed out twice in a row.

use super::{Listing, Page, Scope};
use crate::model::uri::S3Uri;
use crate::s3::ops::{ListObjectsV2, ListPage};
use crate::s3::{Error, Kind};
use std::time::Duration;

/// Truncated pages without a single entry in a row: AWS sends a few over many delete markers; so many are a store gone round the bend.
const MOST_EMPTY_PAGES: u32 = 1_000;
/// The most keys S3 puts on a page.
const PAGE: u64 = 1_000;

/// State of a walk.
#[derive(Debug)]
pub(super) struct Walk {
    scope: Scope,
    delimiter: Option<String>,
    owners: bool,
    /// Nothing up to this key is wanted.
    after: Option<String>,
    end_at: Option<String>,
    remaining: Option<u64>,
    /// After a page begun by start-after go on by start-after: at least one store's token skips a key there.
    by_key: bool,
    next: Next,
    /// First and last entry of the last page that had any.
    previous: Option<(String, String)>,
    empty_pages: u32,
    /// Cleared by a store that does not sort, whose listing must be read to its end.
    sorted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Next {
    After(Option<String>),
    Token(String),
    Nothing,
}

impl Walk {
    /// Begins a walk. On AWS tokens are right; elsewhere start-after goes on by key.
    pub(super) fn new(listing: &Listing, scope: Scope, aws: bool) -> Self {
        // A start-after before the prefix says nothing, and one store answers it with an empty page.
        let after = listing.start_after.clone().filter(|after| *after >= scope.prefix);
        let done = listing.limit == Some(0);
        Self {
            delimiter: listing.delimiter.clone().filter(|_| !scope.exact),
            owners: listing.owners,
            end_at: listing.end_at.clone(),
            remaining: listing.limit,
            by_key: after.is_some() && !aws,
            next: if done { Next::Nothing } else { Next::After(after.clone()) },
            after,
            scope,
            previous: None,
            empty_pages: 0,
            sorted: true,
        }
    }

    /// The next request; `None` at the end.
    pub(super) fn request(&self) -> Option<ListObjectsV2> {
        let (start_after, continuation_token) = match &self.next {
            Next::After(key) => (key.clone(), None),
            Next::Token(token) => (None, Some(token.clone())),
            Next::Nothing => return None,
        };
        let wanted = if self.scope.exact { Some(1) } else { self.remaining };
        Some(ListObjectsV2 {
            bucket: self.scope.bucket.clone(),
            prefix: self.scope.prefix.clone(),
            delimiter: self.delimiter.clone(),
            start_after,
            continuation_token,
            max_keys: wanted.filter(|n| *n < PAGE).map_or(0, |n| u32::try_from(n).unwrap_or(0)),
            fetch_owner: self.owners,
        })
    }

    /// Entries that may still be handed out, if there is a limit.
    pub(super) fn remaining(&self) -> Option<u64> {
        self.remaining
    }

    /// Takes an answer: what of it is wanted, and where to go on.
    pub(super) fn accept(&mut self, page: ListPage) -> Result<Page, Box<Error>> {
        let Some((first, last)) = ends(&page) else {
            self.empty_pages += 1;
            self.next = self.after_empty(&page)?;
            return Ok(Page::default());
        };
        self.empty_pages = 0;
        self.check_repeat(&first, &page)?;
        self.next = self.after_page(&page, &first, &last)?;
        let past_end = self.end_at.as_ref().is_some_and(|end| last > *end) && self.sorted;
        if past_end || self.scope.exact {
            self.next = Next::Nothing;
        }
        let overlap = self.previous.replace((first, last)).map(|(_, last)| last).filter(|_| self.sorted);
        Ok(self.take(page, overlap.as_deref()))
    }

    /// A page that begins as the one before is the same page again.
    fn check_repeat(&mut self, first: &str, page: &ListPage) -> Result<(), Box<Error>> {
        let Some((previous_first, previous_last)) = &self.previous else { return Ok(()) };
        if first == previous_first && page.objects.first().is_some_and(|object| object.uri.key == first) {
            return Err(self.broken("the same page came twice"));
        }
        if first < previous_last.as_str() {
            self.sorted = false;
        }
        Ok(())
    }

    fn after_empty(&self, page: &ListPage) -> Result<Next, Box<Error>> {
        match (&page.next_token, page.truncated) {
            (_, false) => Ok(Next::Nothing),
            (None, true) => Err(self.broken("a truncated page without keys and without a continuation token")),
            (Some(_), true) if self.empty_pages > MOST_EMPTY_PAGES => Err(self.broken("empty pages without end")),
            (Some(token), true) => self.token(token),
        }
    }

    fn after_page(&mut self, page: &ListPage, first: &str, last: &str) -> Result<Next, Box<Error>> {
        if !page.truncated {
            return Ok(Next::Nothing);
        }
        if let Next::After(Some(asked)) = &self.next
            && first <= asked.as_str()
        {
            // Start-after was ignored: only tokens lead on, and what was not asked for is dropped.
            if self.previous.is_some() {
                return Err(self.broken("start-after does not lead on, and there is no continuation token"));
            }
            self.by_key = false;
        }
        match &page.next_token {
            Some(token) if !(self.by_key && self.sorted) => self.token(token),
            _ if !self.sorted => Err(self.broken("keys out of order and no continuation token")),
            _ => Ok(Next::After(Some(self.beyond(last)))),
        }
    }

    /// Where to start after an entry: after a common prefix nothing below it is wanted again.
    fn beyond(&self, last: &str) -> String {
        match &self.delimiter {
            Some(delimiter) if last.ends_with(delimiter.as_str()) && last != self.scope.prefix => {
                format!("{last}\u{10FFFF}")
            }
            _ => last.to_owned(),
        }
    }

    fn token(&self, token: &str) -> Result<Next, Box<Error>> {
        match &self.next {
            Next::Token(before) if before == token => Err(self.broken("the same continuation token came twice")),
            _ => Ok(Next::Token(token.to_owned())),
        }
    }

    /// What of a page is wanted: below the prefix, after start-after, up to the end, within the limit, and not handed out before.
    fn take(&mut self, page: ListPage, overlap: Option<&str>) -> Page {
        let Walk { scope, after, end_at, .. } = &*self;
        let wanted = |key: &str| {
            key.starts_with(&scope.prefix)
                && (!scope.exact || key == scope.prefix)
                && after.as_deref().is_none_or(|after| key > after)
                && end_at.as_deref().is_none_or(|end| key <= end)
                && overlap.is_none_or(|last| key > last)
        };
        let mut objects = page.objects;
        objects.retain(|record| wanted(&record.uri.key));
        let prefixes: Vec<S3Uri> = page
            .common_prefixes
            .into_iter()
            .filter(|prefix| wanted(prefix))
            .map(|prefix| S3Uri::new(scope.bucket.clone(), prefix))
            .collect();
        self.within_limit(Page { objects, prefixes })
    }

    fn within_limit(&mut self, page: Page) -> Page {
        let Some(limit) = self.remaining else { return page };
        let count = (page.objects.len() + page.prefixes.len()) as u64;
        self.remaining = Some(limit.saturating_sub(count));
        if count < limit {
            return page;
        }
        self.next = Next::Nothing;
        let mut cut = Page::default();
        for entry in page.entries().take(usize::try_from(limit).unwrap_or(usize::MAX)) {
            match entry {
                super::Entry::Object(record) => cut.objects.push(record),
                super::Entry::Prefix(uri) => cut.prefixes.push(uri),
            }
        }
        cut
    }

    fn broken(&self, what: &str) -> Box<Error> {
        Box::new(Error {
            kind: Kind::Protocol,
            operation: "ListObjectsV2",
            bucket: self.scope.bucket.clone(),
            key: self.scope.prefix.clone(),
            status: Some(200),
            code: "BadResponse".into(),
            message: format!("the store broke the listing off: {what}"),
            request_id: None,
            host_id: None,
            attempts: 1,
            elapsed: Duration::ZERO,
            source: None,
        })
    }
}

/// Least and greatest name on a page.
fn ends(page: &ListPage) -> Option<(String, String)> {
    let names =
        || page.objects.iter().map(|o| o.uri.key.as_str()).chain(page.common_prefixes.iter().map(String::as_str));
    Some((names().min()?.to_owned(), names().max()?.to_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::record::Record;

    /// A store of keys `k000` … with a page size, and a way to misbehave.
    struct Store<'a> {
        keys: Vec<String>,
        page: usize,
        tamper: &'a dyn Fn(&mut ListPage, &ListObjectsV2, usize),
        requests: usize,
    }

    impl Store<'_> {
        fn answer(&mut self, request: &ListObjectsV2) -> ListPage {
            self.requests += 1;
            assert!(self.requests <= 50, "a loop");
            let after = request.continuation_token.clone().or(request.start_after.clone()).unwrap_or_default();
            let mut left = self.keys.iter().filter(|key| **key > after && key.starts_with(&request.prefix));
            let page = if request.max_keys == 0 { self.page } else { self.page.min(request.max_keys as usize) };
            let objects: Vec<Record> =
                left.by_ref().take(page).map(|key| Record::new(S3Uri::new("b", key.as_str()))).collect();
            let truncated = left.next().is_some();
            let next_token = objects.last().map(|o| o.uri.key.clone()).filter(|_| truncated);
            let mut page = ListPage { objects, truncated, next_token, ..ListPage::default() };
            (self.tamper)(&mut page, request, self.requests);
            page
        }
    }

    fn keys(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("k{i:03}")).collect()
    }

    fn listing() -> Listing {
        Listing::prefix(&S3Uri::new("b", ""))
    }

    type Walked = (Vec<String>, usize, Option<String>);

    fn walk(listing: &Listing, n: usize, aws: bool, tamper: &dyn Fn(&mut ListPage, &ListObjectsV2, usize)) -> Walked {
        let mut store = Store { keys: keys(n), page: 10, tamper, requests: 0 };
        let mut walk = Walk::new(listing, listing.scopes[0].clone(), aws);
        let mut seen = Vec::new();
        while let Some(request) = walk.request() {
            match walk.accept(store.answer(&request)) {
                Ok(page) => seen.extend(page.objects.into_iter().map(|o| o.uri.key)),
                Err(error) => return (seen, store.requests, Some(error.message)),
            }
        }
        (seen, store.requests, None)
    }

    #[test]
    fn a_sound_store_is_walked_page_by_page() {
        assert_eq!(walk(&listing(), 35, true, &|_, _, _| {}), (keys(35), 4, None));
    }

    #[test]
    fn a_truncated_page_without_token_goes_on_after_its_last_key() {
        let (seen, requests, error) = walk(&listing(), 35, true, &|page, _, _| page.next_token = None);
        assert_eq!((seen, requests, error), (keys(35), 4, None));
    }

    #[test]
    fn a_token_that_comes_twice_ends_the_walk_with_an_error() {
        let (seen, requests, error) = walk(&listing(), 35, true, &|page, _, _| {
            page.truncated = true;
            page.next_token = Some("k009".into());
        });
        assert!(error.unwrap().contains("twice"));
        assert!(requests <= 3);
        assert_eq!(seen, keys(seen.len()), "no key twice");
    }

    #[test]
    fn a_page_that_comes_twice_ends_the_walk_with_an_error() {
        let first = std::cell::RefCell::new(None);
        let (seen, requests, error) = walk(&listing(), 35, true, &|page, _, n| {
            page.objects = first.borrow_mut().get_or_insert_with(|| page.objects.clone()).clone();
            page.truncated = true;
            page.next_token = Some(format!("t{n}"));
        });
        assert!(error.is_some());
        assert_eq!((seen, requests), (keys(10), 2));
    }

    #[test]
    fn a_token_on_the_last_page_is_ignored() {
        let (seen, requests, error) = walk(&listing(), 15, true, &|page, _, _| page.next_token = Some("more".into()));
        // The first page's token is not a key, so the store goes on from the wrong place; the walk ends all the same.
        assert!(requests <= 2 && error.is_none());
        assert!(seen.len() <= 15);
    }

    #[test]
    fn start_after_goes_on_by_key_where_tokens_are_not_trusted() {
        let listing = Listing { start_after: Some("k004".into()), ..listing() };
        let (seen, _, error) = walk(&listing, 35, false, &|page, request, _| {
            // The token after a start-after that is no key skips one.
            if request.start_after.is_some() {
                page.next_token = page.next_token.take().map(|token| format!("{token}~"));
            }
        });
        assert_eq!((seen, error), (keys(35)[5..].to_vec(), None));
    }

    #[test]
    fn a_store_that_ignores_start_after_is_walked_by_token_and_filtered() {
        let listing = Listing { start_after: Some("k012".into()), end_at: Some("k020".into()), ..listing() };
        let (seen, _, error) = walk(&listing, 35, false, &|page, request, _| {
            if request.continuation_token.is_none() {
                let objects: Vec<Record> =
                    keys(10).iter().map(|key| Record::new(S3Uri::new("b", key.as_str()))).collect();
                *page = ListPage { objects, truncated: true, next_token: Some("k009".into()), ..ListPage::default() };
            }
        });
        assert_eq!((seen, error), (keys(35)[13..=20].to_vec(), None));
    }

    #[test]
    fn the_walk_ends_at_its_end_key_and_at_its_limit() {
        let ended = Listing { end_at: Some("k012".into()), ..listing() };
        assert_eq!(walk(&ended, 100, true, &|_, _, _| {}), (keys(13), 2, None));
        let limited = Listing { limit: Some(3), ..listing() };
        assert_eq!(walk(&limited, 100, true, &|_, _, _| {}), (keys(3), 1, None));
    }

    #[test]
    fn empty_truncated_pages_are_walked_through_but_not_for_ever() {
        let (seen, _, error) = walk(&listing(), 15, true, &|page, _, n| {
            if n == 1 {
                *page = ListPage { truncated: true, next_token: Some(String::new()), ..ListPage::default() };
            }
        });
        assert_eq!((seen, error), (keys(15), None));
        let (_, _, error) = walk(&listing(), 15, true, &|page, _, _| {
            *page = ListPage { truncated: true, ..ListPage::default() };
        });
        assert!(error.is_some());
    }

    #[test]
    fn an_unsorted_store_is_read_to_its_end() {
        let reversed = |page: &mut ListPage, request: &ListObjectsV2, _: usize| {
            let at: usize = request.continuation_token.as_deref().map_or(0, |t| t.parse().unwrap());
            let mut all = keys(30);
            all.reverse();
            let objects = all[at..at + 10].iter().map(|key| Record::new(S3Uri::new("b", key.as_str()))).collect();
            let next_token = (at < 20).then(|| (at + 10).to_string());
            *page = ListPage { objects, truncated: next_token.is_some(), next_token, ..ListPage::default() };
        };
        let (seen, _, error) = walk(&listing(), 0, true, &reversed);
        assert_eq!((seen.len(), error), (30, None));
    }
}
