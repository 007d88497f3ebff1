//! What a `cp` command line means: its sources, its destination and its policy, checked before anything is sent; then the run.

use super::{Args, AttributeArgs};
use crate::commands::operands::{Reading, Typed, is_many, is_remote};
use crate::commands::report::{Report, Wanted};
use crate::commands::stages::{self, STAGE, Stages};
use crate::commands::{Context, Exit, estimate};
use crate::engine::assign::{Assigner, To};
use crate::engine::mover::{Mover, Overwrite, Policy};
use crate::engine::records::Input;
use crate::engine::select::{Accepts, Operand, Selection};
use crate::engine::transfer;
use crate::engine::{Assigned, Destination, Job, Source};
use crate::model::filter::Filter;
use crate::model::name::{Naming, Template};
use crate::model::record::{self, ETag, Format, Place};
use crate::model::uri::S3Uri;
use crate::model::{plan, units};
use crate::s3::Client;
use crate::s3::ops::{ContentHeaders, ObjectAttributes, WriteCondition};
use std::path::PathBuf;
use tokio::sync::mpsc;

/// A checked command line.
#[derive(Debug)]
pub(super) struct Plan {
    sources: Sources,
    to: To,
    naming: Naming,
    filter: Filter,
    policy: Policy,
}

#[derive(Debug)]
enum Sources {
    Operands(Vec<Operand>),
    List(Input),
}

impl Plan {
    /// Reads the arguments. The text of an error is a usage error.
    pub(super) fn read(context: &Context, args: &Args) -> Result<Self, String> {
        if args.ambiguous_n {
            return Err(
                "-n is not an option of cp: --dry-run shows what would be copied, --no-clobber keeps what exists"
                    .into(),
            );
        }
        let (sources, destination) = sources(args)?;
        let to = container(args, &sources, &destination)?;
        check_sides(&sources, &to)?;
        Ok(Self {
            to,
            naming: naming(args)?,
            filter: args.filter.compile(jiff::Timestamp::now())?,
            policy: policy(context, args, &sources)?,
            sources,
        })
    }

    /// Runs it. Errors were reported already.
    pub(super) async fn run(self, context: &Context, args: Args) -> Result<Exit, Exit> {
        let framing = args.input.framing();
        // A list may hold anything, so it always gets a client; local operands to an object need one as well.
        let client = context.client()?;
        let (selection, is_list) = match self.sources {
            Sources::Operands(operands) => (Selection::Operands(operands), false),
            Sources::List(input) => (stages::list(context, &input, framing, args.expect_records)?, true),
        };
        let (failed, from) = (args.failed.clone(), args.input.from.clone());
        let wanted = Wanted { print: args.print, json: args.json, failed, from, framing };
        let mut report = Report::open(context, wanted)?;
        let may_collide = is_list || args.operands.len() > 2;
        let assigner = Assigner::new(self.to.clone(), self.naming, args.on_conflict.into(), may_collide);
        let accepts = Accepts { pairs: true, local: true };
        let stages = Stages { selection, filter: self.filter, accepts, assigner };
        let to_stdout = self.to == To::One(Destination::Stdout);
        let run = Run { context, client, policy: self.policy, to: self.to };
        let progress = context.progress(args.print || args.dry_run);
        let read = if args.dry_run {
            run.show(stages, &mut report, args.json).await?
        } else {
            run.copy(stages, &mut report).await
        };
        drop(progress);
        let exit = report.finish().await;
        if is_list && read == 0 {
            return Ok(exit.and(crate::commands::empty_list(context, args.input.require_input)));
        }
        if !args.dry_run && !to_stdout {
            context.summary("copied");
        }
        Ok(exit)
    }
}

/// Splits the operands into sources and destination, or finds the list.
fn sources(args: &Args) -> Result<(Sources, Typed), String> {
    let listed = args.input.input(args.operands.len() > 1);
    let Some((last, before)) = args.operands.split_last() else {
        let list = listed.ok_or("nothing to copy: name a source, pipe records in, or read them with --from FILE")?;
        return Ok((Sources::List(list), Typed::Local(PathBuf::from("."))));
    };
    let destination = Typed::parse(last)?;
    if before.is_empty() {
        let name = last.to_string_lossy();
        let meant = format!("only one operand: did you mean `s3kit cp {name} .`?");
        let list = listed.ok_or_else(|| format!("{meant} A list of sources is read from a pipe or by --from FILE"))?;
        if !destination.is_container() {
            return Err(format!(
                "{meant} The destination of a list must be a bucket, an existing directory, or end in '/'"
            ));
        }
        return Ok((Sources::List(list), destination));
    }
    if listed.is_some() {
        return Err("sources are named both as operands and by --from; give one or the other".into());
    }
    let reading = Reading { recursive: args.recursive, raw: args.input.raw, follow: args.follow, version_id: None };
    let operands = before.iter().map(|text| reading.source(text)).collect::<Result<Vec<_>, _>>()?;
    Ok((Sources::Operands(operands), destination))
}

