//! One HTTP exchange: the trait, and its implementation over reqwest (hyper-util where a path must go byte-exact).
/// One HTTP client. Never follows redirects, never decodes content.
#[async_trait::async_trait]
pub trait Http: std::fmt::Debug + Send + Sync + 'static { /* WIRE */ }
/// Timeouts and roots.
#[derive(Debug, Clone)]
pub struct HttpConfig { pub connect_timeout: std::time::Duration, /// longest silence of a connection that owes us bytes
    pub read_timeout: std::time::Duration, /// bytes/s under which, over `read_timeout`, a transfer counts as stalled
    pub min_speed: u64, /// PEM roots used instead of the system's
    pub ca_bundle: Option<Vec<u8>> }
impl Default for HttpConfig { fn default() -> Self { Self { connect_timeout: std::time::Duration::from_secs(5), read_timeout: std::time::Duration::from_secs(20), min_speed: 1024, ca_bundle: None } } }
/// The real client.
pub fn client(_config: &HttpConfig) -> Result<std::sync::Arc<dyn Http>, String> { todo!() }
