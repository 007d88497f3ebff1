//! The request log: one JSON line for each request, when it is over.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use jiff::Timestamp;
use serde::Serialize;

use super::auth::Asked;

/// The file, appended to line by line.
#[derive(Debug)]
pub(super) struct RequestLog(Mutex<File>);

impl RequestLog {
    /// Opens or creates the file.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(Mutex::new(OpenOptions::new().create(true).append(true).open(path)?)))
    }

    fn write(&self, line: &Line<'_>) {
        let Ok(mut text) = serde_json::to_vec(line) else { return };
        text.push(b'\n');
        // A log that cannot be written must not stop the endpoint; the reader finds lines missing.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(&text);
    }
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    time: String,
    operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bucket: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part_number: Option<u32>,
    /// 0 if no answer was sent.
    status: u16,
    bytes_in: u64,
    bytes_out: u64,
    ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'a str>,
    request_id: &'a str,
}

/// A request that is being served; the line is written when this is dropped.
#[derive(Debug)]
pub(super) struct Entry {
    log: Option<Arc<RequestLog>>,
    started: Instant,
    time: Timestamp,
    asked: Asked,
    /// The status that was sent; 0 until then.
    pub(super) status: u16,
    /// Bytes of the request's body, as they came over the wire.
    pub(super) bytes_in: Arc<AtomicU64>,
    /// Bytes of the answer's body.
    pub(super) bytes_out: u64,
    /// The fault that was injected.
    pub(super) fault: Option<String>,
}

impl Entry {
    /// A request that begins now.
    pub(super) fn new(log: Option<Arc<RequestLog>>, asked: Asked, started: Instant) -> Self {
        let bytes_in = Arc::new(AtomicU64::new(0));
        Self { log, started, time: Timestamp::now(), asked, status: 0, bytes_in, bytes_out: 0, fault: None }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let Some(log) = &self.log else { return };
        log.write(&Line {
            time: self.time.to_string(),
            operation: self.asked.operation.as_str(),
            bucket: self.asked.target.bucket(),
            key: self.asked.target.key(),
            version_id: self.asked.query.get("versionId"),
            part_number: self.asked.query.get("partNumber").and_then(|number| number.parse().ok()),
            status: self.status,
            bytes_in: self.bytes_in.load(Ordering::Relaxed),
            bytes_out: self.bytes_out,
            ms: (self.started.elapsed().as_secs_f64() * 1e6).round() / 1e3,
            fault: self.fault.as_deref(),
            request_id: &self.asked.request_id,
        });
    }
}
