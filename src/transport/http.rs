//! One HTTP exchange: the trait every client implements, and the request, answer and failure it speaks in.
//!
//! A request carries its path and query exactly as they were signed; an implementation either sends those bytes or refuses. Which
//! library sends them is decided in [`real`]; time limits are laid over any implementation by [`watch`].

mod body;
mod failure;
#[cfg(test)]
mod loopback;
mod real;
mod tls;
pub mod watch;

pub use body::{Body, Progress, RequestBody};
pub use failure::{HttpError, HttpErrorKind};

use ::http::{HeaderMap, Method};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;

/// One HTTP client. Never follows redirects, never decodes content, never retries.
#[async_trait::async_trait]
pub trait Http: std::fmt::Debug + Send + Sync + 'static {
    /// Sends a request and waits for the head of its answer.
    async fn execute(&self, request: Request) -> Result<Response, HttpError>;
}

/// A request, whole and replayable.
#[derive(Debug, Clone)]
pub struct Request {
    /// Method.
    pub method: Method,
    /// `scheme://host[:port]`.
    pub origin: String,
    /// Path and query exactly as signed: starts with `/`, percent-encoded.
    pub target: String,
    /// All headers but `host`, which is the origin's.
    pub headers: HeaderMap,
    /// The body in order; its pieces are sent without being joined.
    pub body: Vec<Bytes>,
    /// How long silence is borne, and whether slowness is.
    pub patience: Patience,
    /// Where the sender of the body leaves its mark.
    pub progress: Arc<Progress>,
}

/// How much waiting one request deserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patience {
    /// The answer is made at once; the usual limit of silence.
    #[default]
    Usual,
    /// The store works before it answers (it copies or joins objects): five times the usual silence.
    Long,
    /// Content flows: besides the usual limit of silence, a minimum speed.
    Flow,
}

/// Head of an answer, and its body still to be read.
#[derive(Debug)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Body,
}

/// Time limits and roots of trust.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    /// Limit for name resolution, TCP and TLS together.
    pub connect_timeout: Duration,
    /// Longest silence of a connection that owes us bytes, or that does not take ours.
    pub read_timeout: Duration,
    /// Bytes per second under which, over `read_timeout`, content counts as stalled; 0 turns the check off.
    pub min_speed: u64,
    /// PEM roots used instead of the system's.
    pub ca_bundle: Option<Vec<u8>>,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            read_timeout: Duration::from_secs(20),
            min_speed: 1024,
            ca_bundle: None,
        }
    }
}

/// The real client, with the limits of `config`. Cheap: TLS is set up by the first request that needs it, except that a `ca_bundle`
/// is read here, so that a broken one is reported at the start.
pub fn client(config: &HttpConfig) -> Result<Arc<dyn Http>, String> {
    Ok(Arc::new(watch::Watched::new(real::Real::new(config)?, config)))
}
