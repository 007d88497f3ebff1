//! Facts about objects: one HEAD each, many at once, answers in the order asked.

use super::cancel::Cancel;
use super::select::Selected;
use super::{Ending, Failure, Outcome, Source};
use crate::model::record::Record;
use crate::s3::Client;
use crate::s3::ops::{HeadObject, ObjectHead};
use futures_util::stream::{FuturesOrdered, StreamExt};
use tokio::sync::mpsc;

/// What is known of an object now.
#[derive(Debug)]
pub struct Facts {
    /// The object, as its operand or record named it.
    pub object: Record,
    /// What the store says.
    pub head: ObjectHead,
}

/// Asks for every item as it comes, at most `jobs` at once; sends one answer an item, in order. Ends early when nobody receives or the
/// run is stopped.
pub async fn run(
    client: &Client,
    mut items: mpsc::Receiver<Selected>,
    jobs: usize,
    cancel: &Cancel,
    answers: mpsc::Sender<Result<Facts, Box<Outcome>>>,
) {
    let mut asked = FuturesOrdered::new();
    let mut more = true;
    while more || !asked.is_empty() {
        tokio::select! {
            () = cancel.cancelled() => return,
            item = items.recv(), if more && asked.len() < jobs.max(1) => match item {
                Some(item) => asked.push_back(one(client, item)),
                None => more = false,
            },
            Some(answer) = asked.next(), if !asked.is_empty() => {
                if answers.send(answer).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn one(client: &Client, item: Selected) -> Result<Facts, Box<Outcome>> {
    let item = item?;
    let object = match item.source {
        Source::Object(object) => *object,
        source => {
            let failure = Failure::Refused("not an object".into());
            return Err(Box::new(Outcome { source, destination: None, input: item.input, ending: failure.into() }));
        }
    };
    let head = HeadObject {
        bucket: object.uri.bucket.clone(),
        key: object.uri.key.clone(),
        version_id: object.version_id.clone(),
        checksum_mode: true,
    };
    match client.send(&head).await {
        Ok(head) => Ok(Facts { object, head }),
        Err(error) => {
            let source = Source::Object(Box::new(object));
            Err(Box::new(Outcome { source, destination: None, input: item.input, ending: Ending::from(error) }))
        }
    }
}
