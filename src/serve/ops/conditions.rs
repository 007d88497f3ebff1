//! Preconditions and byte ranges.

use std::ops::Range;

use http::HeaderMap;

use crate::serve::error::ApiError;
use crate::serve::store::{Version, WriteCondition};
use crate::serve::time;

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

/// Whether a list of entity tags names this one. Weak tags compare as strong ones, as on S3.
fn names(list: &str, etag: &str) -> bool {
    list.split(',')
        .map(|tag| tag.trim().trim_start_matches("W/").trim_matches('"'))
        .any(|tag| tag == "*" || tag == etag)
}

/// Whether a read may go ahead: 412 if not, 304 if the client has it already.
pub(super) fn check_read(headers: &HeaderMap, version: &Version) -> Result<(), ApiError> {
    check(
        headers,
        "",
        version,
        |condition| ApiError::of("PreconditionFailed").with("Condition", condition),
        |_| {
            ApiError::of("NotModified")
                .header("etag", &version.quoted_etag())
                .header("last-modified", &time::http(version.facts.modified))
        },
    )
}

/// Whether a copy may go ahead: 412 in every case if not.
pub(super) fn check_copy(headers: &HeaderMap, source: &Version) -> Result<(), ApiError> {
    let failed = |condition| ApiError::of("PreconditionFailed").with("Condition", condition);
    check(headers, "x-amz-copy-source-", source, failed, failed)
}

/// RFC 9110's order: a tag that must match outweighs a date that must not have passed, and so for the opposite pair.
fn check(
    headers: &HeaderMap,
    prefix: &str,
    version: &Version,
    failed: impl Fn(String) -> ApiError,
    unchanged: impl Fn(String) -> ApiError,
) -> Result<(), ApiError> {
    let header = |name: &str| text(headers, &format!("{prefix}{name}"));
    let (etag, modified) = (&version.facts.etag, version.facts.modified);
    if let Some(list) = header("if-match") {
        if !names(list, etag) {
            return Err(failed("If-Match".into()));
        }
    } else if header("if-unmodified-since").and_then(time::parse_http).is_some_and(|date| modified > date) {
        return Err(failed("If-Unmodified-Since".into()));
    }
    if let Some(list) = header("if-none-match") {
        if names(list, etag) {
            return Err(unchanged("If-None-Match".into()));
        }
    } else if header("if-modified-since").and_then(time::parse_http).is_some_and(|date| modified <= date) {
        return Err(unchanged("If-Modified-Since".into()));
    }
    Ok(())
}

/// The condition of a write.
pub(super) fn of_write(headers: &HeaderMap) -> Result<WriteCondition, ApiError> {
    let absent = match text(headers, "if-none-match") {
        None => false,
        Some("*") => true,
        Some(_) => return Err(ApiError::of("NotImplemented").with("Header", "If-None-Match")),
    };
    let etag = text(headers, "if-match").map(|tag| tag.trim_matches('"').to_owned());
    Ok(WriteCondition { absent, etag })
}

/// What a `Range` header asks of an object of `size` bytes: `None` for all of it, also where the header means nothing to S3 (several ranges,
/// other units).
pub(super) fn range(headers: &HeaderMap, size: u64) -> Result<Option<Range<u64>>, ApiError> {
    let Some(header) = text(headers, "range") else { return Ok(None) };
    let Some((first, last)) = header.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Ok(None);
    };
    let range = match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1).min(size),
        (Ok(first), Err(_)) if last.trim().is_empty() => first..size,
        (Err(_), Ok(suffix)) if first.trim().is_empty() => size.saturating_sub(suffix)..size,
        _ => return Ok(None),
    };
    if range.start < range.end {
        return Ok(Some(range));
    }
    Err(ApiError::of("InvalidRange")
        .with("RangeRequested", header)
        .with("ActualObjectSize", size.to_string())
        .header("content-range", &format!("bytes */{size}")))
}

/// `x-amz-copy-source-range`: closed, and within the source.
pub(super) fn copy_range(headers: &HeaderMap, size: u64) -> Result<Option<Range<u64>>, ApiError> {
    let Some(header) = text(headers, "x-amz-copy-source-range") else { return Ok(None) };
    let bounds = header.strip_prefix("bytes=").and_then(|range| range.split_once('-'));
    let bounds = bounds.and_then(|(first, last)| Some((first.parse::<u64>().ok()?, last.parse::<u64>().ok()?)));
    match bounds {
        Some((first, last)) if first <= last && last < size => Ok(Some(first..last + 1)),
        Some((first, last)) if first <= last => Err(ApiError::argument(
            "x-amz-copy-source-range",
            header,
            format!("Range specified is not valid for source object of size: {size}"),
        )),
        _ => Err(ApiError::argument(
            "x-amz-copy-source-range",
            header,
            "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy",
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn asked(value: &str, size: u64) -> Result<Option<Range<u64>>, ApiError> {
        let mut headers = HeaderMap::new();
        headers.insert("range", value.parse().unwrap());
        range(&headers, size)
    }

    #[test]
    fn ranges_are_cut_to_the_object() {
        assert_eq!(asked("bytes=0-4", 10).unwrap(), Some(0..5));
        assert_eq!(asked("bytes=8-100", 10).unwrap(), Some(8..10));
        assert_eq!(asked("bytes=3-", 10).unwrap(), Some(3..10));
        assert_eq!(asked("bytes=-4", 10).unwrap(), Some(6..10));
        assert_eq!(asked("bytes=-40", 10).unwrap(), Some(0..10));
    }

    #[test]
    fn what_lies_outside_is_refused_and_what_makes_no_sense_is_ignored() {
        for header in ["bytes=10-", "bytes=10-11", "bytes=-0"] {
            assert_eq!(asked(header, 10).unwrap_err().code(), "InvalidRange", "{header}");
        }
        assert_eq!(asked("bytes=0-0", 0).unwrap_err().code(), "InvalidRange");
        for header in ["bytes=5-2", "bytes=a-b", "bytes=0-1,3-4", "lines=1-2"] {
            assert_eq!(asked(header, 10).unwrap(), None, "{header}");
        }
    }

    #[test]
    fn a_copy_range_must_be_closed_and_within() {
        let copy = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-amz-copy-source-range", value.parse().unwrap());
            copy_range(&headers, 10)
        };
        assert_eq!(copy("bytes=2-9").unwrap(), Some(2..10));
        for header in ["bytes=2-", "bytes=-3", "2-4", "bytes=2-10"] {
            assert_eq!(copy(header).unwrap_err().code(), "InvalidArgument", "{header}");
        }
    }
}
