//! `ls`: lists objects, or buckets.

use super::filters::FilterArgs;
use super::input::InputArgs;
use super::{Context, Exit};
use clap::ValueEnum;
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Prefixes, as `s3://bucket/prefix`; globs are expanded; none: list buckets
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

    #[command(flatten)]
    pub input: InputArgs,
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

/// Runs `ls`.
pub async fn run(_context: &Context, _args: Args) -> Exit {
    todo!()
}
