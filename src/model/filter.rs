//! Which objects are wanted: globs, regular expressions, sizes, times, storage classes.
//!
//! Globs are translated to regular expressions, because `*` matches `/` here and a key is not a path. Whose name is matched (the key,
//! or what is below a source's root) is the caller's business.

use super::record::Record;
use jiff::Timestamp;
use regex::Regex;
use std::fmt::Write as _;

/// One name rule, in the order given on the command line; the last that matches wins.
#[derive(Debug, Clone)]
pub enum Rule {
    /// Names that match are wanted.
    Include(Pattern),
    /// Names that match are not.
    Exclude(Pattern),
}

/// A compiled glob or regular expression over names.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

/// A pattern that does not compile; the text says why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad pattern '{pattern}': {reason}")]
pub struct PatternError {
    /// As typed.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Pattern {
    /// `*` and `?` match `/` too; `[…]` sets; a literal `\` escapes. Anchored at both ends.
    pub fn glob(text: &str) -> Result<Self, PatternError> {
        let error = |reason: String| PatternError { pattern: text.to_owned(), reason };
        let translated = translate(text).map_err(|reason| error(reason.to_owned()))?;
        Regex::new(&translated)
            .map(Self)
            .map_err(|_| error("a set's range runs backwards, or it is too large".to_owned()))
    }

    /// A search anywhere in the name.
    pub fn regex(text: &str) -> Result<Self, PatternError> {
        Regex::new(text).map(Self).map_err(|error| {
            // The crate draws the pattern over several lines; its last line is the reason.
            let reason = error.to_string().lines().last().unwrap_or_default().replacen("error: ", "", 1);
            PatternError { pattern: text.to_owned(), reason }
        })
    }

    /// Whether the name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.0.is_match(name)
    }
}

/// A glob as a regular expression.
fn translate(glob: &str) -> Result<String, &'static str> {
    let mut regex = r"(?s)\A".to_owned();
    let mut rest = glob.chars();
    while let Some(c) = rest.next() {
        match c {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            '[' => translate_set(&mut rest, &mut regex)?,
            '\\' => literal(rest.next().ok_or("ends in a lone backslash")?, &mut regex),
            c => literal(c, &mut regex),
        }
    }
    regex.push_str(r"\z");
    Ok(regex)
}

/// Translates a set whose `[` was read. `!` or `^` first turns it round; `]` first is a member.
fn translate_set(rest: &mut std::str::Chars<'_>, regex: &mut String) -> Result<(), &'static str> {
    const UNCLOSED: &str = "'[' without ']' (write '\\[' for the character)";
    regex.push('[');
    let mut next = rest.next().ok_or(UNCLOSED)?;
    if matches!(next, '!' | '^') {
        regex.push('^');
        next = rest.next().ok_or(UNCLOSED)?;
    }
    let mut first = true;
    while first || next != ']' {
        let low = member(next, rest).ok_or(UNCLOSED)?;
        literal(low, regex);
        let mut ahead = rest.clone();
        // A `-` is a range unless it is the last member.
        if ahead.next() == Some('-') && ahead.clone().next().is_some_and(|c| c != ']') {
            rest.next();
            let high = rest.next().and_then(|c| member(c, rest)).ok_or(UNCLOSED)?;
            regex.push('-');
            literal(high, regex);
        }
        next = rest.next().ok_or(UNCLOSED)?;
        first = false;
    }
    regex.push(']');
    Ok(())
}

/// A set's member: the character, or the one after its backslash.
fn member(c: char, rest: &mut std::str::Chars<'_>) -> Option<char> {
    if c == '\\' { rest.next() } else { Some(c) }
}

/// Appends a character that means itself, inside sets and outside.
fn literal(c: char, regex: &mut String) {
    write!(regex, r"\x{{{:x}}}", u32::from(c)).expect("strings take everything");
}

/// All filters of a command; the default lets everything through.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Name rules, in order.
    pub rules: Vec<Rule>,
    /// At least so many bytes.
    pub larger: Option<u64>,
    /// At most so many bytes.
    pub smaller: Option<u64>,
    /// Modified at this instant or later.
    pub newer: Option<Timestamp>,
    /// Modified before this instant.
    pub older: Option<Timestamp>,
    /// One of these, any case; empty: all.
    pub storage_class: Vec<String>,
}

