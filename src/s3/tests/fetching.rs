//! GET into a sink: resumed bodies, replaced objects, ranges, checksums.

use super::script::{Bench, Piece, Step, answer, error, map};
use crate::model::checksum::{Algorithm, Checksum};
use crate::model::record::ETag;
use crate::s3::ops::{GetObject, ObjectHead};
use crate::s3::{Error, Kind, Sink};
use crate::transport::http::{HttpErrorKind, Request};
use bytes::Bytes;
use std::ops::Range;
use std::time::Duration;
use tokio::time::Instant;

/// Collects bytes; slow or full if asked to be.
#[derive(Debug, Default)]
struct Collected {
    begun: u32,
    bytes: Vec<u8>,
    pause: Duration,
    room: Option<usize>,
}

impl Sink for Collected {
    fn begin(&mut self, _: &ObjectHead) -> std::io::Result<()> {
        self.begun += 1;
        Ok(())
    }

    async fn write(&mut self, chunk: Bytes) -> std::io::Result<()> {
        tokio::time::sleep(self.pause).await;
        if self.room.is_some_and(|room| self.bytes.len() + chunk.len() > room) {
            return Err(std::io::Error::from(std::io::ErrorKind::StorageFull));
        }
        self.bytes.extend_from_slice(&chunk);
        Ok(())
    }
}

/// A million bytes that all differ from their neighbours.
fn content() -> Bytes {
    (0..1_000_000_u32).map(|n| (n % 251) as u8).collect::<Vec<u8>>().into()
}

fn get() -> GetObject {
    GetObject { bucket: "b".into(), key: "k".into(), ..GetObject::default() }
}

async fn fetch(bench: &Bench, get: &GetObject) -> (Result<ObjectHead, Box<Error>>, Collected) {
    let mut sink = Collected::default();
    let result = bench.client.get(get, &mut sink).await;
    (result, sink)
}

/// Range that a request asks for.
fn asked(request: &Request) -> Option<Range<usize>> {
    let text = request.headers.get("range")?.to_str().unwrap();
    let (first, last) = text.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
    Some(first.parse().unwrap()..last.parse::<usize>().unwrap() + 1)
}

/// What a good store answers, with the body cut at `cut` bytes of the answer and then broken.
fn serve(object: &Bytes, etag: &str, request: &Request, cut: Option<usize>) -> Step {
    let size = object.len();
    let range = asked(request);
    let body = range.clone().map_or(object.clone(), |range| object.slice(range.start..range.end.min(size)));
    let length = body.len().to_string();
    let mut headers = map(&[("etag", etag), ("content-length", &length)]);
    if let Some(range) = &range {
        let value = format!("bytes {}-{}/{size}", range.start, range.end.min(size) - 1);
        headers.insert("content-range", value.parse().unwrap());
    }
    let pieces = match cut {
        Some(cut) => vec![Piece::Bytes(body.slice(..cut.min(body.len()))), Piece::Break],
        None => vec![Piece::Bytes(body)],
    };
    Step::Answer(if range.is_some() { 206 } else { 200 }, headers, pieces)
}

