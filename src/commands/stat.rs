//! `stat`: prints all facts about objects, one JSON line each, in the order asked.

use super::input::InputArgs;
use super::operands::Reading;
use super::report::{Report, Wanted};
use super::{Context, Exit};
use crate::engine::Outcome;
use crate::engine::inspect::{self, Facts};
use crate::engine::select::{Accepts, Selector};
use crate::model::filter::Filter;
use crate::ui::{Stdout, facts};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Objects, as `s3://bucket/key` or a glob; none: records on stdin
    #[arg(value_name = "URI")]
    pub operands: Vec<String>,
    /// Version of the one object named
    #[arg(long, value_name = "ID")]
    pub version_id: Option<String>,
    /// Lists.
    #[command(flatten)]
    pub input: InputArgs,
    /// Write the input records of what failed to FILE, ready for another run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub failed: Option<PathBuf>,
}

/// Items and answers on their way: enough to keep all requests busy.
const WAITING: usize = 64;

/// Runs `stat`.
pub async fn run(context: &Context, args: Args) -> Exit {
    match inspect_all(context, &args).await {
        Ok(exit) | Err(exit) => exit,
    }
}

async fn inspect_all(context: &Context, args: &Args) -> Result<Exit, Exit> {
    let version_id = args.version_id.as_deref();
    let reading = Reading { raw: args.input.raw, version_id, ..Reading::default() };
    let read = |text: &str| reading.readable_object(text);
    let (selection, is_list) = args.input.selection(context, &args.operands, version_id, read)?;
    let client = context.client()?;
    let framing = args.input.framing();
    let mut report = Report::open(
        context,
        Wanted { failed: args.failed.clone(), from: args.input.from.clone(), framing, ..Wanted::default() },
    )?;
    let mut stdout = context.printer.stdout().map_err(|error| context.printer.stdout_failed(&error))?;
    let (items, selected) = mpsc::channel(WAITING);
    let (answers, answered) = mpsc::channel(WAITING);
    let accepts = Accepts { pairs: false, local: false };
    let selector = Selector::new(client.clone(), Filter::default(), accepts, Arc::clone(&context.stats), items);
    let jobs = context.settings.transfer.jobs;
    let progress = context.progress(true);
    let (read, (), printed) = tokio::join!(
        selector.run(selection),
        inspect::run(&client, selected, jobs, &context.cancel, answers),
        print(context, answered, &mut stdout, &mut report)
    );
    drop(progress);
    let ended = match printed {
        Ok(()) => stdout.finish().await,
        Err(error) => Err(error),
    };
    let exit = report.finish().await;
    ended.map_err(|error| context.printer.stdout_failed(&error).max(exit))?;
    Ok(if is_list && read == 0 { exit.and(super::empty_list(context, args.input.require_input)) } else { exit })
}

/// Prints answers as they come. An error is one of stdout: nobody reads any more, and dropping the channel ends the questions.
async fn print(
    context: &Context,
    mut answered: mpsc::Receiver<Result<Facts, Box<Outcome>>>,
    stdout: &mut Stdout,
    report: &mut Report<'_>,
) -> std::io::Result<()> {
    while let Some(answer) = answered.recv().await {
        match answer {
            Ok(found) => {
                context.stats.job_done(0);
                stdout.write(facts::line(&found.object, &found.head)).await?;
            }
            Err(outcome) => {
                context.stats.job_failed();
                report.take(&outcome).await;
            }
        }
    }
    Ok(())
}
