//! Times as S3 writes them: whole seconds, ISO 8601 in bodies, RFC 9110 in headers.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// Seconds since 1970.
pub(super) type Seconds = i64;

/// Now.
pub(super) fn now() -> Seconds {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs().cast_signed())
}

/// Appends `2024-01-02T03:04:05.000Z`.
pub(super) fn push_iso(out: &mut String, seconds: Seconds) {
    let time = jiff::tz::Offset::UTC.to_datetime(Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH));
    let mut digits = |value: u32, width: u32, end: char| {
        for position in (0..width).rev() {
            let digit = value / 10_u32.pow(position) % 10;
            out.push(char::from(b'0' + u8::try_from(digit).expect("one decimal digit")));
        }
        out.push(end);
    };
    digits(u32::from(time.year().unsigned_abs()), 4, '-');
    digits(u32::from(time.month().unsigned_abs()), 2, '-');
    digits(u32::from(time.day().unsigned_abs()), 2, 'T');
    digits(u32::from(time.hour().unsigned_abs()), 2, ':');
    digits(u32::from(time.minute().unsigned_abs()), 2, ':');
    digits(u32::from(time.second().unsigned_abs()), 2, '.');
    out.push_str("000Z");
}

/// `2024-01-02T03:04:05.000Z`.
pub(super) fn iso(seconds: Seconds) -> String {
    let mut out = String::with_capacity(24);
    push_iso(&mut out, seconds);
    out
}

/// `Tue, 02 Jan 2024 03:04:05 GMT`.
pub(super) fn http(seconds: Seconds) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&time).unwrap_or_default()
}

/// Reads a header's date; `None` if it is none.
pub(super) fn parse_http(text: &str) -> Option<Seconds> {
    rfc2822::DateTimeParser::new().parse_timestamp(text).ok().map(Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_s3s() {
        assert_eq!(iso(1_704_164_645), "2024-01-02T03:04:05.000Z");
        assert_eq!(http(1_704_164_645), "Tue, 02 Jan 2024 03:04:05 GMT");
        assert_eq!(parse_http("Tue, 02 Jan 2024 03:04:05 GMT"), Some(1_704_164_645));
        assert_eq!(parse_http("yesterday"), None);
    }
}
