//! The filter options shared by `ls`, `cp` and `rm`, with the order of name rules kept.

use crate::model::filter::{Filter, Pattern, PatternError, Rule};
use crate::model::units;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

const HEADING: &str = "Filter";

/// What the user typed. Name rules are in command-line order, because the last that matches wins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterArgs {
    rules: Vec<(Kind, String)>,
    larger: Option<String>,
    smaller: Option<String>,
    newer: Option<String>,
    older: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Include,
    Exclude,
    Regex,
    ExcludeRegex,
}

const KINDS: [(&str, Kind, &str, &str); 4] = [
    ("include", Kind::Include, "GLOB", "Take names that match; the last rule that matches wins"),
    ("exclude", Kind::Exclude, "GLOB", "Leave out names that match (`*` and `?` match `/` too)"),
    ("regex", Kind::Regex, "REGEX", "As --include, with a regular expression, searched anywhere"),
    ("exclude-regex", Kind::ExcludeRegex, "REGEX", "As --exclude, with a regular expression"),
];

impl FilterArgs {
    /// Compiles the rules. Times like `2d` count back from `now`. The text of an error names the option.
    pub fn compile(&self, now: jiff::Timestamp) -> Result<Filter, String> {
        let size = |name: &str, text: &Option<String>| {
            text.as_deref().map(units::parse_size).transpose().map_err(|why| format!("--{name}: {why}"))
        };
        let time = |name: &str, text: &Option<String>| {
            text.as_deref().map(|t| units::parse_time(t, now)).transpose().map_err(|why| format!("--{name}: {why}"))
        };
        Ok(Filter {
            rules: self
                .rules
                .iter()
                .map(|(kind, text)| rule(*kind, text))
                .collect::<Result<_, _>>()
                .map_err(|e| e.to_string())?,
            larger: size("larger", &self.larger)?,
            smaller: size("smaller", &self.smaller)?,
            newer: time("newer", &self.newer)?,
            older: time("older", &self.older)?,
            storage_class: Vec::new(),
        })
    }
}

fn rule(kind: Kind, text: &str) -> Result<Rule, PatternError> {
    Ok(match kind {
        Kind::Include => Rule::Include(Pattern::glob(text)?),
        Kind::Exclude => Rule::Exclude(Pattern::glob(text)?),
        Kind::Regex => Rule::Include(Pattern::regex(text)?),
        Kind::ExcludeRegex => Rule::Exclude(Pattern::regex(text)?),
    })
}

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .help(help)
        .help_heading(HEADING)
        .allow_hyphen_values(true)
        .hide_short_help(matches!(name, "regex" | "exclude-regex" | "smaller" | "older"))
        .action(ArgAction::Set)
}

// By hand, because derive cannot say in which order occurrences of different options came.
impl Args for FilterArgs {
    fn augment_args(command: Command) -> Command {
        let command = KINDS.iter().fold(command, |command, (name, _, value, help)| {
            command.arg(option(name, value, help).action(ArgAction::Append))
        });
        command
            .arg(option("larger", "SIZE", "At least so many bytes, such as `10M`"))
            .arg(option("smaller", "SIZE", "At most so many bytes"))
            .arg(option("newer", "TIME", "Modified at or after, such as `2d` or `2026-01-31`"))
            .arg(option("older", "TIME", "Modified before"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FilterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut rules: Vec<(usize, Kind, String)> = Vec::new();
        for (name, kind, _, _) in KINDS {
            let values = matches.get_many::<String>(name).into_iter().flatten();
            let indices = matches.indices_of(name).into_iter().flatten();
            rules.extend(indices.zip(values).map(|(index, value)| (index, kind, value.clone())));
        }
        rules.sort_by_key(|(index, ..)| *index);
        let one = |name: &str| matches.get_one::<String>(name).cloned();
        Ok(Self {
            rules: rules.into_iter().map(|(_, kind, text)| (kind, text)).collect(),
            larger: one("larger"),
            smaller: one("smaller"),
            newer: one("newer"),
            older: one("older"),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> FilterArgs {
        let command = FilterArgs::augment_args(Command::new("t").no_binary_name(true));
        FilterArgs::from_arg_matches(&command.get_matches_from(arguments)).expect("built from its own definition")
    }

    #[test]
    fn name_rules_keep_their_order_across_options() {
        let args =
            parse(&["--exclude", "*", "--regex", "a$", "--include", "b*", "--exclude", "bb", "--exclude-regex=c"]);
        let kinds: Vec<_> = args.rules.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
        assert_eq!(
            kinds,
            [
                (Kind::Exclude, "*"),
                (Kind::Regex, "a$"),
                (Kind::Include, "b*"),
                (Kind::Exclude, "bb"),
                (Kind::ExcludeRegex, "c")
            ]
        );
    }
}
