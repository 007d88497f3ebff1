//! Fetches content: GETs an object into a sink, resumes at the byte where an answer broke, and proves that all bytes are of one object.
//!
//! [`Fetch`] knows what is still to come; [`Span`] judges one answer's headers against that. Only bytes of the first answer's `ETag`
//! reach the sink.

use super::exchange::{Call, sink_failure};
use super::tries::Tries;
use super::{Client, Sink};
use crate::model::checksum::{Checksum, Hasher};
use crate::model::record::ETag;
use crate::s3::failure::Failure;
use crate::s3::header::header;
use crate::s3::operation::{Operation, Parts};
use crate::s3::ops::{GetObject, HeadObject, ObjectHead};
use crate::s3::{Error, Kind};
use crate::transport::governor::Permit;
use crate::transport::http::{Body, HttpErrorKind, Patience, Response};
use crate::transport::retry::Class;
use bytes::Bytes;
use http::{HeaderMap, Method};
use std::ops::Range;

/// Bytes that an attempt must bring for the ones before it to be forgotten: a store that breaks off every answer after a few bytes is
/// not making progress.
const PROGRESS: u64 = 256 << 10;

/// Bytes that are read and thrown away, at most, to reach a range that the store did not send alone.
const SKIPPABLE: u64 = 256 << 20;

/// Runs a GET to its end.
pub(super) async fn run(client: &Client, get: &GetObject, sink: &mut impl Sink) -> Result<ObjectHead, Box<Error>> {
    let mut tries = Tries::new(client);
    let mut fetch = Fetch { client, get, head: None, next: 0, end: 0, digest: None, whole: false };
    match fetch.attempts(sink, &mut tries).await {
        Ok(head) => Ok(head),
        Err(failure) => Err(tries.into_error(failure, "GetObject", (&get.bucket, &get.key))),
    }
}

/// A GET under way.
#[derive(Debug)]
struct Fetch<'a> {
    client: &'a Client,
    get: &'a GetObject,
    /// The first answer's facts, once there was one.
    head: Option<ObjectHead>,
    /// Offset of the next byte for the sink, and where it ends; both unknown (0) before the first answer.
    next: u64,
    end: u64,
    /// Digest of what the sink has, and what it must come to.
    digest: Option<(Hasher, Checksum)>,
    /// Ask without a range, because the object turned out to be empty.
    whole: bool,
}

