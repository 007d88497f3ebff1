//! Percent-encoding as S3 wants it: every byte but `A-Za-z0-9-._~` (and `/` in a path), encoded once.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::fmt::Write;

const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const PATH: &AsciiSet = &QUERY.remove(b'/');

/// Appends a key (or any text that may hold `/`) to a path.
pub(super) fn push_path(out: &mut String, text: &str) {
    let _ = write!(out, "{}", utf8_percent_encode(text, PATH));
}

/// Appends `name=value` to a query, with `&` where needed; without a value the bare name.
pub(super) fn push_query(out: &mut String, name: &str, value: Option<&str>) {
    if !out.is_empty() {
        out.push('&');
    }
    let _ = write!(out, "{}", utf8_percent_encode(name, QUERY));
    if let Some(value) = value {
        let _ = write!(out, "={}", utf8_percent_encode(value, QUERY));
    }
}

/// Decodes a name of a listing with `encoding-type=url`: `+` is a space, then `%XX`. The name itself if the result is not UTF-8.
pub(super) fn decode(name: String) -> Result<String, String> {
    if !name.bytes().any(|byte| byte == b'%' || byte == b'+') {
        return Ok(name);
    }
    let spaced = name.replace('+', " ");
    match percent_decode_str(&spaced).decode_utf8() {
        Ok(decoded) => Ok(decoded.into_owned()),
        Err(_) => Err(name),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_path_keeps_slashes_and_dots_and_encodes_the_rest_once() {
        let encoded = |key: &str| {
            let mut out = String::new();
            push_path(&mut out, key);
            out
        };
        assert_eq!(encoded("a b+c%2F/../é\n\\'()*!~"), "a%20b%2Bc%252F/../%C3%A9%0A%5C%27%28%29%2A%21~");
        assert_eq!(encoded("//x?y#z&=\0"), "//x%3Fy%23z%26%3D%00");
        assert_eq!(encoded("😀"), "%F0%9F%98%80");
    }

    #[test]
    fn a_query_encodes_slashes_too() {
        let mut out = String::new();
        push_query(&mut out, "uploads", None);
        push_query(&mut out, "prefix", Some("a/b c"));
        assert_eq!(out, "uploads&prefix=a%2Fb%20c");
    }

    #[test]
    fn a_listed_name_is_decoded_as_a_form_value() {
        let decoded = |name: &str| decode(name.to_owned());
        assert_eq!(decoded("a+b%2Bc%25/d"), Ok("a b+c%/d".into()));
        assert_eq!(decoded("plain/é"), Ok("plain/é".into()));
        assert_eq!(decoded("100%"), Ok("100%".into()), "a stray percent sign stays");
        assert_eq!(decoded("%FF"), Err("%FF".into()));
    }

    proptest::proptest! {
        #[test]
        fn every_name_comes_back(name in "\\PC*|[\\x00-\\x7f]*") {
            let mut out = String::new();
            push_path(&mut out, &name);
            proptest::prop_assert_eq!(decode(out), Ok(name));
        }
    }
}
