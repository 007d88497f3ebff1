//! The small words that latency, throttle and fault specifications are made of: durations, shares, rates, sizes.
//!
//! A specification is a comma-separated list of items; what the items mean is decided by the module that owns the specification. Errors
//! are sentences for the person who typed the specification.

use std::time::Duration;

/// The items of a specification: split at commas, trimmed, empty ones dropped.
pub fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

/// Splits `name=value`, or `name:value` where the name itself holds no `=`.
pub fn pair(item: &str) -> Result<(&str, &str), String> {
    let at = item.find(['=', ':']).ok_or_else(|| format!("`{item}` is not name=value"))?;
    Ok((item[..at].trim(), item[at + 1..].trim()))
}

/// A duration: a number and `us`, `ms`, `s` or `m`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = number_and_unit(text)?;
    let seconds = match unit {
        "us" => number / 1e6,
        "ms" => number / 1e3,
        "s" => number,
        "m" => number * 60.0,
        _ => return Err(format!("`{text}` is not a duration such as 85ms, 55us or 5s")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("`{text}` is too long"))
}

/// A share of all requests: `2%`, or a plain number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = number_and_unit(text)?;
    let share = match unit {
        "%" => number / 100.0,
        "" => number,
        _ => return Err(format!("`{text}` is not a share such as 0.5%")),
    };
    if share > 1.0 { Err(format!("`{text}` is more than 100%")) } else { Ok(share) }
}

/// A rate per second of things that are counted: `3500/s`, or a plain number.
pub fn rate(text: &str) -> Result<f64, String> {
    let (number, unit) = number_and_unit(text)?;
    match unit {
        "/s" | "" if number > 0.0 => Ok(number),
        _ => Err(format!("`{text}` is not a rate such as 3500/s")),
    }
}

/// A rate in bytes a second: `90MB/s`, `1MiB/s`; K, M, G alone are binary.
pub fn byte_rate(text: &str) -> Result<f64, String> {
    let (number, unit) = number_and_unit(text)?;
    let factor = match unit.strip_suffix("/s").unwrap_or(unit) {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "K" | "KiB" => 1024.0,
        "M" | "MiB" => 1024.0 * 1024.0,
        "G" | "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("`{text}` is not a rate such as 90MB/s")),
    };
    if number > 0.0 { Ok(number * factor) } else { Err(format!("`{text}` is not above zero")) }
}

/// A whole number, as for `burst=` and `seed=`.
pub fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number"))
}

fn number_and_unit(text: &str) -> Result<(f64, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].parse().map_err(|_| format!("`{text}` does not start with a number"))?;
    Ok((number, &text[end..]))
}

/// A number from 0 to 1 that depends on nothing but its arguments: the `n`th draw of a stream that is named by `seed` and `stream`.
#[must_use]
pub fn draw(seed: u64, stream: u64, n: u64) -> f64 {
    let bits = mix(mix(mix(seed) ^ stream) ^ n);
    // 53 bits are what an f64 holds exactly.
    #[expect(clippy::cast_precision_loss)]
    let draw = (bits >> 11) as f64 / (1_u64 << 53) as f64;
    draw
}

/// The finaliser of `SplitMix64`: every input bit changes half of the output bits.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn durations_shares_and_rates_are_read_with_their_units() {
        assert_eq!(duration("85ms").unwrap(), Duration::from_millis(85));
        assert_eq!(duration("55us").unwrap(), Duration::from_micros(55));
        assert_eq!(duration("0.5s").unwrap(), Duration::from_millis(500));
        assert!((share("0.5%").unwrap() - 0.005).abs() < 1e-12);
        assert!((rate("3500/s").unwrap() - 3500.0).abs() < 1e-9);
        assert!((byte_rate("90MB/s").unwrap() - 90e6).abs() < 1e-3);
    }

    #[test]
    fn a_number_without_its_unit_or_over_a_hundred_percent_is_refused() {
        for text in ["85", "ms", "85 min", ""] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(share("101%").is_err());
        assert!(rate("0/s").is_err());
        assert!(byte_rate("5apples").is_err());
    }

    #[test]
    fn draws_repeat_for_equal_arguments_and_spread_evenly() {
        assert!((draw(7, 1, 3) - draw(7, 1, 3)).abs() < f64::EPSILON);
        let below = (0..10_000).filter(|&n| draw(7, 1, n) < 0.1).count();
        assert!((900..1100).contains(&below), "{below}");
    }
}
