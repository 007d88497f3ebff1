//! What an `rm` command line means, the question asked before a tree goes, and the run itself.

use super::Args;
use crate::commands::operands::{Reading, is_many};
use crate::commands::report::Report;
use crate::commands::stages::STAGE;
use crate::commands::{Context, Exit};
use crate::engine::select::{Accepts, Item, Operand, Selected, Selection, Selector};
use crate::engine::{Done, Ending, Failure, Outcome, Source, delete};
use crate::model::filter::Filter;
use crate::model::stats::Stats;
use crate::s3::Client;
use crate::s3::ops::HeadObject;
use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Objects counted before the question is asked; more are "more than" this.
const COUNTED: u64 = 10_000;

/// A checked command line.
pub(super) struct Removal<'a> {
    context: &'a Context,
    args: &'a Args,
    selection: Selection,
    filter: Filter,
    is_list: bool,
    /// Operands that stand for more than one object: a question is asked, and a limit holds for all of them together.
    trees: Vec<Operand>,
}

impl<'a> Removal<'a> {
    /// Reads the arguments; usage errors were reported already.
    pub(super) fn read(context: &'a Context, args: &'a Args) -> Result<Self, Exit> {
        let version_id = args.version_id.as_deref();
        let reading = Reading { recursive: args.recursive, raw: args.input.raw, version_id, ..Reading::default() };
        let (selection, is_list) =
            args.input.selection(context, &args.operands, version_id, |text| reading.object(text))?;
        let filter = args.filter.compile(jiff::Timestamp::now()).map_err(|usage| context.usage(&usage))?;
        let trees = match &selection {
            Selection::Operands(operands) if operands.iter().any(is_many) => operands.clone(),
            _ => Vec::new(),
        };
        Ok(Self { context, args, selection, filter, is_list, trees })
    }

    /// Holds a tree's deletion back until it is confirmed or within `--max-delete`. Sends listings only.
    pub(super) async fn ask(&self, client: &Client) -> Result<(), Exit> {
        if self.trees.is_empty() || self.args.dry_run {
            return Ok(());
        }
        if let Some(most) = self.args.max_delete {
            if self.count(client, most).await > most {
                self.context.printer.error(&format!("more than {most} objects would be deleted; nothing was"));
                return Err(Exit::Stopped);
            }
            return Ok(());
        }
        if self.args.force {
            return Ok(());
        }
        let Ok(terminal) = std::fs::File::options().read(true).write(true).open("/dev/tty") else {
            let usage = "deleting a tree needs a confirmation and there is no terminal: add -f, or --max-delete N";
            return Err(self.context.usage(usage));
        };
        let count = match self.count(client, COUNTED).await {
            // Whatever stopped the listing is reported by the run itself.
            0 => return Ok(()),
            count if count > COUNTED => format!("more than {COUNTED} objects"),
            count => crate::commands::estimate::objects(count),
        };
        if confirm(terminal, &count) {
            return Ok(());
        }
        self.context.printer.note("nothing was deleted");
        Err(Exit::Failed)
    }

    /// Counts what the operands select, up to one more than `limit`.
    async fn count(&self, client: &Client, limit: u64) -> u64 {
        let (sender, mut items) = mpsc::channel(STAGE);
        // Counted apart: the run's own numbers are those of what it deletes.
        let selector = selector(client, self.filter.clone(), Arc::default(), sender);
        let counting = async move {
            let mut counted = 0;
            while let Some(item) = items.recv().await {
                counted += u64::from(item.is_ok());
                if counted > limit {
                    break;
                }
            }
            counted
        };
        let selection = Selection::Operands(self.trees.clone());
        tokio::join!(selector.run(selection), counting).1
    }

