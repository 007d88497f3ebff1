//! The HTTP server: accepts connections, and does to each request what latency, throttle and faults ask for, around the operation.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, SERVER};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use s3s::Body;
use s3s::service::S3Service;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::auth::{Asked, Ours};
use super::error::ApiError;
use super::faults::{Fault, Faults};
use super::latency::LatencySpec;
use super::operation::Operation;
use super::ops::Reply;
use super::request_log::{Entry, RequestLog};
use super::target::{Query, Target};
use super::throttle::Throttle;
use super::wire::{Arriving, Connection, Leaving};
use super::{auth, xml};

/// How long open requests may go on after the end was asked for.
const GRACE: Duration = Duration::from_secs(2);

/// What all connections share.
pub(super) struct Server {
    pub(super) service: S3Service,
    pub(super) latency: LatencySpec,
    pub(super) throttle: Throttle,
    pub(super) faults: Faults,
    pub(super) log: Option<Arc<RequestLog>>,
}

/// Ends a connection without an answer.
#[derive(Debug)]
struct Hangup;

impl fmt::Display for Hangup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection is to be closed")
    }
}

impl std::error::Error for Hangup {}

impl Server {
    /// Serves until `shutdown` completes, and a moment longer.
    pub(super) async fn serve(self: Arc<Self>, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let graceful = GracefulShutdown::new();
        let mut connections = JoinSet::new();
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => self.connect(stream, &graceful, &mut connections),
                    // Out of descriptors: others must close theirs first.
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                },
                Some(_) = connections.join_next() => {}
            }
        }
        drop(listener);
        // Whoever is not done by then is cut off as the set is dropped.
        let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
    }

    fn connect(self: &Arc<Self>, stream: TcpStream, graceful: &GracefulShutdown, connections: &mut JoinSet<()>) {
        // Answers are written whole; waiting for more would only delay them.
        let _ = stream.set_nodelay(true);
        let reset = Arc::new(AtomicBool::new(false));
        let io = TokioIo::new(Connection { stream, reset: Arc::clone(&reset) });
        let server = Arc::clone(self);
        let service = service_fn(move |request| Arc::clone(&server).handle(request, Arc::clone(&reset)));
        let connection =
            http1::Builder::new().timer(TokioTimer::new()).header_read_timeout(None).serve_connection(io, service);
        let connection = graceful.watch(connection);
        connections.spawn(async move {
            // A connection that breaks concerns its client only.
            let _ = connection.await;
        });
    }

    async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        reset: Arc<AtomicBool>,
    ) -> Result<Response<Leaving>, Hangup> {
        let started = Instant::now();
        let head = request.method() == Method::HEAD;
        let asked = ask(&request);
        let (number, fault) = self.faults.next(asked.operation);
        let mut entry = Entry::new(self.log.clone(), asked.clone(), started);
        entry.fault = fault.as_ref().map(Fault::name);
        if fault == Some(Fault::Reset) {
            reset.store(true, Ordering::Release);
            return Err(Hangup);
        }
        let class = asked.operation.class(&asked.query);
        let tier = Operation::tier(request.method());
        let (parts, body) = request.into_parts();
        let body = Arriving::new(body, Arc::clone(&entry.bytes_in), self.latency.rate());
        let (response, units) = match refusal(&self.throttle, tier, fault.as_ref()) {
            Some(Refusal::Early(error)) => {
                let mut response = error_response(&error, &asked);
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                (response, 0.0)
            }
            Some(Refusal::Read(error, status)) => {
                drain(body).await;
                let mut response = error_response(&error, &asked);
                *response.status_mut() = status;
                (response, 0.0)
            }
            None => self.operate(Request::from_parts(parts, body), asked.clone()).await,
        };
        tokio::time::sleep_until((started + self.latency.delay(class, number, units)).into()).await;
        if fault == Some(Fault::Lost) {
            return Err(Hangup);
        }
        let response = finish(response, &asked, head);
        entry.status = response.status().as_u16();
        if let Some(Fault::Stall(time)) = &fault
            && http_body::Body::is_end_stream(response.body())
        {
            tokio::time::sleep(*time).await;
        }
        Ok(response.map(|body| Leaving::new(body, entry, self.latency.rate(), fault.as_ref())))
    }

    /// Checks the request and runs its operation.
    async fn operate(&self, request: Request<Arriving<Incoming>>, asked: Asked) -> (Response<Body>, f64) {
        let mut request = request.map(Body::http_body_unsync);
        request.extensions_mut().insert(asked.clone());
        let Ok(response) = self.service.call(request).await else {
            return (error_response(&ApiError::of("InternalError"), &asked), 0.0);
        };
        match response.extensions().get::<Ours>() {
            Some(ours) => {
                let units = ours.units;
                (response, units)
            }
            // The protocol layer's own errors have no ids and no resource.
            None => (error_response(&refused(response).await, &asked), 0.0),
        }
    }
}

