//! `cp`: copies between files, objects, stdin and stdout.

mod plan;

use super::filters::FilterArgs;
use super::input::InputArgs;
use super::{Context, Exit};
use crate::engine::assign;
use clap::ValueEnum;
use plan::Plan;
use std::ffi::OsString;
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
#[command(next_line_help = false)]
pub struct Args {
    /// Sources, then the destination: files, `s3://bucket/key`, or `-` for bytes on stdin or stdout; without sources, records on stdin
    #[arg(value_name = "PATH")]
    pub operands: Vec<OsString>,
    /// Copy trees: all below a path or directory
    #[arg(short, long)]
    pub recursive: bool,
    /// Print what would be copied, as records, and what it would cost; send only reads
    #[arg(long, alias = "dryrun")]
    pub dry_run: bool,
    /// Stands for two things elsewhere, so it stands for none here
    #[arg(short = 'n', hide = true)]
    pub ambiguous_n: bool,
    /// Replace an object even by an empty stdin
    #[arg(short, long)]
    pub force: bool,

    /// The list to read.
    #[command(flatten)]
    pub input: InputArgs,
    /// What to take of it.
    #[command(flatten)]
    pub filter: FilterArgs,

    /// Skip what exists at the destination
    #[arg(long, help_heading = "Overwriting", conflicts_with_all = ["update", "if_match"])]
    pub no_clobber: bool,
    /// Skip what has the same size and is not older at the destination
    #[arg(short, long, help_heading = "Overwriting", alias = "if-source-newer", conflicts_with = "if_match")]
    pub update: bool,
    /// Replace the destination object only while it has this `ETag`
    #[arg(long, value_name = "ETAG", help_heading = "Overwriting", hide_short_help = true)]
    pub if_match: Option<String>,
    /// Two sources with one destination: the later one fails, is skipped, or gets a suffix
    #[arg(long, value_name = "HOW", default_value = "error", help_heading = "Overwriting", hide_short_help = true)]
    pub on_conflict: OnConflict,

    /// Name by the last component only
    #[arg(long, help_heading = "Naming", conflicts_with_all = ["strip", "name"])]
    pub flatten: bool,
    /// Name without PREFIX, which every key must have
    #[arg(long, value_name = "PREFIX", help_heading = "Naming", conflicts_with = "name")]
    pub strip: Option<String>,
    /// Name by a template: `{}` key, `{/}` base, `{//}` directory, `{.}` no extension, `{bucket}`, `{n:06}`
    #[arg(long, value_name = "TEMPLATE", help_heading = "Naming")]
    pub name: Option<String>,
    /// Walk through symbolic links to directories
    #[arg(long, alias = "follow-symlinks", help_heading = "Naming", hide_short_help = true)]
    pub follow: bool,

    /// What written objects are given.
    #[command(flatten)]
    pub attributes: AttributeArgs,

    /// Print the destination of everything copied, as records
    #[arg(long, help_heading = "Output")]
    pub print: bool,
    /// With --print or --dry-run: JSON lines
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write the input records of what failed to FILE, ready for another run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub failed: Option<PathBuf>,

    /// Fail before anything is completed unless the source has this size
    #[arg(long, value_name = "SIZE", help_heading = "Transfer", hide_short_help = true)]
    pub expect_size: Option<String>,
    /// Fail unless the list has N records
    #[arg(long, value_name = "N", help_heading = "Transfer", hide_short_help = true)]
    pub expect_records: Option<u64>,
    /// Length of parts and ranges [default: 8M, more for objects over 78 GiB]
    #[arg(long, value_name = "SIZE", help_heading = "Transfer", hide_short_help = true)]
    pub part_size: Option<String>,
    /// Size from which uploads and copies go in parts [default: uploads 16M, copies 512M]
    #[arg(long, value_name = "SIZE", help_heading = "Transfer", hide_short_help = true)]
    pub multipart_threshold: Option<String>,
    /// Wait until downloaded files are on the disk
    #[arg(long, help_heading = "Transfer", hide_short_help = true)]
    pub fsync: bool,
}

/// What objects that are written are given.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Object attributes")]
pub struct AttributeArgs {
    /// Content-Type [default: by the file name]
    #[arg(long, value_name = "TYPE", hide_short_help = true)]
    pub content_type: Option<String>,
    /// Do not guess a Content-Type
    #[arg(long, conflicts_with = "content_type", hide_short_help = true)]
    pub no_guess_mime_type: bool,
    /// Cache-Control
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub cache_control: Option<String>,
    /// Content-Disposition
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub content_disposition: Option<String>,
    /// Content-Encoding
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub content_encoding: Option<String>,
    /// Content-Language
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub content_language: Option<String>,
    /// Expires
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub expires: Option<String>,
    /// User metadata; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_delimiter = ',', value_parser = key_value, hide_short_help = true)]
    pub metadata: Vec<(String, String)>,
    /// Tags; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_delimiter = '&', value_parser = key_value, hide_short_help = true)]
    pub tags: Vec<(String, String)>,
    /// Storage class, such as `STANDARD_IA`
    #[arg(long, value_name = "CLASS", hide_short_help = true)]
    pub storage_class: Option<String>,
    /// Canned ACL, such as `bucket-owner-full-control`
    #[arg(long, value_name = "ACL", hide_short_help = true)]
    pub acl: Option<String>,
    /// Encryption at rest: `AES256` or `aws:kms`
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "AES256", require_equals = false, hide_short_help = true)]
    pub sse: Option<String>,
    /// Key of `aws:kms`
    #[arg(long, value_name = "KEY", requires = "sse", hide_short_help = true)]
    pub sse_kms_key_id: Option<String>,
}

/// What becomes of the later of two sources with one destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OnConflict {
    /// It fails.
    #[default]
    Error,
    /// It is skipped.
    Skip,
    /// Its name gets `-2`, `-3` … before the extension.
    Suffix,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("must be KEY=VALUE".into()),
    }
}

impl From<OnConflict> for assign::OnConflict {
    fn from(typed: OnConflict) -> Self {
        match typed {
            OnConflict::Error => Self::Fail,
            OnConflict::Skip => Self::Skip,
            OnConflict::Suffix => Self::Suffix,
        }
    }
}

/// Runs `cp`.
pub async fn run(context: &Context, args: Args) -> Exit {
    let plan = match Plan::read(context, &args) {
        Ok(plan) => plan,
        Err(usage) => return context.usage(&usage),
    };
    match plan.run(context, args).await {
        Ok(exit) | Err(exit) => exit,
    }
}
