//! Operations whose answer is a document: retries, embedded errors, lost answers.

use super::script::{Bench, Piece, Step, answer, error, map};
use crate::model::checksum::{Algorithm, Checksum};
use crate::model::record::ETag;
use crate::s3::Kind;
use crate::s3::endpoint::{Addressing, Endpoint};
use crate::s3::ops::{
    AbortMultipartUpload, CompleteMultipartUpload, CopyObject, CopySource, CreateBucket, DeleteObjects, HeadObject,
    ListObjectsV2, PartDone, PutObject, UploadPart, UploadPartCopy, WriteCondition,
};
use crate::transport::http::HttpErrorKind;
use bytes::Bytes;
use std::time::Duration;
use tokio::time::Instant;

fn put(body: &'static [u8]) -> PutObject {
    PutObject { bucket: "b".into(), key: "k".into(), body: vec![Bytes::from_static(body)], ..PutObject::default() }
}

fn copy() -> CopyObject {
    let source = CopySource { bucket: "s".into(), key: "k".into(), ..CopySource::default() };
    CopyObject { source, bucket: "b".into(), key: "k".into(), ..CopyObject::default() }
}

fn part_copy() -> UploadPartCopy {
    let CopyObject { source, bucket, key, .. } = copy();
    UploadPartCopy { source, bucket, key, upload_id: "u".into(), number: 1, range: Some(0..5) }
}

fn complete() -> CompleteMultipartUpload {
    let etag = ETag::new("00000000000000000000000000000000");
    let parts = vec![PartDone { number: 1, etag, size: 5, checksum: None }];
    CompleteMultipartUpload {
        bucket: "b".into(),
        key: "k".into(),
        upload_id: "u".into(),
        parts,
        size: 5,
        ..CompleteMultipartUpload::default()
    }
}

/// The `ETag` of [`complete`]'s object: the MD5 of sixteen zero bytes, one part.
const COMPLETE_ETAG: &str = "\"4ae71336e44bf9bf79d2752e234818a5-1\"";

const COPIED: &str = "\n <CopyObjectResult><ETag>e</ETag></CopyObjectResult>";
const PART_COPIED: &str = "<CopyPartResult><ETag>e</ETag></CopyPartResult>";
const COMPLETED: &str = "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>";
const DELETED: &str = "<DeleteResult><Deleted><Key>k</Key></Deleted></DeleteResult>";
const SLOWED: &str =
    "  \n\n<?xml version=\"1.0\"?><Error><Code>InternalError</Code><Message>try again</Message></Error>";

fn deletes() -> DeleteObjects {
    DeleteObjects { bucket: "b".into(), keys: vec![("k".into(), None)] }
}

/// Sends `$operation` to a store that first answers 200 with `$first`, then 200 with `$then`.
macro_rules! twice {
    ($operation:expr, $first:expr, $then:expr) => {{
        let bench = Bench::new(move |number, _| answer(200, &[], if number == 1 { $first } else { $then }));
        let result = bench.client.send(&$operation).await;
        (result, bench.seen().len())
    }};
}

#[tokio::test(start_paused = true)]
async fn an_error_inside_a_200_is_retried_on_every_operation_that_writes() {
    for first in [SLOWED, "", "  \n"] {
        let (copied, sent) = twice!(copy(), first, COPIED);
        assert_eq!((copied.unwrap().etag.unwrap().as_str(), sent), ("e", 2));
        let (part, sent) = twice!(part_copy(), first, PART_COPIED);
        assert_eq!((part.unwrap().etag.as_str(), sent), ("e", 2));
        let (completed, sent) = twice!(complete(), first, COMPLETED);
        assert_eq!((completed.unwrap().etag.unwrap().as_str(), sent), ("e", 2));
        let (deleted, sent) = twice!(deletes(), first, DELETED);
        assert_eq!((deleted.unwrap().len(), sent), (1, 2));
    }
    let (put, sent) = twice!(put(b"x"), SLOWED, "");
    assert!(put.is_ok() && sent == 2);
}

