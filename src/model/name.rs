//! Destination names: what an object or file is called below a container.
//!
//! Names are text until they meet a file system; [`local_components`] is the gate there, and no name goes round it. What a container
//! is, and which part of a source's name counts, is decided by the caller.

use std::fmt::Write as _;

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
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Name,
    Base,
    Directory,
    Stem,
    Bucket,
    /// The job's number with at least so many digits.
    Number(usize),
}

/// Why no name can be made; the text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NameError(pub String);

impl NameError {
    fn because<T>(why: impl Into<String>) -> Result<T, Self> {
        Err(Self(why.into()))
    }
}

impl Template {
    /// Reads a template.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let brace = &rest[at..=at];
            literal.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                literal.push_str(brace);
                rest = after;
                continue;
            }
            let Some((name, after)) = rest.split_once('}').filter(|_| brace == "{") else {
                return NameError::because(format!(
                    "'{brace}' alone in template '{text}'; write {brace}{brace} for the character"
                ));
            };
            if !literal.is_empty() {
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::parse(name)?);
            rest = after;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self(pieces))
    }

    /// Fills the template. An empty directory takes the `/` behind it along, so `{//}/{/}` of `a` is `a`.
    fn fill(&self, name: &str, bucket: &str, n: u64) -> String {
        let mut filled = String::new();
        let mut drop_slash = false;
        for piece in &self.0 {
            match piece {
                Piece::Literal(text) => filled.push_str(text.strip_prefix('/').filter(|_| drop_slash).unwrap_or(text)),
                Piece::Name => filled.push_str(name),
                Piece::Base => filled.push_str(split_base(name).1),
                Piece::Directory => filled.push_str(directory(name)),
                Piece::Stem => filled.push_str(stem(name)),
                Piece::Bucket => filled.push_str(bucket),
                Piece::Number(width) => write!(filled, "{n:0width$}").expect("strings take everything"),
            }
            drop_slash = *piece == Piece::Directory && directory(name).is_empty();
        }
        filled
    }
}

impl Piece {
    /// Reads what stands between the braces.
    fn parse(name: &str) -> Result<Self, NameError> {
        Ok(match name {
            "" => Self::Name,
            "/" => Self::Base,
            "//" => Self::Directory,
            "." => Self::Stem,
            "bucket" => Self::Bucket,
            "n" => Self::Number(0),
            _ => match name.strip_prefix("n:0").and_then(|width| width.parse::<u8>().ok()) {
                Some(width) if width <= 20 => Self::Number(width.into()),
                _ => {
                    return NameError::because(format!(
                        "unknown '{{{name}}}' in template; known are {{}} {{/}} {{//}} {{.}} {{bucket}} {{n}} {{n:06}}"
                    ));
                }
            },
        })
    }
}

/// Splits before the last component; a `/` at the end belongs to it, so that a marker `a/b/` has the base `b/`.
fn split_base(name: &str) -> (&str, &str) {
    let inner = name.trim_end_matches('/');
    name.split_at(inner.rfind('/').map_or(0, |slash| slash + 1))
}

/// What is before the last component, without the `/` between.
fn directory(name: &str) -> &str {
    let (directory, _) = split_base(name);
    directory.strip_suffix('/').unwrap_or(directory)
}

/// The name without the extension of its last component. A dot at its start makes no extension.
fn stem(name: &str) -> &str {
    let (directory, base) = split_base(name);
    match base.rfind('.') {
        Some(dot) if dot > 0 => &name[..directory.len() + dot],
        _ => name,
    }
}

impl Naming {
    /// The name below the container. `relative` is the key relative to the listing root (records: the full key), `bucket` the source's
    /// (empty for files), `n` the 1-based job number. Fails for an empty result.
    pub fn name(&self, relative: &str, bucket: &str, n: u64) -> Result<String, NameError> {
        let name = match self {
            Self::Relative => relative.to_owned(),
            Self::Flatten => split_base(relative).1.to_owned(),
            Self::Strip(prefix) => match relative.strip_prefix(prefix.as_str()) {
                Some(rest) => rest.to_owned(),
                None => return NameError::because(format!("'{relative}' does not start with '{prefix}'")),
            },
            Self::Template(template) => template.fill(relative, bucket, n),
        };
        if name.is_empty() {
            return NameError::because(format!("nothing is left of the name '{relative}'"));
        }
        Ok(name)
    }

    /// Whether two different sources may get one name (then a conflict table is needed).
    #[must_use]
    pub fn may_collide(&self) -> bool {
        !matches!(self, Self::Relative)
    }
}

/// Longest file name that the usual file systems take, in bytes.
const MAX_COMPONENT: usize = 255;

/// Local path of a key below a target directory, as components that are each one plain name. Refuses what would leave the target or
/// cannot be a file name: `..`, an empty or absolute start, NUL, a drive letter on Windows, a component over 255 bytes. Empty components
/// (`a//b`) and `.` are refused too, so that no two keys get one path silently. A trailing `/` marks a directory and is reported as such.
/// `\` is an ordinary character except on Windows, where it is refused.
pub fn local_components(name: &str) -> Result<LocalName, NameError> {
    let (path, directory) = name.strip_suffix('/').map_or((name, false), |path| (path, true));
    let components = path.split('/').map(|component| plain(component).map(str::to_owned)).collect::<Result<_, _>>();
    match components {
        Ok(components) => Ok(LocalName { components, directory }),
        Err(why) if name.starts_with('/') => NameError::because(format!("'{name}' is absolute: {why}")),
        Err(why) => NameError::because(format!("'{name}' cannot be a path below the target: {why}")),
    }
}