impl Fetch<'_> {
    async fn attempts(&mut self, sink: &mut impl Sink, tries: &mut Tries<'_>) -> Result<ObjectHead, Failure> {
        if self.get.bucket.is_empty() || self.get.key.is_empty() {
            return Err(Failure::refused("a bucket and key are needed: an empty name would address something else"));
        }
        if self.get.range.as_ref().is_some_and(|range| range.start >= range.end) {
            return Err(Failure::refused("an empty range cannot be asked for"));
        }
        let mut permit = self.client.inner.governor.acquire().await;
        loop {
            permit.renew();
            let before = self.next;
            let Err(failure) = self.attempt(sink).await else { break };
            self.client.note(&failure, &mut permit);
            if self.next - before >= PROGRESS {
                tries.progressed();
            }
            if self.is_complete() && failure.source.is_some() {
                break; // The connection broke when all bytes were here.
            }
            let failure = self.reword(failure);
            tries.again(failure).await?;
        }
        self.finish(&permit, tries)
    }

    fn is_complete(&self) -> bool {
        self.head.is_some() && self.next >= self.end
    }

    /// The end: the checksum is right, or the bytes in the sink are not what the store has.
    fn finish(&mut self, permit: &Permit, tries: &Tries<'_>) -> Result<ObjectHead, Failure> {
        if let Some((hasher, stores)) = self.digest.take() {
            let ours = hasher.finish();
            if ours != stores {
                return Err(crate::s3::ops::mismatch(&ours, &stores, Class::Fatal));
            }
        }
        permit.succeeded();
        tries.succeeded();
        Ok(self.head.take().expect("an attempt that succeeds has read a head"))
    }

    /// One exchange: asks for what is missing and moves it to the sink.
    async fn attempt(&mut self, sink: &mut impl Sink) -> Result<(), Failure> {
        let wanted = self.wanted();
        let call = self.call(wanted.as_ref()).await?;
        let response = self.client.exchange(&call).await?;
        let response = match response.status {
            200 | 206 => response,
            _ => match self.refusal(&call, response, wanted.as_ref()).await {
                // An empty object has no range: ask again without.
                None => self.client.exchange(&self.call(None).await?).await?,
                Some(failure) => return Err(failure),
            },
        };
        if !matches!(response.status, 200 | 206) {
            return Err(self.read_failure(&call, response).await);
        }
        let (status, headers) = (response.status, response.headers);
        let moved = self.take(status, &headers, response.body, wanted, sink).await;
        moved.map_err(|failure| match failure.status {
            None => failure.with_headers(status, &headers),
            Some(_) => failure,
        })
    }

    /// The range to ask for, in bytes of the object; `None` for all of it.
    fn wanted(&self) -> Option<Range<u64>> {
        match &self.head {
            Some(_) => Some(self.next..self.end),
            None if self.whole => None,
            None => self.get.range.clone(),
        }
    }

    async fn call(&self, range: Option<&Range<u64>>) -> Result<Call, Failure> {
        let range = range.map(|range| format!("bytes={}-{}", range.start, range.end - 1));
        let pinned = self.pinned().map(ETag::quoted);
        let parts = Parts::new(Method::GET)
            .maybe_query("versionId", self.get.version_id.as_deref())
            .maybe_header("range", range.as_deref())
            .maybe_header("if-match", pinned.as_deref())
            .maybe_header("x-amz-checksum-mode", self.get.checksum_mode.then_some("ENABLED"))
            .patience(Patience::Flow);
        self.client.call("GetObject", (&self.get.bucket, &self.get.key), parts).await
    }

    /// The one `ETag` whose bytes are wanted.
    fn pinned(&self) -> Option<&ETag> {
        self.head.as_ref().and_then(|head| head.etag.as_ref()).or(self.get.if_match.as_ref())
    }

    /// Reads a refusal; `None` if it only means that the object is empty and was asked for by range.
    async fn refusal(&mut self, call: &Call, response: Response, wanted: Option<&Range<u64>>) -> Option<Failure> {
        let from_start = wanted.is_some_and(|range| range.start == 0) && self.head.is_none();
        let failure = self.read_failure(call, response).await;
        if failure.status == Some(416) && from_start {
            self.whole = true;
            return None;
        }
        if failure.status == Some(412) && self.pinned().is_some() {
            return Some(Failure {
                code: "ObjectChanged".into(),
                ..changed("it no longer has the ETag asked for", failure)
            });
        }
        Some(failure)
    }

    async fn read_failure(&self, call: &Call, response: Response) -> Failure {
        match self.client.read(call, response, 0).await {
            Err(failure) => failure,
            Ok(answer) => Failure::unusable_answer(format!("HTTP {} to a GET", answer.status))
                .with_headers(answer.status, &answer.headers),
        }
    }

    /// Judges an answer and moves its bytes.
    async fn take(
        &mut self,
        status: u16,
        headers: &HeaderMap,
        body: Body,
        wanted: Option<Range<u64>>,
        sink: &mut impl Sink,
    ) -> Result<(), Failure> {
        let span = match Span::read(status, headers)? {
            Some(span) => span,
            None => self.measured(headers).await?,
        };
        self.check(headers, &span, wanted.as_ref())?;
        if self.head.is_none() {
            self.begin(headers, &span, sink)?;
        }
        self.pump(body, &span, sink).await
    }

    /// An answer without a length: only a HEAD can tell how much is due.
    async fn measured(&self, headers: &HeaderMap) -> Result<Span, Failure> {
        let (bucket, key) = (self.get.bucket.clone(), self.get.key.clone());
        let head = HeadObject { bucket, key, version_id: self.get.version_id.clone(), checksum_mode: false };
        let parts = head.request(self.client.store(&self.client.region(&head.bucket)));
        let call = self.client.call(HeadObject::NAME, (&head.bucket, &head.key), parts).await?;
        let response = self.client.exchange(&call).await?;
        let etag = |headers: &HeaderMap| header(headers, "etag").map(|text| ETag::new(&text));
        match header(&response.headers, "content-length").and_then(|text| text.trim().parse::<u64>().ok()) {
            Some(size) if response.status == 200 && etag(&response.headers) == etag(headers) => {
                Ok(Span { range: 0..size, size, partial: false })
            }
            _ => Err(Failure::bad_answer("neither GET nor HEAD says how long the object is")),
        }
    }

    /// Refuses an answer that is not the range that was asked for, or not of the object that the first one was of.
    fn check(&self, headers: &HeaderMap, span: &Span, wanted: Option<&Range<u64>>) -> Result<(), Failure> {
        let found = header(headers, "etag").map(|text| ETag::new(&text));
        if let (Some(pinned), Some(found)) = (self.pinned(), &found)
            && pinned != found
        {
            let what = format!("its ETag is {} instead of {}", found.as_str(), pinned.as_str());
            return Err(object_changed(&what));
        }
        if let Some(head) = &self.head {
            let modified = header(headers, "last-modified").and_then(|text| crate::s3::header::http_date(&text));
            // Without an ETag, size and date are all there is to tell one object from the next.
            if head.size != span.size || (found.is_none() && head.last_modified != modified) {
                return Err(object_changed("size or date are not those of the first answer"));
            }
        }
        let start = wanted.map_or(0, |range| range.start);
        if span.partial && (wanted.is_none() || span.range.start != start) {
            let range = &span.range;
            return Err(Failure::bad_answer(format!(
                "bytes {}..{} where {start}.. was asked for",
                range.start, range.end
            )));
        }
        if !span.partial && start > SKIPPABLE {
            let text = "the store ignores Range and this part is too far into the object to skip to it";
            return Err(Failure::new(Class::Fatal, Kind::Protocol, "RangeIgnored", text));
        }
        Ok(())
    }

    /// Fixes, with the first answer, what is to come, and tells the sink.
    fn begin(&mut self, headers: &HeaderMap, span: &Span, sink: &mut impl Sink) -> Result<(), Failure> {
        let size = span.size;
        let asked = self.get.range.clone().unwrap_or(0..self.get.first.unwrap_or(size));
        if asked.start > 0 && asked.start >= size {
            let text = format!("the range starts at {} but the object has {size} bytes", asked.start);
            return Err(Failure { status: Some(416), ..Failure::new(Class::Fatal, Kind::Fatal, "InvalidRange", text) });
        }
        (self.next, self.end) = (asked.start, asked.end.min(size));
        let range = if self.get.range.is_some() { self.next..self.end } else { 0..size };
        let mut head = ObjectHead::read(headers, size, range);
        if span.partial {
            // Of a ranged answer a checksum may be the range's.
            head.checksum = None;
        }
        sink.begin(&head).map_err(sink_failure)?;
        if self.get.range.is_none() && (self.next..self.end) == (0..size) {
            self.digest = head.checksum.clone().map(|stores| (Hasher::new(stores.algorithm()), stores));
        }
        self.head = Some(head);
        Ok(())
    }

    /// Moves an answer's bytes to the sink, without those before the range (which a store sends that ignores Range).
    async fn pump(&mut self, mut body: Body, span: &Span, sink: &mut impl Sink) -> Result<(), Failure> {
        let mut at = span.range.start;
        while let Some(chunk) = body.chunk().await.map_err(Failure::of_http)? {
            let last = at + chunk.len() as u64;
            if last > span.range.end {
                return Err(Failure::bad_answer("more bytes than were announced"));
            }
            let within = |offset: u64| usize::try_from(offset.clamp(at, last) - at).expect("within a chunk in memory");
            let wanted = within(self.next)..within(self.end);
            at = last;
            if !wanted.is_empty() {
                self.write(chunk.slice(wanted), sink).await?;
            }
            // More may follow that nobody asked for. Where nothing does, reading on to the end keeps the connection alive.
            if self.next >= self.end && span.range.end > self.end {
                return Ok(());
            }
        }
        if self.next < self.end { Err(short()) } else { Ok(()) }
    }

    async fn write(&mut self, chunk: Bytes, sink: &mut impl Sink) -> Result<(), Failure> {
        if let Some((hasher, _)) = &mut self.digest {
            hasher.update(&chunk);
        }
        let length = chunk.len() as u64;
        sink.write(chunk).await.map_err(sink_failure)?;
        self.next += length;
        Ok(())
    }

    /// A connection that breaks within the content is told by how much of it came.
    fn reword(&self, failure: Failure) -> Failure {
        let incomplete = failure.code == "ShortBody"
            || failure.source.as_ref().is_some_and(|source| {
                let http = source.downcast_ref::<crate::transport::http::HttpError>();
                http.is_some_and(|error| error.kind == HttpErrorKind::Incomplete)
            });
        let Some(head) = self.head.as_ref().filter(|_| incomplete) else { return failure };
        let start = self.get.range.as_ref().map_or(0, |range| range.start);
        let (received, expected) = (self.next - start.min(self.next), self.end - start);
        let message =
            format!("the body ended early: received {received} of {expected} bytes (object of {})", head.size);
        Failure { code: "ShortBody".into(), message, ..failure }
    }
}

