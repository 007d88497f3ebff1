//! The real client: reqwest, and hyper-util for the targets that reqwest's `Url` would rewrite.
//!
//! `Url` removes dot segments, in any spelling, so that a key `../x` would address another bucket. [`Real::execute`] is the one place
//! that chooses; whatever it chooses, a target that is not the signed one is refused before anything is sent.

use super::failure::{HttpError, HttpErrorKind};
use super::{Body, Http, HttpConfig, Request, RequestBody, Response, tls};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use std::sync::OnceLock;
use std::time::Duration;

/// Stores close idle connections after about five seconds; reusing one later is a race that we lose.
const POOL_IDLE: Duration = Duration::from_secs(4);

const AGENT: &str = concat!("s3kit/", env!("CARGO_PKG_VERSION"));

type Exact = HyperClient<HttpsConnector<HttpConnector>, RequestBody>;

/// reqwest for everything, hyper-util for the odd path; each made when first needed.
#[derive(Debug)]
pub(super) struct Real {
    connect_timeout: Duration,
    roots: Option<RootCertStore>,
    tls: OnceLock<Result<ClientConfig, String>>,
    plain: OnceLock<Result<reqwest::Client, String>>,
    secure: OnceLock<Result<reqwest::Client, String>>,
    exact: OnceLock<Result<Exact, String>>,
}

impl Real {
    pub(super) fn new(config: &HttpConfig) -> Result<Self, String> {
        Ok(Self {
            connect_timeout: config.connect_timeout,
            roots: config.ca_bundle.as_deref().map(tls::roots).transpose()?,
            tls: OnceLock::new(),
            plain: OnceLock::new(),
            secure: OnceLock::new(),
            exact: OnceLock::new(),
        })
    }

    fn tls(&self) -> Result<ClientConfig, String> {
        self.tls.get_or_init(|| tls::config(self.roots.as_ref())).clone()
    }

    /// reqwest for this scheme. Plain HTTP gets a client without the system's roots: reading them takes longer than a request.
    fn reqwest(&self, secure: bool) -> Result<&reqwest::Client, HttpError> {
        let made = if secure {
            self.secure.get_or_init(|| self.build_reqwest(self.tls()?))
        } else {
            self.plain.get_or_init(|| self.build_reqwest(tls::nobody()?))
        };
        made.as_ref().map_err(|message| HttpError::new(HttpErrorKind::Tls, message.clone()))
    }

    fn build_reqwest(&self, tls: ClientConfig) -> Result<reqwest::Client, String> {
        reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .tcp_nodelay(true)
            .pool_idle_timeout(POOL_IDLE)
            .connect_timeout(self.connect_timeout)
            .build()
            .map_err(|error| error.to_string())
    }

    fn exact(&self) -> Result<&Exact, HttpError> {
        let made = self.exact.get_or_init(|| self.build_exact());
        made.as_ref().map_err(|message| HttpError::new(HttpErrorKind::Tls, message.clone()))
    }

    fn build_exact(&self) -> Result<Exact, String> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(Duration::from_secs(15)));
        tcp.set_connect_timeout(Some(self.connect_timeout));
        let connector =
            hyper_rustls::HttpsConnectorBuilder::new().with_tls_config(self.tls()?).https_or_http().enable_http1();
        Ok(HyperClient::builder(TokioExecutor::new())
            .pool_idle_timeout(POOL_IDLE)
            .pool_timer(TokioTimer::new())
            .retry_canceled_requests(false)
            .build(connector.wrap_connector(tcp)))
    }

    async fn by_reqwest(&self, url: reqwest::Url, request: Request) -> Result<Response, HttpError> {
        let client = self.reqwest(url.scheme() == "https")?;
        let mut out = reqwest::Request::new(request.method, url);
        *out.headers_mut() = request.headers;
        if !request.body.is_empty() {
            *out.body_mut() = Some(reqwest::Body::wrap(RequestBody::new(request.body, request.progress)));
        }
        let answer = client.execute(out).await.map_err(|error| {
            let connecting = error.is_connect();
            HttpError::of_exchange(error.without_url().into(), connecting)
        })?;
        Ok(response(answer.into()))
    }

    async fn by_hyper(&self, request: Request) -> Result<Response, HttpError> {
        let uri = exact_uri(&request)?;
        if Matcher::from_system().intercept(&uri).is_some() {
            return Err(HttpError::new(
                HttpErrorKind::Refused,
                "this key's path must be sent exactly as it is, which cannot be done through a proxy",
            ));
        }
        let mut out = ::http::Request::new(RequestBody::new(request.body, request.progress));
        *out.method_mut() = request.method;
        *out.uri_mut() = uri;
        *out.headers_mut() = request.headers;
        let answer = self.exact()?.request(out).await.map_err(|error| {
            let connecting = error.is_connect();
            HttpError::of_exchange(error.into(), connecting)
        })?;
        Ok(response(answer))
    }
}

#[async_trait::async_trait]
impl Http for Real {
    async fn execute(&self, mut request: Request) -> Result<Response, HttpError> {
        let agent = ::http::HeaderValue::from_static(AGENT);
        request.headers.insert(::http::header::USER_AGENT, agent);
        let url = reqwest::Url::parse(&format!("{}{}", request.origin, request.target));
        match url {
            Ok(url) if is_target(&url, &request.target) => self.by_reqwest(url, request).await,
            _ => self.by_hyper(request).await,
        }
    }
}

fn response<B>(answer: ::http::Response<B>) -> Response
where
    B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (head, body) = answer.into_parts();
    Response { status: head.status.as_u16(), headers: head.headers, body: Body::new(body) }
}

/// Whether a parsed URL still says what was signed.
fn is_target(url: &reqwest::Url, target: &str) -> bool {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    url.path() == path && url.query() == query && url.fragment().is_none()
}

/// The request's URI for hyper, refused if it is not byte for byte the signed one.
fn exact_uri(request: &Request) -> Result<::http::Uri, HttpError> {
    let refused = |reason: String| HttpError::new(HttpErrorKind::Refused, format!("not sent: {reason}"));
    let uri = ::http::Uri::try_from(format!("{}{}", request.origin, request.target))
        .map_err(|error| refused(error.to_string()))?;
    match uri.path_and_query() {
        Some(sent) if sent.as_str() == request.target => Ok(uri),
        _ => Err(refused(format!("the path {} cannot be written as it was signed", request.target))),
    }
}