/// Whether one component can be a file's name.
fn plain(component: &str) -> Result<&str, &'static str> {
    match component {
        "" => Err("it has an empty component"),
        "." | ".." => Err("'.' and '..' are no file names"),
        _ if component.contains('\0') => Err("a file name cannot hold NUL"),
        _ if component.len() > MAX_COMPONENT => Err("a component is over 255 bytes"),
        _ if is_foreign(component) => Err("Windows reads ':' and '\\' as more than a name"),
        _ => Ok(component),
    }
}

/// Whether Windows would see a drive, a stream or a separator in it.
#[cfg(windows)]
fn is_foreign(component: &str) -> bool {
    component.contains([':', '\\'])
}

#[cfg(not(windows))]
fn is_foreign(_component: &str) -> bool {
    false
}

/// A checked relative path. `directory` is set for names that end in `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalName {
    /// From the target downwards; at least one.
    pub components: Vec<String>,
    /// Whether the name ended in `/`.
    pub directory: bool,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn fill(template: &str, name: &str) -> String {
        Naming::Template(Template::parse(template).unwrap()).name(name, "my-bucket", 42).unwrap()
    }

    #[test]
    fn templates_take_names_apart() {
        for (template, name, filled) in [
            ("{}", "a/b.txt", "a/b.txt"),
            ("x-{/}", "a/b.txt", "x-b.txt"),
            ("{//}", "a/b/c.txt", "a/b"),
            ("{.}.gz", "a.d/b.tar", "a.d/b.gz"),
            ("{.}", "a.d/b", "a.d/b"),
            ("{.}", "a/.bashrc", "a/.bashrc"),
            ("{bucket}/{}", "k", "my-bucket/k"),
            ("{n:06}-{n}", "k", "000042-42"),
            ("{{{}}}", "k", "{k}"),
            ("{{n}}", "k", "{n}"),
            ("plain", "k", "plain"),
            ("{//}/{/}", "k", "k"),
            ("{//}/{/}", "a/k", "a/k"),
            ("{/}", "a/b/", "b/"),
        ] {
            assert_eq!(fill(template, name), filled, "{template} of {name}");
        }
    }

    #[test]
    fn templates_with_stray_braces_or_unknown_names_are_refused() {
        for text in ["{", "}", "a{", "a}b", "{x}", "{n:}", "{n:6}", "{n:099}", "{ }", "{}}", "{{}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
        assert!(Template::parse("{key}").unwrap_err().to_string().contains("known are {} {/}"));
    }

    #[test]
    fn flattened_and_stripped_names_lose_their_front() {
        assert_eq!(Naming::Flatten.name("a/b/c", "", 1).unwrap(), "c");
        assert_eq!(Naming::Flatten.name("c", "", 1).unwrap(), "c");
        assert_eq!(Naming::Strip("a/".into()).name("a/b/c", "", 1).unwrap(), "b/c");
        assert!(Naming::Strip("x/".into()).name("a/b", "", 1).unwrap_err().to_string().contains("does not start with"));
    }

    #[test]
    fn an_empty_name_is_no_name() {
        assert!(Naming::Relative.name("", "b", 1).is_err());
        assert!(Naming::Strip("a".into()).name("a", "b", 1).is_err());
        assert!(Naming::Template(Template::parse("{//}").unwrap()).name("a", "b", 1).is_err());
    }

    #[test]
    fn only_relative_names_never_collide() {
        assert!(!Naming::Relative.may_collide() && Naming::Flatten.may_collide());
    }

    #[test]
    fn keys_that_climb_out_are_refused() {
        for name in [
            "..",
            "../evil1",
            "x/../../../evil2",
            "/abs/evil3",
            "//x",
            "a//b",
            ".",
            "./a",
            "a/./b",
            "a/..",
            "/",
            "",
            "a\0b",
        ] {
            assert!(local_components(name).is_err(), "{name:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_backslash_is_an_ordinary_character() {
        assert_eq!(local_components(r"w\..\..\e5").unwrap().components, [r"w\..\..\e5"]);
        assert_eq!(local_components("c:x").unwrap().components, ["c:x"]);
    }

    #[test]
    fn a_trailing_slash_marks_a_directory() {
        let name = local_components("a/b/").unwrap();
        assert_eq!((name.components, name.directory), (vec!["a".to_owned(), "b".to_owned()], true));
        assert!(!local_components("a/b").unwrap().directory);
        assert!(local_components("a//").is_err());
    }

    #[test]
    fn components_end_at_255_bytes() {
        assert!(local_components(&format!("l/{}", "n".repeat(255))).is_ok());
        assert!(local_components(&format!("l/{}", "語".repeat(85))).is_ok());
        let error = local_components(&format!("l/{}", "n".repeat(256))).unwrap_err();
        assert!(error.to_string().contains("over 255 bytes"));
    }

    proptest! {
        #[test]
        fn a_path_that_passes_is_the_name_itself(name in "[a./\\\\\u{0}😀]{0,12}") {
            if let Ok(local) = local_components(&name) {
                let slash = if local.directory { "/" } else { "" };
                prop_assert_eq!(local.components.join("/") + slash, name);
                prop_assert!(local.components.iter().all(|c| !c.is_empty() && c != "." && c != ".." && !c.contains(['/', '\0'])));
            }
        }

        #[test]
        fn templates_without_braces_stay_as_they_are(text in "[^{}]{1,12}", name: String) {
            prop_assert_eq!(fill(&text, &name), text);
        }
    }
}
