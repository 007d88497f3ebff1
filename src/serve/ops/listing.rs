//! The walk all listings share: prefix, delimiter, marker, page size, over anything that can be sought by key.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use memchr::memmem;

use super::Call;
use crate::serve::error::ApiError;
use crate::serve::xml;

/// A page holds at most this many items.
pub(super) const MAX_PAGE: usize = 1000;

/// What a listing is asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) prefix: String,
    /// `None` if absent or empty.
    pub(super) delimiter: Option<String>,
    pub(super) max: usize,
    /// Keys and common prefixes up to and including this one are left out.
    pub(super) after: String,
    /// Names are percent-encoded.
    pub(super) encode: bool,
}

impl Scope {
    /// Reads what all listings have in common; `max` is the name of the parameter for the page size.
    pub(super) fn of(call: &Call, max: &'static str) -> Result<Self, ApiError> {
        let text = |name: &str| call.query.get(name).unwrap_or_default().to_owned();
        let encode = match call.query.get("encoding-type") {
            None | Some("") => false,
            Some("url") => true,
            Some(other) => {
                return Err(ApiError::argument("encoding-type", other, "Invalid Encoding Method specified in Request"));
            }
        };
        let delimiter = Some(text("delimiter")).filter(|delimiter| !delimiter.is_empty());
        Ok(Self { prefix: text("prefix"), delimiter, max: page_size(call, max)?, after: String::new(), encode })
    }

    /// A name as the answer writes it.
    pub(super) fn name(&self, out: &mut String, name: &str) {
        if self.encode { url_encode(out, name) } else { xml::escape(out, name) }
    }

    /// An element that holds a name.
    pub(super) fn element(&self, xml: &mut xml::Writer, element: &str, name: &str) {
        xml.open(element);
        self.name(xml.buffer(), name);
        xml.close(element);
    }
}

fn page_size(call: &Call, name: &'static str) -> Result<usize, ApiError> {
    match call.query.get(name) {
        None | Some("") => Ok(MAX_PAGE),
        Some(text) => match text.parse::<i64>() {
            Ok(number) if (0..=i64::from(i32::MAX)).contains(&number) => {
                Ok(usize::try_from(number).map_or(MAX_PAGE, |number| number.min(MAX_PAGE)))
            }
            _ => Err(ApiError::argument(name, text, "Provided max-keys not an integer or within integer range")),
        },
    }
}

/// An item of a page.
pub(super) enum Item<'a, E> {
    /// A key and what is known of it.
    Entry(Cow<'a, [u8]>, E),
    /// A common prefix.
    Prefix(&'a str),
}

/// How a walk ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    /// Items visited.
    pub(super) count: usize,
    /// Of these, common prefixes.
    pub(super) prefixes: usize,
    /// Whether there is more.
    pub(super) truncated: bool,
    /// The last item.
    pub(super) last: Option<String>,
}

/// Visits the items of one page. `seek` gives the entries whose keys are not less than its argument, in order.
pub(super) fn walk<'a, E, I>(scope: &Scope, seek: impl Fn(&[u8]) -> I, mut visit: impl FnMut(Item<'_, E>)) -> End
where
    I: Iterator<Item = (Cow<'a, [u8]>, E)>,
{
    let prefix = scope.prefix.as_bytes();
    let finder = scope.delimiter.as_deref().map(|delimiter| (memmem::Finder::new(delimiter), delimiter.len()));
    let mut end = End::default();
    let mut from = start(scope);
    if scope.max == 0 {
        return end;
    }
    'seek: loop {
        for (key, entry) in seek(&from) {
            if !key.starts_with(prefix) {
                return end;
            }
            let cut =
                finder.as_ref().and_then(|(finder, len)| Some(prefix.len() + finder.find(&key[prefix.len()..])? + len));
            let name = cut.map_or(&*key, |cut| &key[..cut]);
            if cut.is_some() && name <= scope.after.as_bytes() {
                let Some(next) = successor(name) else { return end };
                from = next;
                continue 'seek;
            }
            if end.count == scope.max {
                end.truncated = true;
                return end;
            }
            end.count += 1;
            // Keys are stored as UTF-8 and delimiters are UTF-8, so a cut behind one is on a character's border.
            let text = String::from_utf8_lossy(name);
            if end.count == scope.max {
                end.last = Some(text.clone().into_owned());
            }
            if cut.is_none() {
                drop(text);
                visit(Item::Entry(key, entry));
                continue;
            }
            visit(Item::Prefix(&text));
            end.prefixes += 1;
            let Some(next) = successor(name) else { return end };
            from = next;
            continue 'seek;
        }
        return end;
    }
}

/// The least key a page may begin with.
fn start(scope: &Scope) -> Vec<u8> {
    let (prefix, after) = (scope.prefix.as_bytes(), scope.after.as_bytes());
    if after < prefix {
        return prefix.to_vec();
    }
    let mut from = after.to_vec();
    if !after.is_empty() {
        // The least string greater than the marker.
        from.push(0);
    }
    from
}

/// The least string greater than all that start with `prefix`.
pub(super) fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let kept = prefix.iter().rposition(|byte| *byte < 0xff)?;
    let mut next = prefix[..=kept].to_vec();
    next[kept] += 1;
    Some(next)
}