/// Where the sources go: a container, or the one place named.
fn container(args: &Args, sources: &Sources, destination: &Typed) -> Result<To, String> {
    let many = match sources {
        Sources::List(_) => true,
        Sources::Operands(operands) => operands.len() > 1 || operands.iter().any(is_many),
    };
    match destination {
        Typed::Stdout if matches!(sources, Sources::List(_)) => {
            Err("a list cannot be copied to '-'; use `s3kit cat`".into())
        }
        Typed::Stdout => Ok(To::One(Destination::Stdout)),
        Typed::Object(uri) if args.recursive || destination.is_container() => {
            Ok(To::Prefix(S3Uri::new(uri.bucket.clone(), crate::engine::list::root(&uri.key))))
        }
        Typed::Local(path) if args.recursive || destination.is_container() => {
            if path.exists() && !path.is_dir() {
                return Err(format!("'{}' is not a directory", path.display()));
            }
            Ok(To::Directory(path.clone()))
        }
        Typed::Object(uri) if many => Err(format!("several sources go below a container: end '{uri}' in '/'")),
        Typed::Local(path) if many => {
            let path = path.display();
            Err(format!("several sources go into a directory: '{path}' is none; end it in '/' to create it"))
        }
        Typed::Object(uri) => Ok(To::One(Destination::Object(uri.clone()))),
        Typed::Local(path) => Ok(To::One(Destination::File(path.clone()))),
    }
}

/// Refuses what `cp` has no business with: local to local, and stdin into a container.
fn check_sides(sources: &Sources, to: &To) -> Result<(), String> {
    let Sources::Operands(operands) = sources else { return Ok(()) };
    let to_object = matches!(to, To::Prefix(_) | To::One(Destination::Object(_)));
    if !to_object && let Some(local) = operands.iter().find(|operand| !is_remote(operand)) {
        return Err(match local {
            Operand::Stdin => "stdin can only be copied to an object".into(),
            _ => "source and destination are both local; use cp(1)".into(),
        });
    }
    let stdin = operands.iter().filter(|operand| matches!(operand, Operand::Stdin)).count();
    if stdin > 1 || (stdin == 1 && !matches!(to, To::One(_))) {
        return Err("'-' is one stream of bytes: name one object for it".into());
    }
    Ok(())
}

fn naming(args: &Args) -> Result<Naming, String> {
    if args.flatten {
        return Ok(Naming::Flatten);
    }
    if let Some(prefix) = &args.strip {
        return Ok(Naming::Strip(prefix.clone()));
    }
    match &args.name {
        Some(template) => Template::parse(template).map(Naming::Template).map_err(|error| format!("--name: {error}")),
        None => Ok(Naming::Relative),
    }
}

fn policy(context: &Context, args: &Args, sources: &Sources) -> Result<Policy, String> {
    let size = |name: &str, text: &Option<String>| {
        text.as_deref().map(units::parse_size).transpose().map_err(|why| format!("--{name}: {why}"))
    };
    let part_size = size("part-size", &args.part_size)?;
    if let Some(part_size) = part_size
        && !(plan::MIN_PART..=plan::MAX_PART).contains(&part_size)
    {
        return Err("--part-size: S3 allows parts of 5 MiB to 5 GiB".into());
    }
    let threshold = size("multipart-threshold", &args.multipart_threshold)?;
    if threshold.is_some_and(|threshold| threshold > plan::MAX_PART) {
        return Err("--multipart-threshold: one request holds at most 5 GiB".into());
    }
    let is_stdin = matches!(sources, Sources::Operands(operands) if matches!(operands[..], [Operand::Stdin]));
    let expect_size = size("expect-size", &args.expect_size)?;
    if expect_size.is_some() && !is_stdin {
        return Err("--expect-size is for bytes from stdin: `… | s3kit cp --expect-size N - s3://bucket/key`".into());
    }
    if args.expect_records.is_some() && !matches!(sources, Sources::List(_)) {
        return Err("--expect-records is for a list of sources".into());
    }
    let overwrite = match (args.no_clobber, args.update) {
        (true, _) => Overwrite::Never,
        (false, true) => Overwrite::Update,
        (false, false) => Overwrite::Always,
    };
    let condition = args.if_match.as_deref().map(|etag| WriteCondition::Matches(ETag::new(etag)));
    let defaults = stages::policy(context);
    Ok(Policy {
        part_size: part_size.unwrap_or(defaults.part_size),
        multipart_threshold: threshold.unwrap_or(defaults.multipart_threshold),
        copy_threshold: threshold.unwrap_or(defaults.copy_threshold),
        // What is printed as JSON tells the size, which CopyObject does not.
        copy_asks_size: threshold.is_some() || (args.print && args.json),
        copy_part_size: part_size.unwrap_or(defaults.copy_part_size),
        overwrite,
        condition: condition.unwrap_or_default(),
        attributes: attributes(&args.attributes),
        guess_content_type: !args.attributes.no_guess_mime_type,
        fsync: args.fsync,
        allow_empty: args.force,
        expect_size,
        ..defaults
    })
}

