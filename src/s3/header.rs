//! Reading headers of answers: text and dates.

use http::HeaderMap;
use jiff::Timestamp;

/// A header as text; `None` if absent or not UTF-8.
pub(in crate::s3) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    std::str::from_utf8(headers.get(name)?.as_bytes()).ok().map(str::to_owned)
}

/// A date of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`. Its obsolete forms are not used by any store.
pub(in crate::s3) fn http_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text.trim()).ok()
}
