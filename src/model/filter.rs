//! Which objects are wanted: globs, regular expressions, sizes, times, storage classes.
use super::record::Record;
use jiff::Timestamp;

/// One name rule, in the order given on the command line; the last that matches wins.
#[derive(Debug, Clone)]
pub enum Rule {
    Include(Pattern),
    Exclude(Pattern),
}
/// A compiled glob or regular expression over names.
#[derive(Debug, Clone)]
pub struct Pattern {/* regex */}
/// A pattern that does not compile; the text says why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad pattern '{pattern}': {reason}")]
pub struct PatternError {
    pub pattern: String,
    pub reason: String,
}
impl Pattern {
    /// `*` and `?` match `/` too; `[…]` sets; a literal `\` escapes. Anchored at both ends.
    pub fn glob(_text: &str) -> Result<Self, PatternError> {
        todo!()
    }
    /// A search anywhere in the name.
    pub fn regex(_text: &str) -> Result<Self, PatternError> {
        todo!()
    }
    pub fn matches(&self, _name: &str) -> bool {
        todo!()
    }
}
/// All filters of a command; the default lets everything through.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub rules: Vec<Rule>,
    /// at least so many bytes
    pub larger: Option<u64>,
    /// at most so many bytes
    pub smaller: Option<u64>,
    pub newer: Option<Timestamp>,
    pub older: Option<Timestamp>,
    pub storage_class: Vec<String>,
}
impl Filter {
    /// Whether a name (relative to the source root; for records the key) passes the name rules alone.
    pub fn admits_name(&self, _name: &str) -> bool {
        todo!()
    }
    /// Whether the record passes; a fact the record does not know passes its rule.
    pub fn admits(&self, _name: &str, _record: &Record) -> bool {
        todo!()
    }
    /// Whether nothing is filtered.
    pub fn is_empty(&self) -> bool {
        todo!()
    }
}
/// Whether an operand holds a glob character (`*`, `?`, `[`).
pub fn is_glob(_key: &str) -> bool {
    todo!()
}
/// The literal start of a glob, for use as a listing prefix.
pub fn glob_prefix(_glob: &str) -> &str {
    todo!()
}