impl Filter {
    /// Whether a name (relative to the source root; for records the key) passes the name rules alone.
    #[must_use]
    pub fn admits_name(&self, name: &str) -> bool {
        let verdict = self.rules.iter().rev().find_map(|rule| match rule {
            Rule::Include(pattern) => pattern.matches(name).then_some(true),
            Rule::Exclude(pattern) => pattern.matches(name).then_some(false),
        });
        // Whoever begins with an include says what is wanted; whoever begins with an exclude says what is not.
        verdict.unwrap_or(!matches!(self.rules.first(), Some(Rule::Include(_))))
    }

    /// Whether the record passes; a fact the record does not know passes its rule.
    #[must_use]
    pub fn admits(&self, name: &str, record: &Record) -> bool {
        let class = |class: &String| self.storage_class.iter().any(|wanted| wanted.eq_ignore_ascii_case(class));
        within(record.size, |size| self.larger.is_none_or(|least| size >= least))
            && within(record.size, |size| self.smaller.is_none_or(|most| size <= most))
            && within(record.last_modified, |time| self.newer.is_none_or(|start| time >= start))
            && within(record.last_modified, |time| self.older.is_none_or(|end| time < end))
            && (self.storage_class.is_empty() || within(record.storage_class.as_ref(), class))
            && self.admits_name(name)
    }

    /// Whether nothing is filtered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { rules, larger, smaller, newer, older, storage_class } = self;
        let bounds = larger.is_some() || smaller.is_some() || newer.is_some() || older.is_some();
        !bounds && rules.is_empty() && storage_class.is_empty()
    }
}

fn within<T>(fact: Option<T>, passes: impl FnOnce(T) -> bool) -> bool {
    fact.is_none_or(passes)
}

/// Whether an operand holds a glob character (`*`, `?`, `[`).
#[must_use]
pub fn is_glob(key: &str) -> bool {
    key.contains(['*', '?', '['])
}

