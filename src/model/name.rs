//! Destination names: what an object or file is called below a container (`cli.md`, section Names).

/// How the name below a container is made from the source's name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Naming {
    /// The whole relative name.
    #[default]
    Relative,
    /// Its last component.
    Flatten,
    /// Without a prefix that must be there.
    Strip(String),
    /// From a template.
    Template(Template),
}
/// `{}` key, `{/}` base, `{//}` directory, `{.}` without extension, `{bucket}`, `{n:06}`, `{{` and `}}` literal braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {/* pieces */}
/// Why no name can be made; the text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NameError(pub String);
impl Template {
    pub fn parse(_text: &str) -> Result<Self, NameError> {
        todo!()
    }
}
impl Naming {
    /// The name below the container. `relative` is the key relative to the listing root (records: the full key), `bucket` the source's (empty for files), `n` the 1-based job number.
    /// Fails for an empty result.
    pub fn name(&self, _relative: &str, _bucket: &str, _n: u64) -> Result<String, NameError> {
        todo!()
    }
    /// Whether two different sources may get one name (then a conflict table is needed).
    pub fn may_collide(&self) -> bool {
        !matches!(self, Self::Relative)
    }
}
/// Local path of a key below a target directory, as components that are each one plain name. Refuses what would leave the target or
/// cannot be a file name: `..`, an empty or absolute start, NUL, a drive letter on Windows, a component over 255 bytes. Empty components (`a//b`) and `.` are refused too, so
/// that no two keys get one path silently. A trailing `/` marks a directory and is reported as such.
pub fn local_components(_name: &str) -> Result<LocalName, NameError> {
    todo!()
}
/// A checked relative path. `directory` is set for names that end in `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalName {
    pub components: Vec<String>,
    pub directory: bool,
}
