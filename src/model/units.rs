//! Sizes, durations and times as people type and read them, and names made safe to look at.
//!
//! The present time is an argument; nothing here reads a clock.

use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

/// Powers of 1024 by their letter, from 1 upwards.
const SIZE_LETTERS: &[u8] = b"KMGTPE";

/// `8MiB` and `8M` are 8 × 2^20, `8MB` is 8 × 10^6, `8` bytes; case-insensitive unit; fractions allowed (`1.5G`).
pub fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let fail = |why: &str| Err(format!("bad size '{text}': {why}"));
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let Some(scale) = size_unit(unit.trim_start()) else {
        return fail("the unit is one of B, K, M, G, T, P, E (as KiB) or KB, MB, … (powers of 1,000)");
    };
    if scale == 1 && number.contains('.') {
        return fail("a part of a byte");
    }
    let Some(number) = Decimal::parse(number) else {
        return fail("sizes look like 8MiB, 1.5G or 500000");
    };
    match number.times(scale) {
        Some(bytes) => Ok(bytes),
        None => fail("too large"),
    }
}

/// How many bytes one of the unit is: `k`, `KiB` → 1,024; `kB` → 1,000; empty or `B` → 1.
fn size_unit(unit: &str) -> Option<u64> {
    let unit = unit.to_ascii_uppercase();
    let Some((letter, rest)) = unit.as_bytes().split_first().filter(|_| unit != "B") else { return Some(1) };
    let index = SIZE_LETTERS.iter().position(|candidate| candidate == letter)?;
    let power = u32::try_from(index).expect("six letters") + 1;
    match rest {
        b"" | b"IB" => Some(1024u64.pow(power)),
        b"B" => Some(1000u64.pow(power)),
        _ => None,
    }
}

/// A non-negative decimal number, kept exact.
struct Decimal {
    whole: u64,
    /// Digits behind the point, as a number, and what they are to be divided by.
    part: u64,
    divisor: u64,
}

impl Decimal {
    /// Reads `12`, `1.5`, `.5`; at most twelve digits behind the point count.
    fn parse(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        if part.is_empty() || (whole.is_empty() && !text.starts_with('.')) {
            return None;
        }
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(part) {
            return None;
        }
        let part = &part[..part.len().min(12)];
        let whole = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let places = u32::try_from(part.len()).expect("at most twelve");
        Some(Self { whole, part: part.parse().ok()?, divisor: 10u64.pow(places) })
    }

    /// The product, rounded down; `None` if it is over `u64::MAX`.
    fn times(&self, scale: u64) -> Option<u64> {
        let whole = u128::from(self.whole) * u128::from(scale);
        let part = u128::from(self.part) * u128::from(scale) / u128::from(self.divisor);
        u64::try_from(whole + part).ok()
    }
}

/// `1.5 GiB`, at most four characters of number.
#[must_use]
pub fn human_size(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut unit = 1u128;
    for letter in SIZE_LETTERS {
        unit *= 1024;
        let tenths = (u128::from(bytes) * 10 + unit / 2) / unit;
        let whole = (u128::from(bytes) + unit / 2) / unit;
        let letter = char::from(*letter);
        if tenths < 1000 {
            return format!("{}.{} {letter}iB", tenths / 10, tenths % 10);
        } else if whole < 1024 {
            return format!("{whole} {letter}iB");
        }
    }
    unreachable!("a u64 is less than 17 EiB")
}

/// `500ms`, `5s`, `1h30m`, `2d`; a bare number is seconds, as in `sleep` and the AWS CLI.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return parse_duration(&format!("{text}s"));
    }
    let nanos = duration_nanos(text)
        .ok_or_else(|| format!("bad duration '{text}': durations look like 500ms, 5s, 1h30m or 2d"))?;
    Ok(Duration::from_nanos(nanos))
}

/// Sum of the `number unit` pairs; `None` if malformed or over 584 years.
fn duration_nanos(mut text: &str) -> Option<u64> {
    let mut total: Option<u64> = None;
    while !text.is_empty() {
        let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, rest) = text.split_at(unit_at);
        let unit_end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (unit, rest) = rest.split_at(unit_end);
        let nanos = Decimal::parse(number)?.times(duration_unit(unit)?)?;
        total = Some(total.unwrap_or(0).checked_add(nanos)?);
        text = rest;
    }
    total
}