/// What can be told about a request without checking it.
fn ask(request: &Request<Incoming>) -> Asked {
    let query = Query::parse(request.uri().query().unwrap_or_default());
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let path = request.uri().path();
    let target = match host.and_then(auth::bucket_of) {
        Some(bucket) => Target::parse(&format!("/{bucket}{path}")),
        None => Target::parse(path),
    };
    let target = target.unwrap_or(Target::Service);
    let operation = Operation::of(request.method(), &target, &query, request.headers());
    let request_id = format!("{:016X}", fastrand::u64(..));
    let host_id = STANDARD.encode(std::array::from_fn::<u8, 48, _>(|_| fastrand::u8(..)));
    Asked { operation, target, query, resource: path.to_owned(), request_id, host_id }
}

/// Why a request is answered without being looked at.
enum Refusal {
    /// At once.
    Early(ApiError),
    /// When its body was read, with a status of its own.
    Read(ApiError, StatusCode),
}

fn refusal(throttle: &Throttle, tier: super::throttle::Tier, fault: Option<&Fault>) -> Option<Refusal> {
    let (error, status) = match fault {
        Some(Fault::Early) => return Some(Refusal::Early(ApiError::of("SlowDown"))),
        Some(Fault::Status(status, code)) => {
            let error = ApiError::of_status(*status, code.as_deref());
            let status = error.status();
            (error, status)
        }
        Some(Fault::OkError(code)) => {
            (ApiError::of(code.clone().unwrap_or_else(|| "InternalError".into())), StatusCode::OK)
        }
        _ if throttle.admit(tier, Instant::now()) => return None,
        _ => (ApiError::of("SlowDown"), StatusCode::SERVICE_UNAVAILABLE),
    };
    Some(Refusal::Read(error, status))
}

async fn drain(mut body: Arriving<Incoming>) {
    while let Some(Ok(_)) = body.frame().await {}
}

fn error_response(error: &ApiError, asked: &Asked) -> Response<Body> {
    let reply = Reply::error(error, &asked.resource, &asked.request_id, &asked.host_id);
    let mut response = Response::new(reply.body);
    *response.status_mut() = reply.status;
    *response.headers_mut() = reply.headers;
    response
}

/// The error the protocol layer answered, read back from its document.
async fn refused(response: Response<Body>) -> ApiError {
    let status = response.status().as_u16();
    let document = response.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let document = xml::Element::parse(&document);
    let text = |name: &str| document.as_ref().and_then(|root| root.value(name)).map(str::to_owned);
    let error = ApiError::of_status(status, text("Code").as_deref());
    match text("Message") {
        Some(message) => error.message(message),
        None => error,
    }
}

/// What every answer has, and what one to HEAD must not have.
fn finish(mut response: Response<Body>, asked: &Asked, head: bool) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert(SERVER, HeaderValue::from_static("s3kit"));
    for (name, value) in [("x-amz-request-id", &asked.request_id), ("x-amz-id-2", &asked.host_id)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    let bodiless = response.status() == StatusCode::NO_CONTENT || response.status() == StatusCode::NOT_MODIFIED;
    if head && !response.status().is_success() || bodiless {
        response.headers_mut().remove(CONTENT_LENGTH);
        response.headers_mut().remove(http::header::CONTENT_TYPE);
    }
    if head || bodiless {
        *response.body_mut() = Body::empty();
    }
    response
}
