//! Which list of records a command reads: the options, and the rule for an implied stdin.

use super::{Context, Exit, stages};
use crate::engine::records::Input;
use crate::engine::select::{Operand, Selection};
use crate::model::record::Framing;
use clap::Args;
use std::path::PathBuf;

/// Options of commands that take lists.
#[derive(Debug, Clone, Default, Args)]
pub struct InputArgs {
    /// Read records from FILE; `-` is stdin
    #[arg(long, value_name = "FILE|-", help_heading = "Input")]
    pub from: Option<PathBuf>,
    /// Records end with NUL instead of a newline, in and out
    #[arg(short = '0', long, help_heading = "Input")]
    pub null: bool,
    /// Exit 1 if the list is empty
    #[arg(long, hide_short_help = true, help_heading = "Input")]
    pub require_input: bool,
    /// Take operands literally: no globs
    #[arg(long, hide_short_help = true, help_heading = "Input")]
    pub raw: bool,
}

impl InputArgs {
    /// How records are separated.
    #[must_use]
    pub fn framing(&self) -> Framing {
        if self.null { Framing::Null } else { Framing::Lines }
    }

    /// The list to read: `--from`, else stdin if there is no source operand and it can hold a list. `None`: nobody gave one.
    #[must_use]
    pub fn input(&self, has_operands: bool) -> Option<Input> {
        match &self.from {
            Some(path) if path.as_os_str() == "-" => Some(Input::Stdin),
            Some(path) => Some(Input::File(path.clone())),
            None if !has_operands && stdin_holds_a_list() => Some(Input::Stdin),
            None => None,
        }
    }
}

impl InputArgs {
    /// What a command of object operands works on: the operands, or else the list; and whether it is a list. Neither is a usage error,
    /// and so are both, and a version without its one object.
    pub fn selection(
        &self,
        context: &Context,
        operands: &[String],
        version_id: Option<&str>,
        read: impl Fn(&str) -> Result<Operand, String>,
    ) -> Result<(Selection, bool), Exit> {
        if version_id.is_some() && operands.len() != 1 {
            return Err(context.usage("--version-id goes with exactly one object"));
        }
        match (self.input(!operands.is_empty()), operands) {
            (None, []) => {
                Err(context.usage("nothing to work on: name an object, pipe records in, or read them with --from FILE"))
            }
            (Some(_), [_, ..]) => {
                Err(context.usage("objects are named both as operands and by --from; give one or the other"))
            }
            (Some(input), []) => Ok((stages::list(context, &input, self.framing(), None)?, true)),
            (None, operands) => {
                let operands = operands.iter().map(|text| read(text)).collect::<Result<Vec<_>, _>>();
                Ok((Selection::Operands(operands.map_err(|usage| context.usage(&usage))?), false))
            }
        }
    }
}

/// Whether stdin is a pipe, a socket or a regular file; a terminal or `/dev/null` holds no list.
#[must_use]
pub fn stdin_holds_a_list() -> bool {
    use rustix::fs::FileType;
    let kind = rustix::fs::fstat(rustix::stdio::stdin()).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(kind, Ok(FileType::Fifo | FileType::Socket | FileType::RegularFile))
}