    /// Deletes; returns how many records were read, whether they were a list, and whether `--max-delete` stopped it.
    pub(super) async fn run(self, client: &Client, report: &mut Report<'_>) -> Result<(u64, bool, bool), Exit> {
        let Self { context, args, selection, filter, is_list, .. } = self;
        let (items_sender, items) = mpsc::channel(STAGE);
        let selector = selector(client, filter, context.stats.clone(), items_sender);
        let selecting = async { context.cancel.unless(selector.run(selection)).await.unwrap_or_default() };
        if args.dry_run {
            let (read, ()) = tokio::join!(selecting, show(items, report));
            return Ok((read, is_list, false));
        }
        let (targets, taken) = mpsc::channel(STAGE);
        let (outcomes, mut ended) = mpsc::channel(STAGE);
        let must_exist = !args.force && !is_list && args.version_id.is_none();
        let aiming = aim(client, items, targets, args.max_delete, must_exist);
        let deleting = delete::run(client.clone(), context.stats.clone(), context.cancel.clone(), taken, outcomes);
        let (read, stopped, (), ()) = tokio::join!(selecting, aiming, deleting, report.drain(&mut ended));
        Ok((read, is_list, stopped))
    }
}

fn selector(client: &Client, filter: Filter, stats: Arc<Stats>, items: mpsc::Sender<Selected>) -> Selector {
    let accepts = Accepts { pairs: false, local: false };
    Selector::new(client.clone(), filter, accepts, stats, items)
}

/// Passes items on as targets, up to the limit; says whether the limit stopped it. With `must_exist`, an object named by hand is asked for
/// first: S3 answers the deletion of nothing with success, which would hide a typo.
async fn aim(
    client: &Client,
    mut items: mpsc::Receiver<Selected>,
    targets: mpsc::Sender<Result<delete::Target, Box<Outcome>>>,
    most: Option<u64>,
    must_exist: bool,
) -> bool {
    let mut aimed = 0;
    while let Some(item) = items.recv().await {
        let target = match item {
            Err(outcome) => Err(outcome),
            Ok(item) => target(client, item, must_exist).await,
        };
        if target.is_ok() {
            if most.is_some_and(|most| aimed >= most) {
                return true;
            }
            aimed += 1;
        }
        if targets.send(target).await.is_err() {
            return false;
        }
    }
    false
}

async fn target(client: &Client, item: Item, must_exist: bool) -> Result<delete::Target, Box<Outcome>> {
    let refuse = |source, input, failure: Failure| {
        Box::new(Outcome { source, destination: None, input, ending: failure.into() })
    };
    let Source::Object(record) = item.source else {
        return Err(refuse(item.source, item.input, Failure::Refused("not an object".into())));
    };
    // What a listing showed exists: only an operand taken as it was typed knows no size.
    if must_exist && record.size.is_none() {
        let head =
            HeadObject { bucket: record.uri.bucket.clone(), key: record.uri.key.clone(), ..HeadObject::default() };
        if let Err(error) = client.send(&head).await
            && error.status == Some(404)
        {
            let source = Source::Object(record);
            return Err(refuse(source, item.input, Failure::S3(error)));
        }
    }
    Ok(delete::Target { record: *record, input: item.input })
}

/// Prints what would be deleted.
async fn show(mut items: mpsc::Receiver<Selected>, report: &mut Report<'_>) {
    while let Some(item) = items.recv().await {
        let outcome = match item {
            Err(outcome) => *outcome,
            Ok(item) => Outcome {
                source: item.source,
                destination: None,
                input: item.input,
                ending: Ending::Done(Done::default()),
            },
        };
        report.take(&outcome).await;
    }
}

/// Asks on the terminal itself, so that a piped stdin is not mistaken for an answer. Anything but yes is no.
fn confirm(mut terminal: std::fs::File, count: &str) -> bool {
    let asked = write!(terminal, "s3kit: rm: delete {count}? [y/N] ").and_then(|()| terminal.flush());
    let mut answer = String::new();
    asked.is_ok()
        && BufReader::new(terminal).read_line(&mut answer).is_ok()
        && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}