/// Percent-encoding as S3's `encoding-type=url` does it: a space is `+`, and `/` stays.
pub(super) fn url_encode(out: &mut String, text: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' | b'/') {
            continue;
        }
        // All bytes of a character that is not ASCII are encoded: a plain stretch never ends inside one.
        if plain < at {
            out.push_str(&text[plain..at]);
        }
        if byte == b' ' {
            out.push('+');
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
}

/// Makes a continuation token of the last item of a page. It looks like nothing, so that nobody takes it apart.
pub(super) fn token(last: &str) -> String {
    let mut bytes = vec![0; 1];
    bytes.extend_from_slice(last.as_bytes());
    bytes[0] = check(last.as_bytes());
    scramble(&mut bytes);
    URL_SAFE.encode(bytes)
}

/// Reads a continuation token; `None` if it is not one.
pub(super) fn read_token(token: &str) -> Option<String> {
    let mut bytes = URL_SAFE.decode(token).ok()?;
    scramble(&mut bytes);
    let (sum, last) = bytes.split_first()?;
    (check(last) == *sum).then(|| String::from_utf8(last.to_vec()).ok())?
}

fn check(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0x5a, |sum: u8, byte| sum.rotate_left(3) ^ byte)
}

fn scramble(bytes: &mut [u8]) {
    for (at, byte) in bytes.iter_mut().enumerate() {
        // The low byte of a multiplicative sequence; the cast keeps just that.
        #[expect(clippy::cast_possible_truncation)]
        let mask = (at as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(13) as u8;
        *byte ^= mask;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeSet;

    fn page(keys: &[&str], scope: &Scope) -> (Vec<String>, End) {
        let set: BTreeSet<Vec<u8>> = keys.iter().map(|key| key.as_bytes().to_vec()).collect();
        let mut items = Vec::new();
        let seek = |from: &[u8]| set.range(from.to_vec()..).map(|key| (Cow::Borrowed(key.as_slice()), ()));
        let end = walk(scope, seek, |item| match item {
            Item::Entry(key, ()) => items.push(String::from_utf8(key.into_owned()).unwrap()),
            Item::Prefix(prefix) => items.push(format!("{prefix}*")),
        });
        (items, end)
    }

    fn scope(prefix: &str, delimiter: &str, after: &str, max: usize) -> Scope {
        let delimiter = Some(delimiter.to_owned()).filter(|delimiter| !delimiter.is_empty());
        Scope { prefix: prefix.into(), delimiter, max, after: after.into(), encode: false }
    }

    const KEYS: [&str; 7] = ["a", "b-x", "b/1", "b/2", "b/c/3", "b0", "é/x"];

    #[test]
    fn a_delimiter_folds_what_follows_it() {
        assert_eq!(page(&KEYS, &scope("", "/", "", 1000)).0, ["a", "b-x", "b/*", "b0", "é/*"]);
        assert_eq!(page(&KEYS, &scope("b/", "/", "", 1000)).0, ["b/1", "b/2", "b/c/*"]);
        assert_eq!(page(&KEYS, &scope("b", "", "", 1000)).0, ["b-x", "b/1", "b/2", "b/c/3", "b0"]);
    }

    #[test]
    fn pages_joined_by_their_last_item_give_the_whole() {
        for delimiter in ["", "/", "-"] {
            let whole = page(&KEYS, &scope("", delimiter, "", 1000)).0;
            for max in 1..=whole.len() {
                let (mut all, mut after) = (Vec::new(), String::new());
                loop {
                    let (items, end) = page(&KEYS, &scope("", delimiter, &after, max));
                    all.extend(items);
                    if !end.truncated {
                        break;
                    }
                    after = end.last.unwrap();
                }
                assert_eq!(all, whole, "{delimiter} {max}");
            }
        }
    }

    #[test]
    fn a_marker_inside_a_common_prefix_hides_it_and_one_before_it_does_not() {
        assert_eq!(page(&KEYS, &scope("", "/", "b/1", 1000)).0, ["b0", "é/*"]);
        assert_eq!(page(&KEYS, &scope("", "/", "b", 1000)).0, ["b-x", "b/*", "b0", "é/*"]);
    }

    #[test]
    fn a_full_last_page_is_not_truncated_and_an_empty_page_size_gives_nothing() {
        assert!(!page(&KEYS, &scope("", "", "", 7)).1.truncated);
        assert!(page(&KEYS, &scope("", "", "", 6)).1.truncated);
        assert_eq!(page(&KEYS, &scope("", "", "", 0)).1, End::default());
    }

    #[test]
    fn names_are_encoded_as_s3_does() {
        let mut out = String::new();
        url_encode(&mut out, "a b+c/é*~\n%.x");
        assert_eq!(out, "a+b%2Bc/%C3%A9*%7E%0A%25.x");
    }

    #[test]
    fn tokens_come_back_and_others_are_refused() {
        for last in ["", "a", "b/c", "😀\n"] {
            assert_eq!(read_token(&token(last)).as_deref(), Some(last));
        }
        for other in ["", "a", "!!!", "aGVsbG8="] {
            assert_eq!(read_token(other), None, "{other}");
        }
    }
}
