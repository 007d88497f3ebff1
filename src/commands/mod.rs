//! The commands, one file each: arguments, and which engine they start. Shared here: what every command is given.

mod buckets;
pub mod cat;
pub mod cp;
mod estimate;
pub mod filters;
pub mod generate;
pub mod input;
pub mod ls;
pub mod mb;
pub mod operands;
pub mod rb;
pub mod report;
pub mod rm;
pub mod rows;
pub mod serve;
pub mod signals;
pub mod stages;
pub mod stat;

use crate::engine::cancel::{self, Cancel, Trigger};
use crate::model::stats::Stats;
use crate::s3::Client;
use crate::settings::{ColorChoice, ConnectionFlags, NoCredentials, Origin, OutputFlags, Settings, StatsForm};
pub use crate::ui::Exit;
use crate::ui::Printer;
use crate::ui::ledger::{self, Ledger};
use crate::ui::printer::{Voice, colour};
use crate::ui::{Progress, hint, progress};
use std::sync::Arc;
use std::time::Instant;

/// What every command is given.
#[derive(Debug, Clone)]
pub struct Context {
    /// How to reach the store and how hard to push.
    pub settings: Settings,
    /// The only way to stdout and stderr.
    pub printer: Printer,
    /// Counters of the run; progress and ledger are drawn from them.
    pub stats: Arc<Stats>,
    /// The wish to stop.
    pub cancel: Cancel,
    /// The way to wish it, for commands that find out that nobody wants more.
    pub stop: Trigger,
    /// `--stats`, `--progress` and the like.
    pub output: OutputFlags,
    /// When the command began.
    pub started: Instant,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody to sign with.
    #[error(transparent)]
    Credentials(#[from] NoCredentials),
    /// The HTTP client cannot be made, for example because of a broken CA bundle.
    #[error("{0}")]
    Http(String),
}

impl Context {
    /// A client of the store. Sends nothing. On failure it was reported already; the status is to be returned.
    pub fn client(&self) -> Result<Client, Exit> {
        self.try_client().map_err(|error| {
            self.printer.error(&error.to_string());
            if matches!(error, ClientError::Credentials(_)) {
                self.printer.hint(&hint::no_credentials());
            }
            Exit::Stopped
        })
    }

    fn try_client(&self) -> Result<Client, ClientError> {
        let config = self.settings.client_config()?;
        let Settings { http, requests, .. } = &self.settings;
        Client::connect(config, http, requests, Arc::clone(&self.stats)).map_err(ClientError::Http)
    }

    /// Draws progress until the value is dropped, where that is wanted. `prints_rows`: the command writes lines to stdout.
    #[must_use]
    pub fn progress(&self, prints_rows: bool) -> Progress {
        let asked = match (self.output.progress, self.output.no_progress) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        Progress::start(&self.printer, &self.stats, progress::wanted(&self.printer, asked, prints_rows))
    }

    /// The summary line of a command that changes things: `3 copied, 1 failed, 1.5 GiB in 2.1 s`.
    pub fn summary(&self, verb: &str) {
        self.printer.tell_suppressed();
        if self.cancel.is_cancelled() {
            self.printer.note("stopped before the end; what was not tried is not counted");
        }
        self.printer.note(&ledger::summary(verb, &self.stats.snapshot(), self.started.elapsed()));
    }

    /// The ledger up to now.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        let exact = self.settings.endpoint.is_aws();
        Ledger::take(self.stats.snapshot(), self.started.elapsed(), &self.settings.prices, exact)
    }

    /// Runs a command that changes nothing: asked to stop, it is dropped where it is.
    pub async fn until_cancelled(&self, run: impl Future<Output = Exit>) -> Exit {
        self.cancel.unless(run).await.unwrap_or(Exit::Failed)
    }

    fn tell_ledger(&self) {
        match self.output.stats {
            None => {}
            Some(StatsForm::Json) => self.printer.line(&self.ledger().json().to_string()),
            Some(StatsForm::Text) => self.printer.line(&self.ledger().text()),
        }
    }

    /// Reports a usage error and returns its status.
    pub fn usage(&self, text: &str) -> Exit {
        self.printer.error(text);
        Exit::Usage
    }
}

/// Builds the context of a command, runs it, and sees to what surrounds every command: signals, the ledger, `-vv`.
pub async fn session<F: Future<Output = Exit>>(
    command: &'static str,
    connection: &ConnectionFlags,
    output: &OutputFlags,
    run: impl FnOnce(Context) -> F,
) -> Exit {
    let started = Instant::now();
    let env = |name: &str| std::env::var(name).ok();
    let printer = Printer::new(command, voice(output, &env));
    let settings = match Settings::load(connection, output, &env) {
        Ok(settings) => settings,
        Err(error) => {
            printer.error(&error.to_string());
            return Exit::Usage;
        }
    };
    for Origin { setting, value, source } in &settings.origins {
        printer.verbose(2, &format!("{setting}: {value} ({source})"));
    }
    let aws = || format!("AWS in {}", settings.region);
    printer.talks_to(settings.endpoint.url.clone().unwrap_or_else(aws));
    let (trigger, cancel) = cancel::pair();
    let received = match signals::listen(trigger.clone()) {
        Ok(received) => received,
        Err(error) => {
            printer.error(&format!("cannot listen to signals: {error}"));
            return Exit::Stopped;
        }
    };
    let stats = Arc::default();
    let context = Context { settings, printer, stats, cancel, stop: trigger, output: output.clone(), started };
    let exit = run(context.clone()).await;
    context.printer.tell_suppressed();
    context.tell_ledger();
    received.signal().map_or(exit, Exit::Signal)
}

fn voice(output: &OutputFlags, env: &dyn Fn(&str) -> Option<String>) -> Voice {
    let always = match output.color {
        ColorChoice::Auto => None,
        ColorChoice::Always => Some(true),
        ColorChoice::Never => Some(false),
    };
    Voice { quiet: output.quiet, verbose: output.verbose, colour: colour(always, env) }
}

/// The end of a command whose list held no record: success with one line, unless a list was required.
fn empty_list(context: &Context, required: bool) -> Exit {
    if required {
        context.printer.error("the list is empty");
        return Exit::Failed;
    }
    context.printer.note("the list is empty; nothing to do");
    Exit::Success
}