fn attributes(args: &AttributeArgs) -> ObjectAttributes {
    ObjectAttributes {
        content: ContentHeaders {
            content_type: args.content_type.clone(),
            cache_control: args.cache_control.clone(),
            content_disposition: args.content_disposition.clone(),
            content_encoding: args.content_encoding.clone(),
            content_language: args.content_language.clone(),
            expires: args.expires.clone(),
        },
        metadata: args.metadata.clone(),
        tags: (!args.tags.is_empty()).then(|| args.tags.clone()),
        storage_class: args.storage_class.clone(),
        acl: args.acl.clone(),
        sse: args.sse.clone(),
        sse_kms_key_id: args.sse_kms_key_id.clone(),
        website_redirect: None,
    }
}

/// The stages of a run, connected by short channels.
struct Run<'a> {
    context: &'a Context,
    client: Client,
    policy: Policy,
    to: To,
}

impl Run<'_> {
    /// Copies; returns how many records were read.
    async fn copy(self, stages: Stages, report: &mut Report<'_>) -> u64 {
        let context = self.context;
        let mover = Mover::new(self.client.clone(), self.policy, context.stats.clone(), context.cancel.clone());
        if self.to == To::One(Destination::Stdout) {
            return stages::write_bytes(context, &self.client, stages, &mover, report, true).await;
        }
        let (jobs, taken) = mpsc::channel(STAGE);
        let (outcomes, mut ended) = mpsc::channel(STAGE);
        let selecting = stages.jobs(context, &self.client, jobs);
        let moving = transfer::run(mover, taken, outcomes);
        let ((), read, ()) = tokio::join!(report.drain(&mut ended), selecting, moving);
        read
    }

    /// Prints what would be copied, as pairs that can be fed back, and what it would cost.
    async fn show(self, stages: Stages, report: &mut Report<'_>, json: bool) -> Result<u64, Exit> {
        let context = self.context;
        let mut stdout = context.printer.stdout().map_err(|error| context.printer.stdout_failed(&error))?;
        let (sender, jobs) = mpsc::channel::<Assigned>(STAGE);
        let selecting = stages.jobs(context, &self.client, sender);
        let format = if json { Format::Json } else { Format::Uri };
        let mut estimate = estimate::Estimate::default();
        let showing = async {
            // Owned here, so that leaving early ends the selection too.
            let mut jobs = jobs;
            while let Some(job) = jobs.recv().await {
                match job {
                    Err(outcome) => report.take(&outcome).await,
                    Ok(job) => {
                        estimate.add(&job, &self.policy);
                        if let Err(error) = stdout.write(pair(&job, format)).await {
                            report.note_exit(context.printer.stdout_failed(&error));
                            break;
                        }
                    }
                }
            }
        };
        let ((), read) = tokio::join!(showing, selecting);
        if let Err(error) = stdout.finish().await {
            report.note_exit(context.printer.stdout_failed(&error));
        }
        estimate.tell(context);
        Ok(read)
    }
}

/// A job as a pair line.
fn pair(job: &Job, format: Format) -> Vec<u8> {
    let source = match &job.source {
        Source::Object(record) => Place::Object(record.clone()),
        Source::File(path) => Place::Local(path.clone()),
        Source::Stdin | Source::Unreadable(_) => Place::Local("-".into()),
    };
    let destination = match &job.destination {
        Destination::Object(uri) => Place::Object(Box::new(record::Record::new(uri.clone()))),
        Destination::File(path) => Place::Local(path.clone()),
        Destination::Beneath(root, name) => Place::Local(root.join(name.components.join("/"))),
        Destination::Stdout => Place::Local("-".into()),
    };
    let mut line = Vec::new();
    record::write_pair(&mut line, &source, &destination, format);
    line
}
