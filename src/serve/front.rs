//! The front door: opens what the options ask for, puts the parts together, and serves.

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tokio::net::TcpListener;

use super::auth;
use super::faults::Faults;
use super::ops::Api;
use super::options::{Options, ServeError};
use super::request_log::RequestLog;
use super::server::Server;
use super::store::Store;
use super::synthetic::Synthetic;
use super::throttle::Throttle;

/// Serves until `shutdown` completes, then lets open requests finish for a moment and returns.
///
/// `on_ready` is called once with the address that is listened on, before the first request is accepted.
pub async fn run(
    options: Options,
    on_ready: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let store = Store::open(&options.store)?;
    let synthetic = options.synthetic.as_deref().map(Synthetic::parse).transpose().map_err(ServeError::Synthetic)?;
    let log = options.request_log.as_deref().map(open_log).transpose()?;
    let listen = |source| ServeError::Listen { address: options.listen, source };
    let listener = TcpListener::bind(options.listen).await.map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let api = Api { store, provider: options.provider, region: options.region.clone(), synthetic };
    let server = Server {
        service: auth::service(&options, Arc::new(api)),
        throttle: Throttle::new(&options.throttle, Instant::now()),
        latency: options.latency,
        faults: Faults::new(options.faults),
        log,
    };
    on_ready(address);
    Arc::new(server).serve(listener, shutdown).await;
    Ok(())
}

fn open_log(path: &Path) -> Result<Arc<RequestLog>, ServeError> {
    let log = RequestLog::open(path).map_err(|source| ServeError::RequestLog { path: path.to_owned(), source })?;
    Ok(Arc::new(log))
}
