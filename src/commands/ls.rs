//! `ls`: lists objects, or buckets.

use super::filters::FilterArgs;
use super::input::InputArgs;
use super::rows::Rows;
use super::{Context, Exit};
use crate::engine::Failure;
use crate::engine::list::{Entry, Listing, Page};
use crate::engine::records::Records as Lines;
use crate::model::filter::{Filter, is_glob};
use crate::model::record::{self, Place, Record, RecordError};
use crate::model::uri::S3Uri;
use crate::s3::ops::ListBuckets;
use crate::s3::{Client, Kind};
use crate::ui::output::{Form, Records};
use clap::ValueEnum;
use std::path::PathBuf;

/// Lines after which a terminal is told how to see less.
const LONG_LISTING: u64 = 1_000;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Prefixes, as `s3://bucket/prefix`, or globs; none: list buckets
    #[arg(value_name = "URI")]
    pub operands: Vec<String>,
    /// One level: keys and common prefixes
    #[arg(short = 'd', long)]
    pub directory: bool,
    /// What separates levels
    #[arg(long, value_name = "STR", default_value = "/", requires = "directory", hide_short_help = true)]
    pub delimiter: String,
    /// Begin after this key
    #[arg(long, value_name = "KEY")]
    pub start_after: Option<String>,
    /// End with this key
    #[arg(long, value_name = "KEY")]
    pub end_at: Option<String>,
    /// Print at most N records
    #[arg(long, value_name = "N")]
    pub max_keys: Option<u64>,

    /// Lists.
    #[command(flatten)]
    pub input: InputArgs,
    /// Filters.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Only objects of this storage class; may be repeated
    #[arg(long, value_name = "CLASS", help_heading = "Filter")]
    pub storage_class: Vec<String>,

    /// Size, time and URI, aligned, for people
    #[arg(short, long, help_heading = "Output", conflicts_with_all = ["json", "tsv", "format", "null"])]
    pub long: bool,
    /// With -l: sizes as `1.5 GiB`
    #[arg(short = 'H', long, alias = "humanize", help_heading = "Output")]
    pub human_readable: bool,
    /// JSON lines
    #[arg(long, help_heading = "Output", conflicts_with_all = ["tsv", "format", "null"])]
    pub json: bool,
    /// Tab-separated: uri, size, time, `ETag`, storage class
    #[arg(long, help_heading = "Output", conflicts_with_all = ["format", "null"])]
    pub tsv: bool,
    /// Form of the records [default: by the suffix of -o, else uri]
    #[arg(long, value_name = "FORM", help_heading = "Output", conflicts_with = "null", hide_short_help = true)]
    pub format: Option<Format>,
    /// Begin TSV or CSV with the names of the fields
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub header: bool,
    /// Write to FILE, which is replaced when the listing is whole
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
}

/// Form of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// `s3://bucket/key`.
    Uri,
    /// JSON lines.
    Json,
    /// Tab-separated.
    Tsv,
    /// Comma-separated, for spreadsheets.
    Csv,
}

/// What is listed: an operand or an input record, and the listing it stands for.
struct Wanted {
    name: String,
    listing: Listing,
    /// Whether finding nothing is a failure: a name was given, and nothing narrows it.
    must_match: bool,
}

/// Prints until the records, the limit or the reader's patience end.
struct Run<'a> {
    context: &'a Context,
    client: Client,
    filter: Filter,
    rows: Rows,
    records: Records,
    left: Option<u64>,
    one_level: bool,
    exit: Exit,
}

/// Runs `ls`.
pub async fn run(context: &Context, args: Args) -> Exit {
    match prepare(&args) {
        Err(text) => context.usage(&text),
        Ok((form, filter)) => match start(context, &args, form, filter).await {
            Ok(exit) | Err(exit) => exit,
        },
    }
}

