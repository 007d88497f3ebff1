//! A store that answers by script, under the real client's time limits.

use crate::model::stats::Stats;
use crate::s3::client::Ambient;
use crate::s3::credentials::Credentials;
use crate::s3::endpoint::{Addressing, Endpoint};
use crate::s3::{Client, Config, Payload};
use crate::transport::governor::Governor;
use crate::transport::http::watch::Watched;
use crate::transport::http::{Body, Http, HttpConfig, HttpError, HttpErrorKind, Request, Response};
use crate::transport::retry::RetryPolicy;
use bytes::Bytes;
use futures_util::stream;
use http::HeaderMap;
use http_body::Frame;
use http_body_util::StreamBody;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the store does with one request.
pub(super) enum Step {
    /// Answers.
    Answer(u16, HeaderMap, Vec<Piece>),
    /// The connection fails.
    Fail(HttpErrorKind),
    /// Takes so many bytes of the body, then nothing more.
    Hang(u64),
}

/// A piece of an answer's body.
#[derive(Clone)]
pub(super) enum Piece {
    Bytes(Bytes),
    Wait(Duration),
    Break,
}

/// An answer with headers and a body; a `content-length` is added if `None` is given.
pub(super) fn answer(status: u16, headers: &[(&'static str, &str)], body: impl Into<Bytes>) -> Step {
    let body = body.into();
    let length = body.len().to_string();
    let mut map = map(headers);
    map.entry("content-length").or_insert(length.parse().unwrap());
    Step::Answer(status, map, vec![Piece::Bytes(body)])
}

/// An error document.
pub(super) fn error(status: u16, code: &str) -> Step {
    answer(status, &[("x-amz-request-id", "REQ")], format!("<Error><Code>{code}</Code><Message>m</Message></Error>"))
}

pub(super) fn map(headers: &[(&'static str, &str)]) -> HeaderMap {
    headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
}

type Script = dyn FnMut(usize, &Request) -> Step + Send;

/// The scripted store.
pub(super) struct Store {
    script: Mutex<Box<Script>>,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

#[async_trait::async_trait]
impl Http for Store {
    async fn execute(&self, request: Request) -> Result<Response, HttpError> {
        let number = {
            let mut seen = self.seen.lock().unwrap();
            seen.push(request.clone());
            seen.len()
        };
        let step = (self.script.lock().unwrap())(number, &request);
        match step {
            Step::Answer(status, headers, pieces) => Ok(Response { status, headers, body: body(pieces) }),
            Step::Fail(kind) => Err(HttpError::new(kind, format!("{kind:?}"))),
            Step::Hang(taken) => {
                request.progress.add(taken);
                std::future::pending().await
            }
        }
    }
}

fn body(pieces: Vec<Piece>) -> Body {
    let pieces = stream::unfold(pieces.into_iter(), |mut pieces| async {
        loop {
            match pieces.next()? {
                Piece::Bytes(bytes) => return Some((Ok(Frame::data(bytes)), pieces)),
                Piece::Wait(time) => tokio::time::sleep(time).await,
                Piece::Break => {
                    return Some((Err(HttpError::new(HttpErrorKind::Incomplete, "connection reset by peer")), pieces));
                }
            }
        }
    });
    Body::new(StreamBody::new(Box::pin(pieces)))
}

/// A client of a scripted store, and what the store saw.
pub(super) struct Bench {
    pub(super) client: Client,
    pub(super) stats: Arc<Stats>,
    pub(super) governor: Arc<Governor>,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Bench {
    pub(super) fn new(script: impl FnMut(usize, &Request) -> Step + Send + 'static) -> Self {
        Self::with(Endpoint::custom("http://store", Addressing::Auto).unwrap(), script)
    }

    pub(super) fn with(endpoint: Endpoint, script: impl FnMut(usize, &Request) -> Step + Send + 'static) -> Self {
        let seen = Arc::new(Mutex::default());
        let store = Store { script: Mutex::new(Box::new(script)), seen: Arc::clone(&seen) };
        let http = Arc::new(Watched::new(store, &HttpConfig::default()));
        let (governor, stats) = (Governor::new(8, 8), Arc::new(Stats::new()));
        let config = Config {
            endpoint,
            region: "us-east-1".into(),
            credentials: Credentials::fixed("AKID", "SECRET", None, "test"),
            retry: RetryPolicy::default(),
            request_payer: false,
            expected_bucket_owner: None,
            payload: Payload::Auto,
        };
        let ambient = Ambient { now: || std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000), random: || 0.5 };
        let client = Client::with_ambient(config, http, Arc::clone(&governor), Arc::clone(&stats), ambient);
        Self { client, stats, governor, seen }
    }

    /// Requests the store saw.
    pub(super) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    /// Method and target of each request.
    pub(super) fn lines(&self) -> Vec<String> {
        self.seen().iter().map(|request| format!("{} {}", request.method, request.target)).collect()
    }

    /// One header of each request.
    pub(super) fn header(&self, name: &str) -> Vec<Option<String>> {
        let value = |request: &Request| request.headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        self.seen().iter().map(value).collect()
    }
}
