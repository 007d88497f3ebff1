//! What a dry run of `cp` estimates: requests and dollars.

use super::Context;
use crate::engine::mover::Policy;
use crate::engine::{Destination, Job, Source};
use crate::model::{plan, units};
use std::collections::BTreeMap;
use std::fmt::Write;

/// `1 object`, `2 objects`.
#[must_use]
pub(super) fn objects(count: u64) -> String {
    if count == 1 { "1 object".into() } else { format!("{count} objects") }
}

/// What a run would send, added up job by job.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    jobs: u64,
    bytes: u64,
    unknown: u64,
    requests: BTreeMap<&'static str, u64>,
}

impl Estimate {
    /// Adds what one job would send.
    pub(super) fn add(&mut self, job: &Job, policy: &Policy) {
        self.jobs += 1;
        let size = match &job.source {
            Source::Object(record) => record.size,
            Source::File(path) => std::fs::metadata(path).ok().map(|metadata| metadata.len()),
            Source::Stdin | Source::Unreadable(_) => None,
        };
        self.unknown += u64::from(size.is_none());
        let size = size.unwrap_or(0);
        self.bytes += size;
        let parts = |part_size| plan::Plan::new(size, part_size).map_or(1, |plan| u64::from(plan.len()));
        match (&job.source, &job.destination) {
            (Source::Object(_), Destination::Object(_)) if size > policy.copy_threshold => {
                self.multipart("UploadPartCopy", parts(policy.copy_part_size));
                self.request("HeadObject", 1);
            }
            (Source::Object(_), Destination::Object(_)) => self.request("CopyObject", 1),
            (Source::Object(_), _) => self.request("GetObject", size.div_ceil(policy.part_size).max(1)),
            (_, _) if size > policy.multipart_threshold => self.multipart("UploadPart", parts(policy.part_size)),
            (_, _) => self.request("PutObject", 1),
        }
    }

    fn multipart(&mut self, part: &'static str, parts: u64) {
        self.request("CreateMultipartUpload", 1);
        self.request(part, parts);
        self.request("CompleteMultipartUpload", 1);
    }

    fn request(&mut self, operation: &'static str, count: u64) {
        *self.requests.entry(operation).or_default() += count;
    }

    /// Tells it on stderr.
    pub(super) fn tell(&self, context: &Context) {
        let prices = &context.settings.prices;
        let dollars = prices.requests(self.requests.iter().map(|(operation, count)| (*operation, *count)));
        let requests: Vec<_> = self.requests.iter().map(|(operation, count)| format!("{count} {operation}")).collect();
        let requests = if requests.is_empty() { "no requests".into() } else { requests.join(", ") };
        let mut line = format!("would copy {}, {}; ", objects(self.jobs), units::human_size(self.bytes));
        let _ = write!(line, "{requests}; about ${dollars:.4} for requests ({})", prices.source);
        if self.unknown > 0 {
            let _ = write!(line, "; the sizes of {} are not known", objects(self.unknown));
        }
        context.printer.note(&line);
    }
}
