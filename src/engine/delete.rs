//! Deletes in batches: what is ready goes in one DeleteObjects of up to 1,000 keys, one result a key.

use super::cancel::Cancel;
use super::mover::{count, count_unstarted, deliver};
use super::{Done, Ending, Failure, Outcome, Source};
use crate::model::record::Record;
use crate::model::stats::Stats;
use crate::model::uri::S3Uri;
use crate::s3::Client;
use crate::s3::ops::{DeleteObject, DeleteObjects, DeleteResult};
use crate::s3::{Error, Kind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// S3's limit of keys in one DeleteObjects.
const BATCH: usize = 1_000;
/// Batches under way at once.
const BATCHES: usize = 16;

/// One object to delete, with its input line for `--failed`.
#[derive(Debug, Clone)]
pub struct Target {
    /// The object; with a version id that version alone.
    pub record: Record,
    /// The input record, verbatim.
    pub input: Option<Vec<u8>>,
}

/// Deletes targets as they come; one outcome for each.
pub async fn run(
    client: Client,
    stats: Arc<Stats>,
    cancel: Cancel,
    mut targets: mpsc::Receiver<Result<Target, Box<Outcome>>>,
    outcomes: mpsc::Sender<Outcome>,
) {
    let mut tasks = JoinSet::new();
    let mut ready = Vec::with_capacity(BATCH);
    loop {
        let received = cancel.unless(targets.recv_many(&mut ready, BATCH)).await;
        if received.is_none_or(|count| count == 0) {
            break;
        }
        for batch in by_bucket(&mut ready, &stats, &outcomes).await {
            while tasks.len() >= BATCHES {
                tasks.join_next().await;
            }
            let (client, stats, outcomes) = (client.clone(), stats.clone(), outcomes.clone());
            tasks.spawn(async move {
                for outcome in delete_batch(&client, batch).await {
                    count(&stats, &outcome.ending);
                    deliver(&outcomes, outcome).await;
                }
            });
        }
    }
    targets.close();
    while let Some(target) = targets.recv().await {
        let outcome = target.map_or_else(|outcome| *outcome, |target| outcome(target, Ending::Cancelled));
        deliver(&outcomes, outcome).await;
    }
    while tasks.join_next().await.is_some() {}
}

/// Splits what is ready into batches of one bucket, in input order; failures that came along are passed on.
async fn by_bucket(
    ready: &mut Vec<Result<Target, Box<Outcome>>>,
    stats: &Stats,
    outcomes: &mpsc::Sender<Outcome>,
) -> Vec<Vec<Target>> {
    let mut batches: Vec<Vec<Target>> = Vec::new();
    for item in ready.drain(..) {
        match item {
            Err(outcome) => {
                count_unstarted(stats, &outcome.ending);
                deliver(outcomes, *outcome).await;
            }
            Ok(target) => {
                stats.job_started();
                let bucket = |batch: &&mut Vec<Target>| batch[0].record.uri.bucket == target.record.uri.bucket;
                match batches.iter_mut().find(bucket) {
                    Some(batch) => batch.push(target),
                    None => batches.push(vec![target]),
                }
            }
        }
    }
    batches
}

async fn delete_batch(client: &Client, batch: Vec<Target>) -> Vec<Outcome> {
    let (batch, alone): (Vec<_>, Vec<_>) = batch.into_iter().partition(|target| fits_xml(&target.record.uri.key));
    let mut outcomes = delete_each(client, alone).await;
    outcomes.append(&mut if batch.len() < 2 {
        delete_each(client, batch).await
    } else {
        delete_together(client, batch).await
    });
    outcomes
}

/// XML 1.0 has no way to write most control characters, so such a key cannot be named in a DeleteObjects: stores refuse the whole batch.
fn fits_xml(key: &str) -> bool {
    key.chars().all(|char| matches!(char, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..))
}

async fn delete_together(client: &Client, batch: Vec<Target>) -> Vec<Outcome> {
    let started = std::time::Instant::now();
    let request = DeleteObjects {
        bucket: batch[0].record.uri.bucket.clone(),
        keys: batch.iter().map(|target| (target.record.uri.key.clone(), target.record.version_id.clone())).collect(),
    };
    match client.send(&request).await {
        Ok(results) => {
            let status = |target: Target, result| {
                let ending = ending_of(&target.record.uri, result, started.elapsed());
                outcome(target, ending)
            };
            batch.into_iter().zip(results).map(|(target, result)| status(target, result)).collect()
        }
        // Some stores have no batch delete; the same work is then done one by one.
        Err(error) if matches!(error.status, Some(405 | 501)) => delete_each(client, batch).await,
        Err(error) => spread(batch, &error),
    }
}

async fn delete_each(client: &Client, batch: Vec<Target>) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(batch.len());
    for target in batch {
        let delete = DeleteObject {
            bucket: target.record.uri.bucket.clone(),
            key: target.record.uri.key.clone(),
            version_id: target.record.version_id.clone(),
            if_match: None,
        };
        let ending = match client.send(&delete).await {
            Ok(_) => Ending::Done(Done::default()),
            Err(error) => error.into(),
        };
        outcomes.push(outcome(target, ending));
    }
    outcomes
}

/// One failed request is a failure of each of its keys.
fn spread(batch: Vec<Target>, error: &Error) -> Vec<Outcome> {
    let copy = |key: &str| {
        Box::new(Error {
            kind: error.kind,
            operation: error.operation,
            bucket: error.bucket.clone(),
            key: key.to_owned(),
            status: error.status,
            code: error.code.clone(),
            message: error.message.clone(),
            request_id: error.request_id.clone(),
            host_id: error.host_id.clone(),
            attempts: error.attempts,
            elapsed: error.elapsed,
            source: None,
        })
    };
    batch
        .into_iter()
        .map(|target| {
            let error = copy(&target.record.uri.key);
            outcome(target, error.into())
        })
        .collect()
}

fn ending_of(uri: &S3Uri, result: DeleteResult, elapsed: Duration) -> Ending {
    match result {
        Ok(_) => Ending::Done(Done { elapsed, ..Done::default() }),
        Err((code, message)) => Ending::Failed(Failure::S3(Box::new(Error {
            kind: if code == "AccessDenied" { Kind::Auth } else { Kind::Fatal },
            operation: "DeleteObjects",
            bucket: uri.bucket.clone(),
            key: uri.key.clone(),
            status: Some(200),
            code,
            message,
            request_id: None,
            host_id: None,
            attempts: 1,
            elapsed,
            source: None,
        }))),
    }
}

fn outcome(target: Target, ending: Ending) -> Outcome {
    Outcome { source: Source::Object(Box::new(target.record)), destination: None, input: target.input, ending }
}