#[tokio::test(start_paused = true)]
async fn an_error_inside_every_200_ends_with_its_own_code() {
    let (copied, sent) = twice!(copy(), SLOWED, SLOWED);
    let error = copied.unwrap_err();
    assert_eq!((error.code.as_str(), error.kind, error.status), ("InternalError", Kind::Transient, Some(200)));
    assert_eq!((error.attempts, sent, error.message.as_str()), (8, 8, "try again"));
    let (completed, _) = twice!(complete(), "", "");
    assert_eq!(completed.unwrap_err().code, "BadResponse");
    let denied = "<Error><Code>AccessDenied</Code></Error>";
    let (deleted, sent) = twice!(deletes(), denied, denied);
    assert_eq!((deleted.unwrap_err().kind, sent), (Kind::Auth, 1));
}

#[tokio::test(start_paused = true)]
async fn a_cut_listing_is_asked_for_again() {
    let (page, sent) = twice!(
        ListObjectsV2 { bucket: "b".into(), ..ListObjectsV2::default() },
        "<ListBucketResult><Contents><Key>a</Key></Contents>",
        "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>"
    );
    assert_eq!((page.unwrap().objects.len(), sent), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn white_space_keeps_a_slow_answer_alive_for_as_long_as_it_flows() {
    let bench = Bench::new(|_, _| {
        let keep_alive = vec![Piece::Wait(Duration::from_secs(19)), Piece::Bytes(Bytes::from_static(b" "))];
        let mut pieces: Vec<Piece> = std::iter::repeat_n(keep_alive, 60).flatten().collect();
        pieces.push(Piece::Bytes(Bytes::from_static(COMPLETED.as_bytes())));
        Step::Answer(200, map(&[]), pieces)
    });
    assert!(bench.client.send(&complete()).await.is_ok());
    assert_eq!(bench.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_silent_store_ends_in_a_timeout_within_the_tries() {
    let bench = Bench::new(|_, _| Step::Hang(0));
    let started = Instant::now();
    let error = bench.client.send(&HeadObject { bucket: "b".into(), key: "k".into(), ..Default::default() }).await;
    let error = error.unwrap_err();
    assert_eq!((error.code.as_str(), error.attempts), ("Timeout", 8));
    assert!(error.message.contains("timeout"), "{}", error.message);
    assert!(started.elapsed() < Duration::from_secs(8 * 25), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_store_that_stops_reading_an_upload_is_noticed() {
    let bench =
        Bench::new(|number, _| if number == 1 { Step::Hang(1 << 10) } else { answer(200, &[("etag", "e")], "") });
    let started = Instant::now();
    let body = vec![Bytes::from(vec![0; 4 << 10])];
    let part =
        UploadPart { bucket: "b".into(), key: "k".into(), upload_id: "u".into(), number: 1, body, checksum: None };
    assert!(bench.client.send(&part).await.is_ok());
    assert_eq!(bench.seen().len(), 2);
    assert!(started.elapsed() < Duration::from_secs(27), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_body_is_whole_in_every_attempt() {
    let bench = Bench::new(|number, _| if number < 3 { error(503, "SlowDown") } else { answer(200, &[], "") });
    bench.client.send(&put(b"all of it")).await.unwrap();
    for request in bench.seen() {
        assert_eq!(request.body.concat(), b"all of it");
        assert_eq!(request.headers["content-length"], "9");
    }
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_slow_down_is_ridden_out_and_shrinks_the_limit() {
    let bench = Bench::new(|number, _| if number <= 60 { error(503, "SlowDown") } else { answer(200, &[], "") });
    let puts: Vec<PutObject> = (0..20).map(|_| put(b"x")).collect();
    let sends = puts.iter().map(|put| bench.client.send(put));
    let results = futures_util::future::join_all(sends).await;
    assert!(results.iter().all(Result::is_ok));
    let snapshot = bench.stats.snapshot();
    assert_eq!((snapshot.throttles, snapshot.retries, snapshot.requests["PutObject"]), (60, 60, 80));
    assert!(bench.governor.limit() < 8);
}

#[tokio::test(start_paused = true)]
async fn the_stores_wish_is_waited_for() {
    let bench = Bench::new(|number, _| match number {
        1 => answer(503, &[("retry-after", "30")], ""),
        _ => answer(200, &[], ""),
    });
    let started = Instant::now();
    bench.client.send(&put(b"x")).await.unwrap();
    assert!(started.elapsed() >= Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_refuses_everything_is_not_asked_for_ever() {
    let bench = Bench::new(|_, _| error(500, "InternalError"));
    let put = put(b"x");
    for _ in 0..40 {
        assert!(bench.client.send(&put).await.is_err());
    }
    assert!(bench.seen().len() < 40 + 80, "{} requests for 40 puts", bench.seen().len());
}

#[tokio::test(start_paused = true)]
async fn a_wrong_clock_is_learnt_from_the_answer_and_the_retry_is_signed_by_it() {
    let bench = Bench::new(|number, _| match number {
        // An hour ahead of the test's clock.
        1 => answer(
            403,
            &[("date", "Tue, 14 Nov 2023 23:13:20 GMT")],
            "<Error><Code>RequestTimeTooSkewed</Code></Error>",
        ),
        _ => answer(200, &[], ""),
    });
    let started = Instant::now();
    bench.client.send(&put(b"x")).await.unwrap();
    bench.client.send(&put(b"x")).await.unwrap();
    assert_eq!(started.elapsed(), Duration::ZERO);
    let dates: Vec<String> = bench.header("x-amz-date").into_iter().flatten().collect();
    assert_eq!(dates, ["20231114T221320Z", "20231114T231320Z", "20231114T231320Z"]);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_secret_is_not_taken_for_a_wrong_clock() {
    let bench = Bench::new(|_, _| {
        answer(403, &[("date", "Tue, 14 Nov 2023 22:13:21 GMT")], "<Error><Code>SignatureDoesNotMatch</Code></Error>")
    });
    let error = bench.client.send(&put(b"x")).await.unwrap_err();
    assert_eq!((error.kind, bench.seen().len()), (Kind::Auth, 1));
}

#[tokio::test(start_paused = true)]
async fn a_bucket_elsewhere_is_found_there_and_its_region_remembered() {
    let aws = Endpoint::aws(Addressing::Auto);
    let bench = Bench::with(aws, |_, request| match request.origin.as_str() {
        "https://bucket.s3.eu-west-1.amazonaws.com" => answer(200, &[("content-length", "5")], ""),
        _ => answer(301, &[("x-amz-bucket-region", "eu-west-1")], ""),
    });
    let head = HeadObject { bucket: "bucket".into(), key: "k".into(), ..HeadObject::default() };
    bench.client.send(&head).await.unwrap();
    bench.client.send(&head).await.unwrap();
    assert_eq!(bench.seen().len(), 3);
    let authorization = bench.header("authorization").pop().unwrap().unwrap();
    assert!(authorization.contains("/eu-west-1/s3/"), "{authorization}");
}

#[tokio::test(start_paused = true)]
async fn a_region_that_leads_nowhere_is_named_and_not_followed_for_ever() {
    for region in ["us-east-1", "evil.example/"] {
        let bench = Bench::new(move |_, _| answer(301, &[("x-amz-bucket-region", region)], ""));
        let error = bench.client.send(&put(b"x")).await.unwrap_err();
        assert_eq!((error.code.as_str(), bench.seen().len()), ("PermanentRedirect", 1));
        assert!(error.message.contains(region), "{}", error.message);
    }
}

#[tokio::test(start_paused = true)]
async fn a_kept_alive_connection_that_was_closed_costs_neither_an_attempt_nor_time() {
    let bench = Bench::new(|number, _| match number {
        1..=3 => Step::Fail(HttpErrorKind::Closed),
        _ => answer(200, &[], ""),
    });
    let started = Instant::now();
    bench.client.send(&put(b"x")).await.unwrap();
    assert_eq!((started.elapsed(), bench.seen().len()), (Duration::ZERO, 4));
}

#[tokio::test(start_paused = true)]
async fn failures_that_would_come_again_are_not_retried() {
    for (kind, code, requests) in [
        (HttpErrorKind::Tls, "Tls", 1),
        (HttpErrorKind::Refused, "Refused", 1),
        (HttpErrorKind::Resolve, "ConnectFailed", 3),
        (HttpErrorKind::Connect, "ConnectFailed", 8),
    ] {
        let bench = Bench::new(move |_, _| Step::Fail(kind));
        let error = bench.client.send(&put(b"x")).await.unwrap_err();
        assert_eq!((error.code.as_str(), bench.seen().len()), (code, requests));
        assert_eq!(error.attempts as usize, requests);
    }
}

#[tokio::test(start_paused = true)]
async fn bytes_damaged_on_the_way_are_sent_once_more() {
    let bench = Bench::new(|_, _| error(400, "BadDigest"));
    let error = bench.client.send(&put(b"x")).await.unwrap_err();
    assert_eq!((error.code.as_str(), bench.seen().len(), error.request_id.as_deref()), ("BadDigest", 2, Some("REQ")));
}

fn head_of(etag: &'static str, size: &'static str) -> Step {
    answer(200, &[("etag", etag), ("content-length", size)], "")
}

#[tokio::test(start_paused = true)]
async fn a_lost_complete_is_settled_by_the_object_it_left() {
    let bench = Bench::new(|number, _| match number {
        1 => Step::Fail(HttpErrorKind::Timeout),
        2 => error(404, "NoSuchUpload"),
        _ => head_of(COMPLETE_ETAG, "5"),
    });
    let put = bench.client.send(&complete()).await.unwrap();
    assert_eq!(put.etag.unwrap().quoted(), COMPLETE_ETAG);
    assert_eq!(bench.lines(), ["POST /b/k?uploadId=u", "POST /b/k?uploadId=u", "HEAD /b/k"]);
}

#[tokio::test(start_paused = true)]
async fn a_lost_complete_that_nothing_proves_has_an_unknown_outcome() {
    for last in [("\"other\"", "5"), (COMPLETE_ETAG, "6")] {
        let bench = Bench::new(move |number, _| match number {
            1 => error(500, "InternalError"),
            2 => error(404, "NoSuchUpload"),
            _ => head_of(last.0, last.1),
        });
        assert_eq!(bench.client.send(&complete()).await.unwrap_err().code, "UnknownOutcome");
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflict_of_conditional_writes_is_retried_but_not_where_it_ends_the_upload() {
    let conflict = |number| if number == 1 { error(409, "ConditionalRequestConflict") } else { answer(200, &[], "") };
    let bench = Bench::new(move |number, _| conflict(number));
    bench.client.send(&PutObject { condition: WriteCondition::Absent, ..put(b"x") }).await.unwrap();
    let bench = Bench::new(move |number, _| conflict(number));
    let error = bench.client.send(&complete()).await.unwrap_err();
    assert_eq!((error.code.as_str(), bench.seen().len()), ("ConditionalRequestConflict", 1));
}

#[tokio::test(start_paused = true)]
async fn an_upload_that_never_was_is_simply_missing() {
    let bench = Bench::new(|_, _| error(404, "NoSuchUpload"));
    let error = bench.client.send(&complete()).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.kind, bench.seen().len()), ("NoSuchUpload", Kind::NotFound, 1));
    let abort = AbortMultipartUpload { bucket: "b".into(), key: "k".into(), upload_id: "u".into() };
    bench.client.send(&abort).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn our_own_write_is_recognised_behind_a_failed_condition() {
    let md5 = "\"9dd4e461268c8034f5c8564e155c67a6\"";
    for (etag, ok) in [(md5, true), ("\"ffffffffffffffffffffffffffffffff\"", false)] {
        let bench = Bench::new(move |number, _| match number {
            1 => Step::Fail(HttpErrorKind::Timeout),
            2 => error(412, "PreconditionFailed"),
            _ => head_of(etag, "1"),
        });
        let put = PutObject { condition: WriteCondition::Absent, ..put(b"x") };
        let result = bench.client.send(&put).await;
        assert_eq!(result.map_err(|error| error.code).err(), (!ok).then(|| "PreconditionFailed".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_condition_that_fails_at_once_is_the_answer() {
    let bench = Bench::new(|_, _| error(412, "PreconditionFailed"));
    let put = PutObject { condition: WriteCondition::Absent, ..put(b"x") };
    let error = bench.client.send(&put).await.unwrap_err();
    assert_eq!((error.kind, bench.seen().len()), (Kind::Precondition, 1));
}

#[tokio::test(start_paused = true)]
async fn a_bucket_made_by_an_attempt_whose_answer_was_lost_is_made() {
    let bench = Bench::new(|number, _| match number {
        1 => Step::Fail(HttpErrorKind::Timeout),
        _ => error(409, "BucketAlreadyOwnedByYou"),
    });
    bench.client.send(&CreateBucket { bucket: "b".into() }).await.unwrap();
    let error = bench.client.send(&CreateBucket { bucket: "b".into() }).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.kind), ("BucketAlreadyOwnedByYou", Kind::Precondition));
}

#[tokio::test(start_paused = true)]
async fn off_aws_the_body_is_signed_and_no_header_is_sent_that_stores_refuse() {
    let bench = Bench::new(|_, _| answer(200, &[], ""));
    assert_eq!(bench.client.upload_checksum(), None);
    bench.client.send(&put(b"x")).await.unwrap();
    let request = &bench.seen()[0];
    let sha256 = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    assert_eq!(request.headers["x-amz-content-sha256"], sha256);
    let names: Vec<&str> = request.headers.keys().map(http::HeaderName::as_str).collect();
    assert!(names.iter().all(|name| !name.contains("checksum") && !name.contains("trailer")), "{names:?}");
}

#[tokio::test(start_paused = true)]
async fn on_aws_a_checksum_header_proves_the_body() {
    let bench = Bench::with(Endpoint::aws(Addressing::Auto), |_, _| answer(200, &[], ""));
    let checksum = bench.client.upload_checksum().map(|algorithm| Checksum::of(algorithm, b"x"));
    assert_eq!(bench.client.upload_checksum(), Some(Algorithm::Crc64Nvme));
    bench.client.send(&PutObject { checksum, ..put(b"x") }).await.unwrap();
    let request = &bench.seen()[0];
    assert_eq!(request.headers["x-amz-content-sha256"], "UNSIGNED-PAYLOAD");
    assert!(request.headers.contains_key("x-amz-checksum-crc64nvme"));
}

#[tokio::test(start_paused = true)]
async fn names_that_would_address_something_else_are_never_sent() {
    let bench = Bench::new(|_, _| answer(200, &[], ""));
    for (bucket, key) in [("b", ""), ("", "k"), ("..", "k"), ("a/b", "k")] {
        let put = PutObject { bucket: bucket.into(), key: key.into(), ..put(b"x") };
        assert_eq!(bench.client.send(&put).await.unwrap_err().code, "Refused");
    }
    assert!(bench.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn odd_keys_are_addressed_exactly() {
    let bench = Bench::new(|_, _| answer(200, &[], ""));
    for key in ["../other/x", "a//b", "/lead", "%2e%2e/x", "a?b#c", "a\n\u{1}é"] {
        bench.client.send(&PutObject { key: key.into(), ..put(b"x") }).await.unwrap();
    }
    let expected = [
        "PUT /b/../other/x",
        "PUT /b/a//b",
        "PUT /b//lead",
        "PUT /b/%252e%252e/x",
        "PUT /b/a%3Fb%23c",
        "PUT /b/a%0A%01%C3%A9",
    ];
    assert_eq!(bench.lines(), expected);
}