/// Which bytes an answer holds, by its headers.
#[derive(Debug, PartialEq, Eq)]
struct Span {
    range: Range<u64>,
    size: u64,
    partial: bool,
}

impl Span {
    /// `None` if a whole answer does not say how long it is.
    fn read(status: u16, headers: &HeaderMap) -> Result<Option<Self>, Failure> {
        if status == 200 {
            let length = header(headers, "content-length").and_then(|text| text.trim().parse::<u64>().ok());
            return Ok(length.map(|size| Self { range: 0..size, size, partial: false }));
        }
        let text = header(headers, "content-range").unwrap_or_default();
        let bad = || Failure::bad_answer(format!("Content-Range '{}' in an answer to a range", text.escape_debug()));
        let (first, last, size) = content_range(&text).ok_or_else(bad)?;
        if first > last || last >= size {
            return Err(bad());
        }
        let length = header(headers, "content-length").and_then(|text| text.trim().parse::<u64>().ok());
        if length.is_some_and(|length| length != last - first + 1) {
            return Err(bad());
        }
        Ok(Some(Self { range: first..last + 1, size, partial: true }))
    }
}

/// `bytes 0-9/100` → (0, 9, 100).
fn content_range(text: &str) -> Option<(u64, u64, u64)> {
    let (range, size) = text.trim().strip_prefix("bytes")?.trim().split_once('/')?;
    let (first, last) = range.split_once('-')?;
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?, size.trim().parse().ok()?))
}

fn short() -> Failure {
    Failure::new(Class::Transient, Kind::Protocol, "ShortBody", "the body ended early")
}

fn object_changed(what: &str) -> Failure {
    let text = format!("the object was replaced while it was read: {what}");
    Failure::new(Class::Fatal, Kind::Precondition, "ObjectChanged", text)
}

fn changed(what: &str, failure: Failure) -> Failure {
    Failure { message: object_changed(what).message, ..failure }
}