/// All that can be wrong with the arguments, before any request.
fn prepare(args: &Args) -> Result<(Form, Filter), String> {
    if args.human_readable && !args.long {
        return Err("-H needs -l".into());
    }
    let filter = Filter { storage_class: args.storage_class.clone(), ..args.filter.compile(jiff::Timestamp::now())? };
    if args.operands.is_empty() && args.input.from.is_none() {
        let narrowed = args.directory || args.start_after.is_some() || args.end_at.is_some() || !filter.is_empty();
        if narrowed {
            return Err("options that select objects need an operand, such as s3://bucket/".into());
        }
    }
    Ok((form(args)?, filter))
}

fn form(args: &Args) -> Result<Form, String> {
    let suffix = args.output.as_deref().and_then(|path| path.extension()?.to_str());
    let by_suffix = match suffix {
        Some("jsonl" | "json") => Some(Format::Json),
        Some("tsv") => Some(Format::Tsv),
        Some("csv") => Some(Format::Csv),
        Some(suffix @ ("parquet" | "gz" | "zst")) => {
            return Err(format!("-o: '.{suffix}' files cannot be written yet"));
        }
        _ => None,
    };
    Ok(match (args.format, args.json, args.tsv) {
        _ if args.long => Form::Long { human: args.human_readable },
        _ if args.input.null => Form::Codec(record::Format::Null),
        (Some(Format::Json), ..) | (_, true, _) => Form::Codec(record::Format::Json),
        (Some(Format::Tsv), ..) | (_, _, true) => Form::Codec(record::Format::Tsv),
        (Some(Format::Csv), ..) => Form::Csv,
        (Some(Format::Uri), ..) => Form::Codec(record::Format::Uri),
        (None, ..) => match by_suffix {
            Some(Format::Json) => Form::Codec(record::Format::Json),
            Some(Format::Tsv) => Form::Codec(record::Format::Tsv),
            Some(Format::Csv) => Form::Csv,
            _ => Form::Codec(record::Format::Uri),
        },
    })
}

async fn start(context: &Context, args: &Args, form: Form, filter: Filter) -> Result<Exit, Exit> {
    let operands = args.operands.iter().map(|text| operand(text, args)).collect::<Result<Vec<_>, _>>();
    let operands = operands.map_err(|text| context.usage(&text))?;
    let input = args.input.input(true).map(|input| Lines::open(&input, args.input.framing()));
    let input = input.transpose().map_err(|failure| context.printer.failure("--from", &failure).max(Exit::Stopped))?;
    let client = context.client()?;
    let rows = Rows::open(context, args.output.as_deref()).map_err(|error| error.report(context))?;
    let for_terminal = args.output.is_none() && context.printer.stdout_is_terminal();
    let mut records = Records::new(form, for_terminal);
    if args.header {
        records.header();
    }
    let (left, one_level) = (args.max_keys, args.directory);
    let mut run = Run { context, client, filter, rows, records, left, one_level, exit: Exit::Success };
    if operands.is_empty() && input.is_none() {
        run.buckets().await?;
    }
    for wanted in operands {
        run.list(wanted).await?;
    }
    if let Some(lines) = input {
        run.lines(lines, args).await?;
    }
    run.finish().await
}

/// An operand as the listing it stands for: a glob, unless --raw, or a prefix.
fn operand(text: &str, args: &Args) -> Result<Wanted, String> {
    let uri = S3Uri::parse_lenient(text).map_err(|error| format!("{text}: {error}"))?;
    let listing = if !args.input.raw && is_glob(&uri.key) {
        Listing::glob(&uri).map_err(|error| error.to_string())?
    } else {
        Listing::prefix(&uri)
    };
    Ok(wanted(&uri, listing, args))
}

fn wanted(uri: &S3Uri, mut listing: Listing, args: &Args) -> Wanted {
    listing.start_after.clone_from(&args.start_after);
    listing.end_at.clone_from(&args.end_at);
    listing.delimiter = args.directory.then(|| args.delimiter.clone());
    let must_match = !uri.key.is_empty() && args.start_after.is_none() && args.end_at.is_none();
    Wanted { must_match, name: uri.to_string(), listing }
}

