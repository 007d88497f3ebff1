//! The stages commands have in common: a list is opened, a selection becomes jobs, objects' bytes go to stdout.

use super::report::Report;
use super::{Context, Exit};
use crate::engine::Assigned;
use crate::engine::assign::Assigner;
use crate::engine::cat::{self, Output};
use crate::engine::mover::{Mover, Overwrite, Policy};
use crate::engine::records::{Input, Records};
use crate::engine::select::{Accepts, Selection, Selector};
use crate::model::filter::Filter;
use crate::model::record::Framing;
use crate::s3::Client;
use crate::s3::ops::{ObjectAttributes, WriteCondition};
use bytes::Bytes;
use tokio::sync::mpsc;

/// Items between two stages: enough to keep both busy, few enough to be back-pressure.
pub const STAGE: usize = 256;

/// Copies above this go in parts unless the user says otherwise: one CopyObject moves bytes at one stream's speed, parts at many.
const COPY_THRESHOLD: u64 = 512 << 20;
/// Length of a copied part: the store moves it, so it may be long; each is a billed request.
const COPY_PART: u64 = 128 << 20;
/// Parts or ranges of one object under way at once.
const STREAMS: usize = 16;

/// The policy of a transfer that nothing was asked of.
#[must_use]
pub fn policy(context: &Context) -> Policy {
    let defaults = &context.settings.transfer;
    Policy {
        part_size: defaults.part_size,
        multipart_threshold: defaults.multipart_threshold,
        copy_threshold: COPY_THRESHOLD,
        copy_asks_size: false,
        copy_part_size: COPY_PART,
        jobs: defaults.jobs,
        streams: STREAMS,
        memory: defaults.memory,
        overwrite: Overwrite::Always,
        condition: WriteCondition::None,
        attributes: ObjectAttributes::default(),
        guess_content_type: true,
        fsync: false,
        allow_empty: false,
        expect_size: None,
    }
}

/// From a selection to jobs.
#[derive(Debug)]
pub struct Stages {
    /// What is worked on.
    pub selection: Selection,
    /// Which of it is wanted.
    pub filter: Filter,
    /// Which records the command takes.
    pub accepts: Accepts,
    /// Where each goes.
    pub assigner: Assigner,
}

impl Stages {
    /// Sends the jobs, to the end or until asked to stop; returns how many records were read.
    pub async fn jobs(self, context: &Context, client: &Client, jobs: mpsc::Sender<Assigned>) -> u64 {
        let Self { selection, filter, accepts, mut assigner } = self;
        let (sender, mut items) = mpsc::channel(STAGE);
        let selector = Selector::new(client.clone(), filter, accepts, context.stats.clone(), sender);
        let assigning = async move {
            while let Some(item) = items.recv().await {
                if jobs.send(assigner.assign(item)).await.is_err() {
                    break;
                }
            }
        };
        let both = async { tokio::join!(selector.run(selection), assigning).0 };
        context.cancel.unless(both).await.unwrap_or_default()
    }
}

/// Opens a list of records; with `expected` it is counted first, because nothing may be sent if the count is wrong.
pub fn list(context: &Context, input: &Input, framing: Framing, expected: Option<u64>) -> Result<Selection, Exit> {
    let records = match expected {
        None => Records::open(input, framing),
        Some(expected) => Records::open_counted(input, framing, expected),
    };
    match records {
        Ok(records) => Ok(Selection::Records(records, framing)),
        Err(failure) => Err(context.printer.failure("input", &failure).and(Exit::Failed)),
    }
}

/// Writes the objects of a selection to stdout in order; returns how many records were read.
pub async fn write_bytes(
    context: &Context,
    client: &Client,
    stages: Stages,
    mover: &Mover,
    report: &mut Report<'_>,
    binary_to_terminal: bool,
) -> u64 {
    let mut output = match context.printer.stdout() {
        Ok(stdout) => Bytewise { stdout, guard: !binary_to_terminal && context.printer.stdout_is_terminal() },
        Err(error) => {
            report.note_exit(context.printer.stdout_failed(&error));
            return 0;
        }
    };
    let (jobs, taken) = mpsc::channel(STAGE);
    let (outcomes, mut ended) = mpsc::channel(STAGE);
    let selecting = stages.jobs(context, client, jobs);
    let writing = async {
        cat::run(mover, taken, &mut output, &outcomes).await;
        drop(outcomes);
        output.stdout.finish().await.map_or_else(|error| context.printer.stdout_failed(&error), |()| Exit::Success)
    };
    let (read, exit, ()) = tokio::join!(selecting, writing, report.drain(&mut ended));
    report.note_exit(exit);
    read
}

/// Stdout, which refuses what would garble a terminal.
struct Bytewise {
    stdout: crate::ui::Stdout,
    guard: bool,
}

impl Output for Bytewise {
    async fn write(&mut self, chunk: Bytes) -> std::io::Result<()> {
        if self.guard && chunk.contains(&0) {
            let why = "binary bytes would garble the terminal; add -f to write them all the same";
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, why));
        }
        self.stdout.write(chunk).await
    }
}
