//! `generate` (hidden): man pages and completions, made from the definition of the command line.

use super::Exit;
use clap::ValueEnum;
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// What to make
    pub what: What,
    /// Directory to write to
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// What can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Pages for man(1).
    Man,
    /// For bash, zsh, fish, PowerShell and elvish.
    Completions,
}

/// Runs `generate` for a command line.
#[must_use]
pub fn run(_args: &Args, _command: clap::Command) -> Exit {
    todo!()
}