impl Run<'_> {
    async fn buckets(&mut self) -> Result<(), Exit> {
        let buckets = self.client.send(&ListBuckets {}).await;
        let buckets =
            buckets.map_err(|error| self.context.printer.failure("buckets", &error.into()).max(Exit::Stopped))?;
        let most = self.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        buckets.iter().take(most).for_each(|bucket| self.records.bucket(bucket));
        self.flush().await
    }

    /// Prints one listing. A failure of this name alone is noted and others go on; `Err` ends the run.
    async fn list(&mut self, mut wanted: Wanted) -> Result<(), Exit> {
        if self.left == Some(0) {
            return Ok(());
        }
        wanted.listing.limit = self.left.filter(|_| self.filter.is_empty());
        let mut pages = wanted.listing.start(&self.client);
        let mut found = false;
        loop {
            match pages.next().await {
                Ok(Some(page)) => {
                    found = true;
                    self.page(page).await?;
                }
                Ok(None) => break,
                Err(error) => return self.failed(&wanted.name, &error.into()),
            }
            if self.left == Some(0) {
                return Ok(());
            }
        }
        if !found && wanted.must_match {
            self.exit = self.exit.and(self.context.printer.failure(&wanted.name, &Failure::NoMatch));
        }
        Ok(())
    }

    /// A bucket that is missing or closed says nothing about the next one; all else does.
    fn failed(&mut self, name: &str, failure: &Failure) -> Result<(), Exit> {
        let exit = self.context.printer.failure(name, failure).max(Exit::Stopped);
        let Failure::S3(error) = failure else { return Err(exit) };
        self.exit = self.exit.and(exit);
        let local = error.kind == Kind::NotFound || error.code == "AccessDenied";
        if local { Ok(()) } else { Err(exit) }
    }

    async fn page(&mut self, page: Page) -> Result<(), Exit> {
        self.context.stats.listed((page.objects.len() + page.prefixes.len()) as u64);
        for entry in page.entries() {
            if self.left == Some(0) {
                break;
            }
            let written = match entry {
                Entry::Object(object) => self.object(&object),
                Entry::Prefix(prefix) => self.prefix(&prefix),
            };
            self.left = self.left.map(|left| left - u64::from(written));
        }
        self.flush().await
    }

    fn object(&mut self, object: &Record) -> bool {
        let admitted = self.filter.is_empty() || self.filter.admits(&object.uri.key, object);
        if admitted {
            self.records.object(object);
        }
        admitted
    }

    /// Prefixes have a name and nothing else that could be filtered.
    fn prefix(&mut self, prefix: &S3Uri) -> bool {
        let admitted = self.filter.admits_name(&prefix.key);
        if admitted {
            self.records.prefix(prefix);
        }
        admitted
    }

    async fn flush(&mut self) -> Result<(), Exit> {
        if self.records.is_empty() {
            return Ok(());
        }
        self.rows.write(self.records.take()).await.map_err(|error| error.report(self.context))
    }

    /// Prefixes from a list. Each record is one prefix, never a glob.
    async fn lines(&mut self, mut lines: Lines, args: &Args) -> Result<(), Exit> {
        let mut any = false;
        loop {
            let line = lines.next().await;
            let line = line.map_err(|failure| self.context.printer.failure("--from", &failure).max(Exit::Stopped))?;
            let Some((number, raw)) = line else { break };
            self.context.stats.record_read();
            match raw.and_then(|raw| prefix_of(&raw, args)) {
                Ok(None) => self.context.stats.job_skipped(),
                Ok(Some(uri)) => {
                    any = true;
                    self.list(wanted(&uri, Listing::prefix(&uri), args)).await?;
                }
                Err(error) => {
                    any = true;
                    let failure = Failure::Record { line: number, error };
                    self.exit = self.exit.and(self.context.printer.failure("--from", &failure));
                }
            }
        }
        if !any && args.input.require_input {
            self.context.printer.error("the list is empty");
            self.exit = self.exit.and(Exit::Failed);
        }
        Ok(())
    }

    async fn finish(mut self) -> Result<Exit, Exit> {
        self.flush().await?;
        if self.exit < Exit::Stopped || matches!(self.rows, Rows::Stdout(_)) {
            self.rows.finish().await.map_err(|error| error.report(self.context))?;
        }
        let printer = &self.context.printer;
        if printer.stdout_is_terminal() && self.records.lines > LONG_LISTING && !self.one_level {
            printer.hint("`s3kit ls -d` lists one level");
        }
        Ok(self.exit)
    }
}