/// Nanoseconds of a unit.
fn duration_unit(unit: &str) -> Option<u64> {
    let seconds = match unit {
        "us" | "µs" => return Some(1_000),
        "ms" => return Some(1_000_000),
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return None,
    };
    Some(seconds * 1_000_000_000)
}

/// ISO 8601 instant (`2026-01-31`, `2026-01-31T12:00:00Z`, with offset; UTC where none is given), or a duration back from `now`.
pub fn parse_time(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let text = text.trim();
    instant(text)
        .or_else(|| {
            let back = SignedDuration::try_from(Duration::from_nanos(duration_nanos(text)?)).ok()?;
            now.checked_sub(back).ok()
        })
        .ok_or_else(|| format!("bad time '{text}': times look like 2026-01-31, 2026-01-31T12:00:00Z or 2d (ago)"))
}

/// An ISO 8601 instant; UTC where no offset is given.
pub(crate) fn instant(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let civil = text.parse::<DateTime>().ok().or_else(|| text.parse::<Date>().ok().map(|date| date.at(0, 0, 0, 0)))?;
    Offset::UTC.to_timestamp(civil).ok()
}

/// ISO 8601 UTC to the second, with milliseconds only when not zero: `2026-01-31T12:00:00Z`.
#[must_use]
pub fn format_time(time: Timestamp) -> String {
    let mut out = Vec::with_capacity(24);
    write_time(&mut out, time);
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends what [`format_time`] gives, without allocating.
pub(crate) fn write_time(out: &mut Vec<u8>, time: Timestamp) {
    let civil = Offset::UTC.to_datetime(time);
    let mut digits = |value: i32, width: u32, after: u8| {
        for place in (0..width).rev() {
            let digit = value / 10i32.pow(place) % 10;
            out.push(b'0' + u8::try_from(digit).expect("one decimal digit"));
        }
        out.push(after);
    };
    // S3's times are of this era; years before it keep their digits and lose their sign.
    digits(i32::from(civil.year().abs()), 4, b'-');
    digits(i32::from(civil.month()), 2, b'-');
    digits(i32::from(civil.day()), 2, b'T');
    digits(i32::from(civil.hour()), 2, b':');
    digits(i32::from(civil.minute()), 2, b':');
    let millisecond = civil.subsec_nanosecond() / 1_000_000;
    if millisecond == 0 {
        digits(i32::from(civil.second()), 2, b'Z');
    } else {
        digits(i32::from(civil.second()), 2, b'.');
        digits(millisecond, 3, b'Z');
    }
}

/// Makes a name safe for a terminal: control, bidi and other invisible characters become `\u{…}` escapes.
#[must_use]
pub fn sanitise(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_deceptive) else { return Cow::Borrowed(text) };
    let mut safe = text[..first].to_owned();
    for c in text[first..].chars() {
        if is_deceptive(c) {
            write!(safe, "\\u{{{:x}}}", u32::from(c)).expect("strings take everything");
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Characters that move the cursor, change colours, reorder text or cannot be seen.
fn is_deceptive(c: char) -> bool {
    c.is_control() // C0, DEL, C1
        || matches!(c,
            '\u{ad}' // soft hyphen
            | '\u{34f}' // grapheme joiner
            | '\u{61c}' // Arabic letter mark
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
            | '\u{17b4}' | '\u{17b5}' // Khmer inherent vowels
            | '\u{180b}'..='\u{180e}' // Mongolian variation selectors, vowel separator
            | '\u{200b}'..='\u{200f}' // zero-width, direction marks
            | '\u{2028}'..='\u{202e}' // line and paragraph separators, embeddings and overrides
            | '\u{2060}'..='\u{206f}' // joiners, invisible operators, isolates
            | '\u{feff}' // byte order mark
            | '\u{fff9}'..='\u{fffb}' // interlinear annotation
            | '\u{e0000}'..='\u{e007f}') // tags
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn sizes_are_binary_unless_the_unit_ends_in_a_plain_b() {
        for (text, bytes) in [
            ("0", 0),
            ("8", 8),
            ("8B", 8),
            ("8M", 8 << 20),
            ("8MiB", 8 << 20),
            ("8mib", 8 << 20),
            ("8MB", 8_000_000),
            ("8 MiB", 8 << 20),
            ("1.5G", 3 << 29),
            (".5k", 512),
            ("0.1K", 102),
            ("15E", 15 << 60),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        assert!(parse_size("16E").unwrap_err().contains("too large"));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "",
            " ",
            "M",
            "-1",
            "+1",
            "1.",
            ".",
            "1.5",
            "1.5B",
            "1..5M",
            "8MX",
            "8iB",
            "8 8",
            "1e9",
            "0x10",
            "99999999999999999999",
        ] {
            assert!(parse_size(text).unwrap_err().contains("bad size"), "{text}");
        }
    }

    #[test]
    fn human_sizes_have_four_characters_of_number() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            ((1 << 20) - 1, "1.0 MiB"),
            (100 << 10, "100 KiB"),
            (1023 << 10, "1023 KiB"),
            (3 << 29, "1.5 GiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(human_size(bytes), text);
        }
    }

    #[test]
    fn durations_add_up() {
        for (text, millis) in [
            ("500ms", 500),
            ("5s", 5_000),
            ("1h30m", 5_400_000),
            ("2d", 172_800_000),
            ("1.5s", 1_500),
            ("60", 60_000),
            ("0s", 0),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "5x", "1h30", "-5s", "5 s", "1..5s", ".", "99999999999d"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_instants_or_durations_back() {
        let now = time("2026-02-02T12:00:00Z");
        for (text, expected) in [
            ("2026-01-31", "2026-01-31T00:00:00Z"),
            ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
            ("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00Z"),
            ("2026-01-31T12:00:00", "2026-01-31T12:00:00Z"),
            ("2d", "2026-01-31T12:00:00Z"),
            ("1h30m", "2026-02-02T10:30:00Z"),
        ] {
            assert_eq!(parse_time(text, now), Ok(time(expected)), "{text}");
        }
        for text in ["", "yesterday", "2026", "2026-02-30", "31.01.2026", "-2d"] {
            assert!(parse_time(text, now).is_err(), "{text}");
        }
    }

    #[test]
    fn times_show_milliseconds_only_when_there_are_some() {
        assert_eq!(format_time(time("2026-01-31T12:00:00Z")), "2026-01-31T12:00:00Z");
        assert_eq!(format_time(time("2026-01-31T12:00:00.030Z")), "2026-01-31T12:00:00.030Z");
        assert_eq!(format_time(time("1969-12-31T23:59:59.5Z")), "1969-12-31T23:59:59.500Z");
    }

    #[test]
    fn nothing_invisible_reaches_a_terminal() {
        assert_eq!(sanitise("a\u{1b}[31mb\n"), "a\\u{1b}[31mb\\u{a}");
        for c in [
            '\u{0}',
            '\u{7f}',
            '\u{85}',
            '\u{9b}',
            '\u{202e}',
            '\u{2066}',
            '\u{200b}',
            '\u{200d}',
            '\u{feff}',
            '\u{e0041}',
        ] {
            assert_eq!(sanitise(&c.to_string()), format!("\\u{{{:x}}}", u32::from(c)));
        }
        assert!(matches!(sanitise("größe/日本 😀 a\\b"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn written_times_read_back(millis in 0i64..253_370_764_800_000) {
            let time = Timestamp::from_millisecond(millis).unwrap();
            prop_assert_eq!(parse_time(&format_time(time), Timestamp::UNIX_EPOCH), Ok(time));
        }

        #[test]
        fn human_sizes_are_never_far_off(bytes: u64) {
            let text = human_size(bytes);
            prop_assert!(text.split(' ').next().unwrap().len() <= 4);
            let (read, off) = (u128::from(parse_size(&text).unwrap_or(u64::MAX)), u128::from(bytes));
            prop_assert!(read.abs_diff(off) * 19 <= off, "{} is read as {}", text, read);
        }
    }
}
