//! `serve`: starts the embedded S3 endpoint and says its address on stdout.

use super::{Context, Exit};
use crate::serve::faults::FaultSpec;
use crate::serve::latency::LatencySpec;
use crate::serve::throttle::ThrottleSpec;
use crate::serve::{self, Options, Provider, ServeError, StoreKind};
use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use tokio::sync::oneshot;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Directory that holds the store, made if absent [default: memory]
    #[arg(value_name = "DIR", conflicts_with = "memory")]
    pub directory: Option<PathBuf>,
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// Keep objects in memory only
    #[arg(long)]
    pub memory: bool,
    /// Serve a generated listing as bucket `bench`, such as `flat:1000000`
    #[arg(long, value_name = "SHAPE:N")]
    pub synthetic: Option<String>,
    /// Accept unsigned requests
    #[arg(long)]
    pub anonymous: bool,
    /// Habits to have: `aws`, `r2`, `ceph` or `minimal`
    #[arg(long, value_name = "NAME", default_value = "aws", value_parser = Provider::parse)]
    pub provider: Provider,
    /// Append one JSON line a request to FILE
    #[arg(long, value_name = "FILE")]
    pub request_log: Option<PathBuf>,
    /// Time answers take, such as `page=85ms,get=20ms`
    #[arg(long, value_name = "SPEC", value_parser = LatencySpec::parse, help_heading = "Rehearsal")]
    pub latency: Option<LatencySpec>,
    /// Requests admitted a second, such as `put=3500/s,get=5500/s,burst=200`
    #[arg(long, value_name = "SPEC", value_parser = ThrottleSpec::parse, help_heading = "Rehearsal")]
    pub throttle: Option<ThrottleSpec>,
    /// What goes wrong, such as `503=2%,reset=0.5%` or `UploadPart#3=403`
    #[arg(long, value_name = "SPEC", value_parser = FaultSpec::parse, help_heading = "Rehearsal")]
    pub faults: Option<FaultSpec>,
}

/// Runs `serve`.
pub async fn run(context: &Context, args: Args) -> Exit {
    if !args.listen.ip().is_loopback() {
        context.printer.warn(&format!("{} can be reached from other machines", args.listen));
    }
    let (ready, address) = oneshot::channel();
    let (failed, stdout_failed) = oneshot::channel();
    let announce = async {
        if let Ok(address) = address.await
            && let Err(exit) = announce(context, address).await
        {
            // The receiver lives as long as the server.
            let _ = failed.send(exit);
        }
    };
    let mut exit = Exit::Success;
    let shutdown = async {
        tokio::select! {
            () = context.cancel.cancelled() => {}
            Ok(failed) = stdout_failed => exit = failed,
        }
    };
    let on_ready = |address| {
        // The receiver waits beside the server.
        let _ = ready.send(address);
    };
    let (served, ()) = tokio::join!(serve::run(options(context, args), on_ready, shutdown), announce);
    match served {
        Ok(()) => exit,
        Err(error) => {
            context.printer.error(&with_cause(&error));
            Exit::Stopped
        }
    }
}

/// The one line of stdout.
async fn announce(context: &Context, address: SocketAddr) -> Result<(), Exit> {
    let told = async {
        let mut stdout = context.printer.stdout()?;
        stdout.write(format!("listening on http://{address}\n")).await?;
        stdout.finish().await
    };
    told.await.map_err(|error| context.printer.stdout_failed(&error))
}

fn options(context: &Context, args: Args) -> Options {
    let defaults = Options::default();
    let env = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    Options {
        listen: args.listen,
        store: args.directory.map_or(StoreKind::Memory, StoreKind::Dir),
        anonymous: args.anonymous,
        access_key: env("S3KIT_SERVE_ACCESS_KEY").unwrap_or(defaults.access_key),
        secret_key: env("S3KIT_SERVE_SECRET_KEY").unwrap_or(defaults.secret_key),
        latency: args.latency.unwrap_or_default(),
        throttle: args.throttle.unwrap_or_default(),
        faults: args.faults.unwrap_or_default(),
        request_log: args.request_log,
        provider: args.provider,
        region: context.settings.region.clone(),
        synthetic: args.synthetic,
    }
}

fn with_cause(error: &ServeError) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