/// The prefix an input record names; `None` for a blank line.
fn prefix_of(raw: &[u8], args: &Args) -> Result<Option<S3Uri>, RecordError> {
    // The codec takes names of objects only, but a whole bucket, as `ls` prints them, is a prefix too.
    let bucket =
        std::str::from_utf8(raw).ok().and_then(|text| S3Uri::parse(text).ok()).filter(|uri| uri.key.is_empty());
    if bucket.is_some() {
        return Ok(bucket);
    }
    match record::parse(raw, args.input.framing())? {
        record::Entry::Blank => Ok(None),
        record::Entry::One(Place::Object(object)) => Ok(Some(object.uri)),
        record::Entry::Prefix(uri) => Ok(Some(uri)),
        record::Entry::One(Place::Local(_)) => Err(RecordError::Malformed("not an s3:// URI".into())),
        record::Entry::Pair { .. } => Err(RecordError::Malformed("a pair, where one prefix is expected".into())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn args(line: &[&str]) -> Args {
        Line::try_parse_from([&["ls"], line].concat()).unwrap().args
    }

    #[test]
    fn the_form_follows_the_suffix_of_the_output_file_unless_one_is_named() {
        assert_eq!(form(&args(&["-o", "a.csv"])).unwrap(), Form::Csv);
        assert_eq!(form(&args(&["-o", "a.jsonl"])).unwrap(), Form::Codec(record::Format::Json));
        assert_eq!(form(&args(&["-o", "a.csv", "--tsv"])).unwrap(), Form::Codec(record::Format::Tsv));
        assert_eq!(form(&args(&["-o", "a.txt"])).unwrap(), Form::Codec(record::Format::Uri));
        assert!(form(&args(&["-o", "a.parquet"])).is_err());
    }

    #[test]
    fn two_forms_at_once_are_refused() {
        assert!(Line::try_parse_from(["ls", "--json", "--tsv"]).is_err());
        assert!(Line::try_parse_from(["ls", "-l", "-0"]).is_err());
    }

    #[test]
    fn a_list_holds_buckets_prefixes_and_names_but_no_pairs() {
        let args = args(&["--from", "-"]);
        let key = |line: &str| prefix_of(line.as_bytes(), &args).map(|uri| uri.map(|uri| uri.key));
        assert_eq!(key("s3://b/"), Ok(Some(String::new())));
        assert_eq!(key("s3://b/p*"), Ok(Some("p*".into())));
        assert_eq!(key("PRE\ts3://b/p/"), Ok(Some("p/".into())));
        assert_eq!(key(""), Ok(None));
        assert!(key("s3://b/a\ts3://b/c").is_err() && key("file").is_err());
    }

    #[test]
    fn an_empty_bucket_is_no_failure_but_a_prefix_that_matches_nothing_is() {
        let args = args(&[]);
        assert!(!operand("s3://b", &args).unwrap().must_match);
        assert!(operand("s3://b/p", &args).unwrap().must_match);
        assert!(operand("s3://", &args).is_err());
    }
}
