//! `generate` (hidden): man pages and completions, made from the definition of the command line.

use super::{Context, Exit};
use clap::{Command, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;
use std::path::{Path, PathBuf};

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
pub fn run(context: &Context, args: &Args, command: Command) -> Exit {
    let made = std::fs::create_dir_all(&args.directory).and_then(|()| match args.what {
        What::Man => man(command, &args.directory),
        What::Completions => completions(command, &args.directory),
    });
    match made {
        Ok(()) => Exit::Success,
        Err(error) => {
            context.printer.error(&format!("{}: {}", args.directory.display(), crate::ui::diagnostic::io_text(&error)));
            Exit::Stopped
        }
    }
}

fn completions(mut command: Command, directory: &Path) -> io::Result<()> {
    let name = command.get_name().to_owned();
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut command, &name, directory)?;
    }
    Ok(())
}

/// One page for the whole and one a visible command.
fn man(mut command: Command, directory: &Path) -> io::Result<()> {
    command.build();
    let name = command.get_name().to_owned();
    let commands: Vec<Command> = command.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned().collect();
    let names: Vec<String> = commands.iter().map(|sub| format!("{name}-{}", sub.get_name())).collect();
    std::fs::write(directory.join(format!("{name}.1")), page(command, &names, true)?)?;
    for (sub, page_name) in commands.into_iter().zip(&names) {
        let others: Vec<String> =
            std::iter::once(name.clone()).chain(names.iter().filter(|other| *other != page_name).cloned()).collect();
        std::fs::write(directory.join(format!("{page_name}.1")), page(sub, &others, false)?)?;
    }
    Ok(())
}

/// The command as a page should show it: one usage line, and the help of every option, also of those that `-h` leaves out.
fn for_page(mut command: Command) -> Command {
    let usage = command.render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).to_owned();
    command.override_usage(usage).mut_args(|arg| arg.hide_short_help(false))
}

fn page(command: Command, see_also: &[String], whole: bool) -> io::Result<Vec<u8>> {
    let examples = command.get_before_help().map(ToString::to_string).unwrap_or_default();
    let more = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let command = for_page(command);
    // A date would make every day's pages differ.
    let man = Man::new(command).date("").manual("s3kit");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    sections(&examples).to_writer(&mut page)?;
    if whole {
        man.render_subcommands_section(&mut page)?;
    }
    man.render_options_section(&mut page)?;
    sections(&more).to_writer(&mut page)?;
    also(see_also).to_writer(&mut page)?;
    Ok(page)
}

/// Help text as sections: a line that ends in a colon and stands at the margin is a heading, the rest is kept as it is laid out.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    let mut open = false;
    for line in text.lines() {
        if let Some(heading) = line.strip_suffix(':').filter(|heading| !heading.starts_with(' ')) {
            if open {
                roff.control("fi", []);
            }
            let heading = if heading == "Example" { "Examples" } else { heading };
            roff.control("SH", [heading.to_uppercase().as_str()]);
            roff.control("nf", []);
            open = true;
        } else if !line.is_empty() {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
    }
    if open {
        roff.control("fi", []);
    }
    roff
}

fn also(pages: &[String]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    let mut line = Vec::new();
    for (index, page) in pages.iter().enumerate() {
        if index > 0 {
            line.push(roman(", "));
        }
        line.extend([bold(page.as_str()), roman("(1)")]);
    }
    roff.text(line);
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_text_becomes_sections_with_its_layout() {
        let page = sections("Examples:\n  a  b\nNote.\n\nExit status:\n  0  fine").to_roff();
        let lines: Vec<&str> =
            page.lines().filter(|line| !line.starts_with(".ie") && !line.starts_with(".el")).collect();
        assert_eq!(
            lines,
            [".SH EXAMPLES", ".nf", "a  b", "Note.", ".fi", ".SH \"EXIT STATUS\"", ".nf", "0  fine", ".fi"]
        );
    }
}
