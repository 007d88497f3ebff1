//! The options every command takes, as typed: raw values, nothing resolved.

use clap::{ArgAction, Args, ValueEnum};
use std::path::PathBuf;

/// Output options, the same for every command.
#[derive(Debug, Clone, Default, Args)]
pub struct OutputFlags {
    /// Say nothing but errors
    #[arg(short, long, global = true, alias = "only-show-errors", help_heading = "Global options")]
    pub quiet: bool,
    /// Say more; -vv also where each setting came from
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Global options")]
    pub verbose: u8,
    /// Requests in flight at most [default: adapts, up to 256]
    #[arg(short, long, global = true, value_name = "N", alias = "numworkers", help_heading = "Global options")]
    pub jobs: Option<u32>,
    /// Print what was done, took and cost at the end
    #[arg(long, global = true, value_name = "text|json", hide_possible_values = true, help_heading = "Global options")]
    pub stats: Option<StatsForm>,
    /// Request prices in USD a thousand, as `write=0.005,read=0.0004`
    #[arg(long, global = true, value_name = "PRICES", hide_short_help = true, help_heading = "Global options")]
    pub prices: Option<String>,
    /// Draw progress even if stdout is a pipe
    #[arg(
        long,
        global = true,
        overrides_with = "no_progress",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    pub progress: bool,
    /// Never draw progress
    #[arg(long, global = true, overrides_with = "progress", hide_short_help = true, help_heading = "Global options")]
    pub no_progress: bool,
    /// When to colour messages
    #[arg(
        long,
        global = true,
        value_name = "auto|always|never",
        hide_possible_values = true,
        default_value = "auto",
        hide_short_help = true,
        help_heading = "Global options"
    )]
    pub color: ColorChoice,
}

/// Connection options, the same for every command.
#[derive(Debug, Clone, Default, Args)]
pub struct ConnectionFlags {
    /// Profile of the AWS config files
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true, help_heading = "Connection")]
    pub profile: Option<String>,
    /// Region of the store
    #[arg(long, global = true, value_name = "REGION", hide_short_help = true, help_heading = "Connection")]
    pub region: Option<String>,
    /// Address of a store other than AWS, as `https://host:port`
    #[arg(long, global = true, value_name = "URL", help_heading = "Global options")]
    pub endpoint_url: Option<String>,
    /// Address buckets as `host/bucket` [default: for custom endpoints]
    #[arg(long, global = true, conflicts_with = "virtual_host", hide_short_help = true, help_heading = "Connection")]
    pub path_style: bool,
    /// Address buckets as `bucket.host`
    #[arg(long, global = true, hide_short_help = true, help_heading = "Connection")]
    pub virtual_host: bool,
    /// Send requests without credentials
    #[arg(long, global = true, hide_short_help = true, help_heading = "Connection")]
    pub no_sign_request: bool,
    /// Agree to pay for requests to requester-pays buckets
    #[arg(long, global = true, hide_short_help = true, num_args = 0..=1, require_equals = true, value_parser = ["requester"],
        hide_possible_values = true, default_missing_value = "requester", value_name = "requester", help_heading = "Connection")]
    pub request_payer: Option<String>,
    /// Certificates to trust, a PEM file
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true, help_heading = "Connection")]
    pub ca_bundle: Option<PathBuf>,
    /// Longest wait for a connection, such as `5s`
    #[arg(long, global = true, value_name = "TIME", hide_short_help = true, help_heading = "Connection")]
    pub connect_timeout: Option<String>,
    /// Longest silence of a connection, such as `20s`
    #[arg(long, global = true, value_name = "TIME", hide_short_help = true, help_heading = "Connection")]
    pub read_timeout: Option<String>,
    /// Attempts a request gets, the first included
    #[arg(long, global = true, value_name = "N", hide_short_help = true, help_heading = "Connection")]
    pub max_attempts: Option<u32>,
    /// How uploads are proven: a CRC header, a signed SHA-256, or what the store is known to verify
    #[arg(
        long,
        global = true,
        value_name = "auto|unsigned|signed",
        hide_possible_values = true,
        default_value = "auto",
        hide_short_help = true,
        help_heading = "Connection"
    )]
    pub payload: PayloadChoice,
}

/// Form of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsForm {
    /// For people.
    Text,
    /// One JSON line.
    Json,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ColorChoice {
    /// If stderr is a terminal and nothing in the environment objects.
    #[default]
    Auto,
    /// Even into a pipe.
    Always,
    /// Not at all.
    Never,
}

/// How uploads are proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum PayloadChoice {
    /// What the store is known to verify.
    #[default]
    Auto,
    /// A CRC header, the payload itself unsigned.
    Unsigned,
    /// A signed SHA-256.
    Signed,
}