#[tokio::test(start_paused = true)]
async fn a_broken_body_is_resumed_at_its_byte_with_the_same_etag() {
    let object = content();
    let bench = Bench::new(move |number, request| serve(&object, "\"A\"", request, (number < 3).then_some(300_000)));
    let (head, sink) = fetch(&bench, &get()).await;
    assert_eq!(head.unwrap().size, 1_000_000);
    assert_eq!((sink.bytes, sink.begun), (content().to_vec(), 1));
    let ranges = [None, Some("bytes=300000-999999".into()), Some("bytes=600000-999999".into())];
    assert_eq!(bench.header("range"), ranges);
    assert_eq!(bench.header("if-match"), [None, Some("\"A\"".into()), Some("\"A\"".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_always_breaks_at_the_same_byte_ends_with_both_counts() {
    let object = content();
    let bench = Bench::new(move |_, request| {
        let start = asked(request).map_or(0, |range| range.start);
        serve(&object, "\"A\"", request, Some(300_000 - start))
    });
    let (error, sink) = fetch(&bench, &get()).await;
    let error = error.unwrap_err();
    assert_eq!(error.code, "ShortBody");
    assert!(error.message.contains("300000 of 1000000"), "{}", error.message);
    assert_eq!((sink.bytes.len(), bench.seen().len()), (300_000, 8));
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_a_length_is_measured_by_a_head() {
    let object = content();
    let bench = Bench::new(move |_, request| match request.method.as_str() {
        "HEAD" => answer(200, &[("etag", "\"A\""), ("content-length", "1000000")], ""),
        _ if request.headers.contains_key("range") => serve(&object, "\"A\"", request, Some(0)),
        _ => Step::Answer(200, map(&[("etag", "\"A\"")]), vec![Piece::Bytes(object.slice(..300_000))]),
    });
    let (error, _) = fetch(&bench, &get()).await;
    let error = error.unwrap_err();
    assert!(error.code == "ShortBody" && error.message.contains("300000 of 1000000"), "{}", error.message);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_drips_away_without_end_is_not_progress() {
    let object = content();
    let bench = Bench::new(move |_, request| serve(&object, "\"A\"", request, Some(10)));
    let (error, sink) = fetch(&bench, &get()).await;
    assert_eq!((error.unwrap_err().attempts, sink.bytes.len()), (8, 80));
}

#[tokio::test(start_paused = true)]
async fn an_object_replaced_under_way_never_mixes_with_the_old_one() {
    // The store honours If-Match, or ignores it and shows the new ETag.
    for honest in [true, false] {
        let object = content();
        let bench = Bench::new(move |number, request| match number {
            1 => serve(&object, "\"A\"", request, Some(300_000)),
            _ if honest => error(412, "PreconditionFailed"),
            _ => serve(&Bytes::from(vec![9; 1_000_000]), "\"B\"", request, None),
        });
        let (error, sink) = fetch(&bench, &get()).await;
        let error = error.unwrap_err();
        assert_eq!((error.code.as_str(), error.kind), ("ObjectChanged", Kind::Precondition));
        assert_eq!((sink.bytes.len(), bench.seen().len()), (300_000, 2));
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_not_the_pinned_one_never_reaches_the_sink() {
    let object = content();
    let bench = Bench::new(move |_, request| serve(&object, "\"B\"", request, None));
    let pinned = GetObject { if_match: Some(ETag::new("A")), range: Some(0..10), ..get() };
    let (error, sink) = fetch(&bench, &pinned).await;
    assert_eq!((error.unwrap_err().code.as_str(), sink.begun), ("ObjectChanged", 0));
    assert_eq!(bench.header("if-match"), [Some("\"A\"".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_range_is_checked_and_clipped_to_the_object() {
    let object = content();
    let bench = Bench::new(move |_, request| serve(&object, "\"A\"", request, None));
    let (head, sink) = fetch(&bench, &GetObject { range: Some(999_990..2_000_000), ..get() }).await;
    let head = head.unwrap();
    assert_eq!((head.size, head.range, sink.bytes.len()), (1_000_000, 999_990..1_000_000, 10));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_ignores_ranges_is_read_up_to_the_range() {
    let object = content();
    let bench = Bench::new(move |_, _| answer(200, &[("etag", "\"A\"")], object.clone()));
    for range in [0..10, 500_000..500_100, 999_999..1_000_000] {
        let (head, sink) = fetch(&bench, &GetObject { range: Some(range.clone()), ..get() }).await;
        assert_eq!(head.unwrap().range, range);
        let (start, end) = (usize::try_from(range.start).unwrap(), usize::try_from(range.end).unwrap());
        assert_eq!(sink.bytes, content()[start..end]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_range_too_far_into_a_store_that_ignores_them_is_an_error() {
    let bench = Bench::new(|_, _| answer(200, &[("content-length", "9000000000")], ""));
    let (error, _) = fetch(&bench, &GetObject { range: Some(8_000_000_000..8_000_000_010), ..get() }).await;
    assert_eq!(error.unwrap_err().code, "RangeIgnored");
}

#[tokio::test(start_paused = true)]
async fn another_range_than_asked_for_is_a_bad_answer() {
    for value in ["bytes 1-10/100", "bytes 0-9/*", "", "bytes 5-3/100", "bytes 0-200/100", "items 0-9/100"] {
        let bench = Bench::new(move |_, _| answer(206, &[("content-range", value)], vec![0; 10]));
        let (error, sink) = fetch(&bench, &GetObject { range: Some(0..10), ..get() }).await;
        assert_eq!((error.unwrap_err().code.as_str(), sink.bytes.len()), ("BadResponse", 0), "{value}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_object_asked_for_by_range_is_asked_for_again_without() {
    let bench = Bench::new(|_, request| match asked(request) {
        Some(_) => answer(416, &[("content-range", "bytes */0")], "<Error><Code>InvalidRange</Code></Error>"),
        None => answer(200, &[("etag", "\"A\""), ("content-type", "text/plain")], ""),
    });
    let (head, sink) = fetch(&bench, &GetObject { range: Some(0..8_388_608), ..get() }).await;
    let head = head.unwrap();
    assert_eq!((head.size, head.range, head.content.content_type.as_deref()), (0, 0..0, Some("text/plain")));
    assert_eq!((sink.begun, bench.seen().len()), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_range_beyond_the_end_is_an_error() {
    let bench = Bench::new(|_, _| error(416, "InvalidRange"));
    let (error, _) = fetch(&bench, &GetObject { range: Some(5..10), ..get() }).await;
    assert_eq!((error.unwrap_err().code.as_str(), bench.seen().len()), ("InvalidRange", 1));
}

/// Serves the content whole, with a checksum that may be wrong, cut once.
fn summed(value: String, kind: &'static str, cut: bool) -> Bench {
    let object = content();
    Bench::new(move |number, request| {
        let step = serve(&object, "\"A\"", request, (cut && number == 1).then_some(400_000));
        let Step::Answer(status, mut headers, pieces) = step else { return step };
        headers.insert("x-amz-checksum-crc32", value.parse().unwrap());
        headers.insert("x-amz-checksum-type", kind.parse().unwrap());
        Step::Answer(status, headers, pieces)
    })
}

#[tokio::test(start_paused = true)]
async fn a_whole_object_is_held_against_its_checksum_also_when_resumed() {
    let right = Checksum::of(Algorithm::Crc32, &content()).base64();
    for cut in [false, true] {
        let (head, _) = fetch(&summed(right.clone(), "FULL_OBJECT", cut), &get()).await;
        assert!(head.is_ok());
        let (error, _) = fetch(&summed("AAAAAA==".into(), "FULL_OBJECT", cut), &get()).await;
        assert_eq!(error.unwrap_err().code, "ChecksumMismatch");
    }
}

#[tokio::test(start_paused = true)]
async fn composite_and_ranged_checksums_are_never_compared() {
    let (head, _) = fetch(&summed("AAAAAA==".into(), "COMPOSITE", false), &get()).await;
    assert!(head.is_ok());
    let whole = GetObject { range: Some(0..1_000_000), ..get() };
    let (head, _) = fetch(&summed("AAAAAA==".into(), "FULL_OBJECT", false), &whole).await;
    assert!(head.unwrap().checksum.is_none());
}

#[tokio::test(start_paused = true)]
async fn only_the_first_bytes_of_a_whole_object_can_be_taken() {
    let get = GetObject { first: Some(500_000), ..get() };
    let bench = summed("AAAAAA==".into(), "FULL_OBJECT", true);
    let (head, sink) = fetch(&bench, &get).await;
    let head = head.unwrap();
    assert_eq!((head.size, head.checksum.unwrap().base64().as_str()), (1_000_000, "AAAAAA=="));
    assert_eq!(sink.bytes, content()[..500_000]);
    assert_eq!(bench.header("range"), [None, Some("bytes=400000-499999".into())]);
    let all = GetObject { first: Some(2_000_000), ..get };
    let (error, _) = fetch(&summed("AAAAAA==".into(), "FULL_OBJECT", false), &all).await;
    assert_eq!(error.unwrap_err().code, "ChecksumMismatch");
}

#[tokio::test(start_paused = true)]
async fn a_silent_body_is_given_up_and_resumed() {
    let object = content();
    let bench = Bench::new(move |number, request| {
        let step = serve(&object, "\"A\"", request, (number == 1).then_some(300_000));
        match step {
            Step::Answer(status, headers, mut pieces) if number == 1 => {
                pieces.insert(1, Piece::Wait(Duration::from_secs(100_000)));
                Step::Answer(status, headers, pieces)
            }
            step => step,
        }
    });
    let started = Instant::now();
    let (head, sink) = fetch(&bench, &get()).await;
    assert!(head.is_ok());
    assert_eq!(sink.bytes, content());
    assert!(started.elapsed() < Duration::from_secs(22), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_dripping_body_falls_below_the_minimum_speed() {
    let bench = Bench::new(|_, _| {
        let drip = vec![Piece::Wait(Duration::from_secs(1)), Piece::Bytes(Bytes::from_static(b"x"))];
        let drips = std::iter::repeat_n(drip, 1000).flatten().collect();
        Step::Answer(200, map(&[("content-length", "1000"), ("etag", "A")]), drips)
    });
    let (error, _) = fetch(&bench, &get()).await;
    let error = error.unwrap_err();
    assert!(error.code == "Timeout" && error.message.contains("1024 bytes a second"), "{}", error.message);
}

#[tokio::test(start_paused = true)]
async fn a_slow_sink_is_not_a_slow_network() {
    let bench = Bench::new(|_, _| {
        let pieces = vec![Piece::Bytes(Bytes::from_static(b"x")); 50];
        Step::Answer(200, map(&[("content-length", "50")]), pieces)
    });
    let mut sink = Collected { pause: Duration::from_secs(100), ..Collected::default() };
    bench.client.get(&get(), &mut sink).await.unwrap();
    assert_eq!((sink.bytes.len(), bench.seen().len()), (50, 1));
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_refuses_ends_the_fetch_with_its_own_error() {
    let object = content();
    let bench = Bench::new(move |_, request| serve(&object, "\"A\"", request, None));
    let mut sink = Collected { room: Some(10), ..Collected::default() };
    let error = bench.client.get(&get(), &mut sink).await.unwrap_err();
    assert_eq!((error.kind, bench.seen().len()), (Kind::Sink, 1));
    let source = error.source.unwrap().downcast::<std::io::Error>().unwrap();
    assert_eq!(source.kind(), std::io::ErrorKind::StorageFull);
}

#[tokio::test(start_paused = true)]
async fn refusals_before_the_content_are_retried_as_for_any_operation() {
    let object = content();
    let bench = Bench::new(move |number, request| match number {
        1 => Step::Fail(HttpErrorKind::Closed),
        2 => error(503, "SlowDown"),
        3 => error(500, "InternalError"),
        _ => serve(&object, "\"A\"", request, None),
    });
    let (head, sink) = fetch(&bench, &get()).await;
    assert!(head.is_ok());
    assert_eq!((sink.begun, bench.seen().len()), (1, 4));
    let missing = Bench::new(|_, _| error(404, "NoSuchKey"));
    let (error, _) = fetch(&missing, &get()).await;
    assert_eq!((error.unwrap_err().kind, missing.seen().len()), (Kind::NotFound, 1));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_refuses_to_be_asked_for_checksums_is_asked_without() {
    let object = content();
    let bench = Bench::new(move |_, request| match request.headers.get("x-amz-checksum-mode") {
        Some(_) => answer(
            400,
            &[],
            "<Error><Code>InvalidArgument</Code><Message>Unsupported header x-amz-checksum-mode</Message></Error>",
        ),
        None => serve(&object, "\"A\"", request, None),
    });
    let get = GetObject { checksum_mode: true, ..get() };
    assert!(fetch(&bench, &get).await.0.is_ok());
    assert!(fetch(&bench, &get).await.0.is_ok());
    assert_eq!(bench.seen().len(), 3);
}
