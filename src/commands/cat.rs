//! `cat`: writes objects to stdout, in the order given.

use super::input::InputArgs;
use super::operands::Reading;
use super::report::{Report, Wanted};
use super::stages::{self, Stages};
use super::{Context, Exit};
use crate::engine::Destination;
use crate::engine::assign::{Assigner, OnConflict, To};
use crate::engine::mover::Mover;
use crate::engine::select::Accepts;
use crate::model::filter::Filter;
use crate::model::name::Naming;
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Objects, as `s3://bucket/key` or a glob; none: records on stdin
    #[arg(value_name = "URI")]
    pub operands: Vec<String>,
    /// Version of the one object named
    #[arg(long, value_name = "ID")]
    pub version_id: Option<String>,
    /// Write binary data even to a terminal
    #[arg(short, long)]
    pub force: bool,
    /// The list to read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Write the input records of what failed to FILE, ready for another run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub failed: Option<PathBuf>,
}

/// Runs `cat`.
pub async fn run(context: &Context, args: Args) -> Exit {
    match start(context, &args).await {
        Ok(exit) | Err(exit) => exit,
    }
}

async fn start(context: &Context, args: &Args) -> Result<Exit, Exit> {
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
    let to = To::One(Destination::Stdout);
    let stages = Stages {
        selection,
        filter: Filter::default(),
        accepts: Accepts { pairs: false, local: false },
        assigner: Assigner::new(to, Naming::Relative, OnConflict::Fail, false),
    };
    let mover = Mover::new(client.clone(), stages::policy(context), context.stats.clone(), context.cancel.clone());
    let read = stages::write_bytes(context, &client, stages, &mover, &mut report, args.force).await;
    let exit = report.finish().await;
    Ok(if is_list && read == 0 { exit.and(super::empty_list(context, args.input.require_input)) } else { exit })
}
