//! The binary: parses, starts the runtime, runs the command, and turns its end into an exit status.

use clap::Parser;
use s3kit::cli::Cli;
use s3kit::ui::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => start(cli).finish(),
        Err(answer) => s3kit::ui::printer::answer(&answer).finish(),
    }
}

/// Help and usage errors never come here, so they cost no runtime.
fn start(cli: Cli) -> Exit {
    // Beside the main thread, which also runs tasks: half the cores, because a transfer is mostly waiting and the kernel needs the rest.
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads((cores / 2).clamp(1, 4)).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return s3kit::ui::printer::no_runtime(&error),
    };
    let exit = runtime.block_on(cli.start());
    // Blocks being written are let go of, so that their temporary files disappear; reads from a pipe may never return and are left.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    exit
}
