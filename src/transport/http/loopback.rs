//! The real client against a server of a few lines: what goes over the wire, byte by byte.
#![allow(clippy::unwrap_used)]

use super::{Http, HttpConfig, HttpErrorKind, Patience, Progress, Request, Response, client};
use bytes::Bytes;
use http::{HeaderMap, Method};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does once it has read the head of a request (and its body, if it answers).
#[derive(Clone, Copy)]
enum Manner {
    /// Answers with these bytes and keeps the connection.
    Answer(&'static str),
    /// Answers with these bytes and closes.
    AnswerAndClose(&'static str),
    /// Closes without a word.
    Close,
    /// Reads nothing more and says nothing.
    Freeze,
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A server and the heads of the requests it saw; the number of connections comes with each.
async fn serve(manner: Manner) -> (String, Arc<Mutex<Vec<(usize, String)>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    tokio::spawn(async move {
        let mut connections = 0;
        while let Ok((stream, _)) = listener.accept().await {
            connections += 1;
            tokio::spawn(converse(stream, connections, manner, log.clone()));
        }
    });
    (origin, seen)
}

async fn converse(mut stream: TcpStream, number: usize, manner: Manner, log: Arc<Mutex<Vec<(usize, String)>>>) {
    while let Some((head, early)) = head(&mut stream).await {
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        log.lock().unwrap().push((number, head));
        if let Manner::Freeze = manner {
            return std::future::pending().await;
        }
        let mut rest = vec![0; length.unwrap_or(0).saturating_sub(early)];
        stream.read_exact(&mut rest).await.unwrap();
        match manner {
            Manner::Answer(text) => stream.write_all(text.as_bytes()).await.unwrap(),
            Manner::AnswerAndClose(text) => return stream.write_all(text.as_bytes()).await.unwrap(),
            Manner::Close | Manner::Freeze => return,
        }
    }
}

/// Reads a head in lower case but for its first line, and how many bytes of body came with it.
async fn head(stream: &mut TcpStream) -> Option<(String, usize)> {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            return Some((String::from_utf8(bytes[..end].to_vec()).unwrap(), bytes.len() - end - 4));
        }
    }
}

fn request(origin: &str, method: Method, target: &str, body: Vec<Bytes>) -> Request {
    let mut headers = HeaderMap::new();
    if method == Method::PUT {
        let length: usize = body.iter().map(Bytes::len).sum();
        headers.insert("content-length", length.into());
    }
    Request {
        method,
        origin: origin.into(),
        target: target.into(),
        headers,
        body,
        patience: Patience::Flow,
        progress: Arc::new(Progress::default()),
    }
}

fn http() -> Arc<dyn Http> {
    let config = HttpConfig { read_timeout: Duration::from_millis(400), ..HttpConfig::default() };
    client(&config).unwrap()
}

async fn text(mut response: Response) -> Result<String, HttpErrorKind> {
    let mut body = Vec::new();
    while let Some(chunk) = response.body.chunk().await.map_err(|error| error.kind)? {
        body.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn every_target_arrives_as_it_was_signed() {
    let (origin, seen) = serve(Manner::Answer(OK)).await;
    let http = http();
    let targets = [
        "/b/../other/x",
        "/b/./x",
        "/b/%2e%2E/x",
        "/b/a/..",
        "/b//lead//x",
        "/b/a%20b%2Bc%27?prefix=%27a%20b&list-type=2",
        "/b/%00%0A%F0%9F%98%80",
        "/b/k?uploads",
        "/",
        "/b/a%5Cb%7C%22",
    ];
    for target in targets {
        let answer = http.execute(request(&origin, Method::GET, target, Vec::new())).await.unwrap();
        assert_eq!(text(answer).await.unwrap(), "ok");
    }
    let lines: Vec<String> = seen.lock().unwrap().iter().map(|(_, head)| head.lines().next().unwrap().into()).collect();
    assert_eq!(lines, targets.map(|target| format!("GET {target} HTTP/1.1")));
}

#[tokio::test]
async fn a_target_that_cannot_be_sent_as_signed_is_refused_unsent() {
    let (origin, seen) = serve(Manner::Answer(OK)).await;
    for target in ["/b/a#b", "/b/a b"] {
        let error = http().execute(request(&origin, Method::GET, target, Vec::new())).await.unwrap_err();
        assert_eq!(error.kind, HttpErrorKind::Refused, "{target}");
    }
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_body_of_pieces_has_its_length_and_no_header_is_added_that_stores_mind() {
    let (origin, seen) = serve(Manner::Answer(OK)).await;
    let body = vec![Bytes::from(vec![1; 300_000]), Bytes::from_static(b"end")];
    for target in ["/b/k", "/b/../k"] {
        http().execute(request(&origin, Method::PUT, target, body.clone())).await.unwrap();
        http().execute(request(&origin, Method::PUT, target, Vec::new())).await.unwrap();
    }
    let seen = seen.lock().unwrap();
    for (place, (_, head)) in seen.iter().enumerate() {
        let expected = if place % 2 == 0 { "content-length: 300003" } else { "content-length: 0" };
        assert!(head.contains(expected), "{head}");
        for absent in ["transfer-encoding", "accept-encoding", "expect"] {
            assert!(!head.to_lowercase().contains(absent), "{head}");
        }
        assert!(head.contains("user-agent: s3kit/"), "{head}");
    }
}

#[tokio::test]
async fn one_connection_serves_one_request_after_the_other() {
    let (origin, seen) = serve(Manner::Answer(OK)).await;
    let http = http();
    for _ in 0..5 {
        text(http.execute(request(&origin, Method::GET, "/b/k", Vec::new())).await.unwrap()).await.unwrap();
    }
    assert!(seen.lock().unwrap().iter().all(|(connection, _)| *connection == 1));
}

#[tokio::test]
async fn redirects_are_answers_and_encodings_are_bytes() {
    let moved = "HTTP/1.1 307 Moved\r\nlocation: /elsewhere\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nraw";
    let (origin, seen) = serve(Manner::Answer(moved)).await;
    let answer = http().execute(request(&origin, Method::GET, "/b/k", Vec::new())).await.unwrap();
    assert_eq!(answer.status, 307);
    assert_eq!(text(answer).await.unwrap(), "raw");
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn ways_to_break_off_are_told_apart() {
    let short = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort";
    let table = [
        (Manner::Close, Err(HttpErrorKind::Closed)),
        (Manner::Freeze, Err(HttpErrorKind::Timeout)),
        (Manner::AnswerAndClose("HTTP/1.1 200 OK\r\nx: "), Err(HttpErrorKind::Closed)),
        (Manner::AnswerAndClose("SSH-2.0-server\r\n\r\n"), Err(HttpErrorKind::Protocol)),
        (Manner::AnswerAndClose(short), Err(HttpErrorKind::Incomplete)),
        (Manner::Answer(short), Err(HttpErrorKind::Timeout)),
        (Manner::AnswerAndClose(OK), Ok("ok".to_owned())),
    ];
    for target in ["/b/k", "/b/../k"] {
        for (place, (manner, expected)) in table.iter().enumerate() {
            let (origin, _) = serve(*manner).await;
            let result = match http().execute(request(&origin, Method::GET, target, Vec::new())).await {
                Ok(answer) => text(answer).await,
                Err(error) => Err(error.kind),
            };
            assert_eq!(&result, expected, "{place} {target}");
        }
    }
}

#[tokio::test]
async fn a_server_that_stops_reading_is_noticed_by_the_body_left_over() {
    let (origin, _) = serve(Manner::Freeze).await;
    let started = Instant::now();
    let body = vec![Bytes::from(vec![0; 64 << 20])];
    let error = http().execute(request(&origin, Method::PUT, "/b/k", body)).await.unwrap_err();
    assert!(error.kind == HttpErrorKind::Timeout && error.message.contains("takes no more"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn nobody_there_and_no_such_host_are_told_apart() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = http().execute(request(&format!("http://{free}"), Method::GET, "/b/k", Vec::new())).await.unwrap_err();
    assert_eq!(error.kind, HttpErrorKind::Connect, "{error}");
    let error = http().execute(request("http://nowhere.invalid", Method::GET, "/b/k", Vec::new())).await.unwrap_err();
    assert_eq!(error.kind, HttpErrorKind::Resolve, "{error}");
}

#[tokio::test]
async fn plain_speech_where_tls_was_due_is_a_tls_failure() {
    let (origin, _) = serve(Manner::AnswerAndClose("HTTP/1.1 400 Bad Request\r\n\r\n")).await;
    let origin = origin.replace("http://", "https://");
    let error = http().execute(request(&origin, Method::GET, "/b/k", Vec::new())).await.unwrap_err();
    assert!(matches!(error.kind, HttpErrorKind::Tls | HttpErrorKind::Timeout), "{:?} {error}", error.kind);
}

#[test]
fn a_ca_bundle_without_a_certificate_is_refused_at_the_start() {
    for bundle in [&b""[..], b"no pem", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let config = HttpConfig { ca_bundle: Some(bundle.to_vec()), ..HttpConfig::default() };
        assert!(client(&config).unwrap_err().starts_with("CA bundle: "));
    }
}