/// The literal start of a glob, for use as a listing prefix. It ends before an escape too, so it may be shorter than it could be.
#[must_use]
pub fn glob_prefix(glob: &str) -> &str {
    &glob[..glob.find(['*', '?', '[', '\\']).unwrap_or(glob.len())]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::uri::S3Uri;
    use proptest::prelude::*;

    fn glob(text: &str) -> Pattern {
        Pattern::glob(text).unwrap()
    }

    fn include(text: &str) -> Rule {
        Rule::Include(glob(text))
    }

    fn exclude(text: &str) -> Rule {
        Rule::Exclude(glob(text))
    }

    fn admits(rules: impl IntoIterator<Item = Rule>, name: &str) -> bool {
        Filter { rules: rules.into_iter().collect(), ..Filter::default() }.admits_name(name)
    }

    #[test]
    fn stars_and_question_marks_match_slashes_and_line_ends() {
        assert!(glob("*.txt").matches("a/b\n/c.txt"));
        assert!(glob("a?b").matches("a/b"));
        assert!(glob("*").matches(""));
        assert!(!glob("?").matches(""));
        assert!(glob("?").matches("😀"));
    }

    #[test]
    fn globs_are_anchored_at_both_ends() {
        assert!(!glob("b").matches("abc"));
        assert!(!glob("*.tx").matches("a.txt"));
    }

    #[test]
    fn sets_hold_ranges_negations_and_brackets() {
        for (pattern, yes, no) in [
            ("[a-c]x", "bx", "dx"),
            ("[!a-c]x", "dx", "bx"),
            ("[^a-c]x", "dx", "bx"),
            ("[]a]", "]", "b"),
            ("[!]a]", "b", "]"),
            ("[a-]", "-", "b"),
            ("[-a]", "-", "b"),
            (r"[\]-\^]", "^", "\\"),
            (r"[\\]", "\\", "["),
            ("[&&~~]", "&", "x"),
            ("[/]", "/", "x"),
        ] {
            assert!(glob(pattern).matches(yes), "{pattern} {yes}");
            assert!(!glob(pattern).matches(no), "{pattern} {no}");
        }
    }

    #[test]
    fn other_signs_of_regular_expressions_and_braces_are_literal() {
        for name in ["a.b", "{a,b}", "(x)", "a+b$^|"] {
            assert!(glob(name).matches(name));
        }
        assert!(!glob("a.b").matches("axb"));
        assert!(glob(r"\*\?\[x").matches("*?[x"));
    }

    #[test]
    fn patterns_that_cannot_be_say_why() {
        assert!(Pattern::glob("a[b").unwrap_err().to_string().contains("'[' without ']'"));
        assert!(Pattern::glob("[]").is_err());
        assert!(Pattern::glob("[b-a]").unwrap_err().to_string().contains("backwards"));
        assert!(Pattern::glob("a\\").is_err());
        let error = Pattern::regex("a(b").unwrap_err();
        assert_eq!(error.to_string(), "bad pattern 'a(b': unclosed group");
    }

    #[test]
    fn regular_expressions_search_anywhere() {
        let pattern = Pattern::regex(r"\.(jpe?g|png)$").unwrap();
        assert!(pattern.matches("a/b.jpg") && !pattern.matches("a.jpg/b"));
    }

    #[test]
    fn the_last_rule_that_matches_wins() {
        assert!(admits([exclude("*"), include("*.txt")], "a.txt"));
        assert!(!admits([include("*.txt"), exclude("*")], "a.txt"));
        assert!(!admits([exclude("*"), include("*.txt"), exclude("secret*")], "secret.txt"));
    }

    #[test]
    fn what_matches_nothing_is_in_unless_the_first_rule_includes() {
        assert!(admits([], "x"));
        assert!(admits([exclude("*.txt")], "x"));
        assert!(!admits([include("*.txt")], "x"));
        assert!(!admits([include("*.txt"), exclude("y")], "x"));
        assert!(admits([exclude("y"), include("*.txt")], "x"));
    }

    #[test]
    fn bounds_apply_to_what_is_known() {
        let at = |text: &str| Some(text.parse::<Timestamp>().unwrap());
        let mut record = Record::new(S3Uri::new("b", "k"));
        let filter = Filter {
            larger: Some(10),
            smaller: Some(20),
            newer: at("2026-01-01T00:00:00Z"),
            older: at("2026-02-01T00:00:00Z"),
            storage_class: vec!["standard_ia".into()],
            ..Filter::default()
        };
        assert!(filter.admits("k", &record) && !filter.is_empty() && Filter::default().is_empty());
        for (size, passes) in [(9, false), (10, true), (20, true), (21, false)] {
            record.size = Some(size);
            assert_eq!(filter.admits("k", &record), passes, "{size}");
        }
        record.size = None;
        for (time, passes) in
            [("2025-12-31T23:59:59Z", false), ("2026-01-01T00:00:00Z", true), ("2026-02-01T00:00:00Z", false)]
        {
            record.last_modified = at(time);
            assert_eq!(filter.admits("k", &record), passes, "{time}");
        }
        record.last_modified = None;
        record.storage_class = Some("STANDARD_IA".into());
        assert!(filter.admits("k", &record));
        record.storage_class = Some("STANDARD".into());
        assert!(!filter.admits("k", &record));
    }

    #[test]
    fn a_globs_literal_start_is_its_listing_prefix() {
        for (pattern, prefix) in [("a/b*c", "a/b"), ("*", ""), ("a/b", "a/b"), ("é[x]", "é"), (r"a\*b", "a")] {
            assert_eq!(glob_prefix(pattern), prefix);
        }
        assert!(is_glob("a?") && is_glob("a*") && is_glob("[a]") && !is_glob("a/b{c}"));
    }

    /// The textbook definition, for stars, question marks and literals.
    fn matches_slowly(glob: &[char], name: &[char]) -> bool {
        match (glob, name) {
            ([], []) => true,
            (['*', rest @ ..], _) => (0..=name.len()).any(|skip| matches_slowly(rest, &name[skip..])),
            (['?', rest @ ..], [_, name @ ..]) => matches_slowly(rest, name),
            ([c, rest @ ..], [d, name @ ..]) => c == d && matches_slowly(rest, name),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn globs_match_as_defined(pattern in "[ab/*?é\n.]{0,8}", name in "[ab/é\n.]{0,8}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(glob(&pattern).matches(&name), matches_slowly(&chars(&pattern), &chars(&name)));
        }

        #[test]
        fn an_escaped_name_matches_itself_alone(name: String, other: String) {
            let escaped: String = name.chars().flat_map(|c| ['\\', c]).collect();
            prop_assert!(glob(&escaped).matches(&name));
            prop_assert_eq!(glob(&escaped).matches(&other), name == other);
        }

        #[test]
        fn what_matches_starts_with_the_listing_prefix(pattern in "[ab*?]{0,6}", name in "[ab]{0,6}") {
            prop_assert!(!glob(&pattern).matches(&name) || name.starts_with(glob_prefix(&pattern)));
        }
    }
}
