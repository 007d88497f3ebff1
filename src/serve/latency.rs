//! How long answers take: a model of a distant store, by class of request.
//!
//! Grammar (items separated by commas): `CLASS=BASE[+PER/UNIT]`, `tail=p99:DURATION`, `hang=SHARE:DURATION`, `rate=BYTES/s`, `seed=N`.
//! Classes: `page` (a listing), `delimiter` (a listing with a delimiter; the unit is `prefix`), `get`, `put`, `copy` (the unit is `MiB`),
//! `delete`, `other`. As in `page=85ms,delimiter=35ms+55us/prefix,get=20ms,put=40ms,copy=60ms+10ms/MiB,tail=p99:400ms,hang=0.1%:5s`.
//!
//! `BASE` is the median. With a tail, times are spread log-normally so that one request in a hundred takes as long as the tail says or
//! longer; a share of requests may hang on top. All draws are decided by the seed and the number of the request.

use std::time::Duration;

use super::spec;

/// The class of a request, as far as its latency goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A listing without delimiter.
    Page,
    /// A listing with a delimiter.
    Delimiter,
    /// GET and HEAD of an object.
    Get,
    /// An upload, or a part of one.
    Put,
    /// A server-side copy, or a part of one.
    Copy,
    /// A deletion, single or batch.
    Delete,
    /// All else.
    Other,
}

const CLASSES: [(&str, Class); 7] = [
    ("page", Class::Page),
    ("delimiter", Class::Delimiter),
    ("get", Class::Get),
    ("put", Class::Put),
    ("copy", Class::Copy),
    ("delete", Class::Delete),
    ("other", Class::Other),
];

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cost {
    base: Duration,
    per_unit: Duration,
}

/// A parsed latency specification. The default adds no time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LatencySpec {
    costs: [Option<Cost>; CLASSES.len()],
    p99: Option<Duration>,
    hang: Option<(f64, Duration)>,
    rate: Option<f64>,
    seed: u64,
}

impl LatencySpec {
    /// Reads the grammar this module's description gives. The error is for the person who typed it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut this = Self::default();
        for item in spec::items(text) {
            let (name, value) = spec::pair(item)?;
            match name {
                "tail" => {
                    let p99 = value.strip_prefix("p99:").ok_or_else(|| format!("`{value}` is not p99:DURATION"))?;
                    this.p99 = Some(spec::duration(p99)?);
                }
                "hang" => {
                    let (share, time) =
                        value.split_once(':').ok_or_else(|| format!("`{value}` is not SHARE:DURATION"))?;
                    this.hang = Some((spec::share(share)?, spec::duration(time)?));
                }
                "rate" => this.rate = Some(spec::byte_rate(value)?),
                "seed" => this.seed = spec::whole(value)?,
                _ => this.set_cost(name, value)?,
            }
        }
        Ok(this)
    }

    fn set_cost(&mut self, name: &str, value: &str) -> Result<(), String> {
        let (_, class) = CLASSES.iter().find(|(known, _)| *known == name).ok_or_else(|| {
            format!("`{name}` is not one of page, delimiter, get, put, copy, delete, other, tail, hang, rate, seed")
        })?;
        let (base, per_unit) = match value.split_once('+') {
            None => (value, None),
            Some((base, per_unit)) => (base, Some(per_unit)),
        };
        let per_unit = match (per_unit, class) {
            (None, _) => Duration::ZERO,
            (Some(text), Class::Delimiter) => per(text, "prefix")?,
            (Some(text), Class::Copy) => per(text, "MiB")?,
            (Some(text), _) => return Err(format!("`{name}` has no unit to count, so `+{text}` means nothing")),
        };
        self.costs[*class as usize] = Some(Cost { base: spec::duration(base)?, per_unit });
        Ok(())
    }

    /// How long the `n`th request takes in all; `units` are the common prefixes it answers or the MiB it copies.
    #[must_use]
    pub fn delay(&self, class: Class, n: u64, units: f64) -> Duration {
        let cost = self.costs[class as usize].or_else(|| self.fallback(class)).unwrap_or_default();
        let mut delay = cost.base.mul_f64(self.stretch(cost.base, n)) + cost.per_unit.mul_f64(units.max(0.0));
        if let Some((share, time)) = self.hang
            && spec::draw(self.seed, HANG, n) < share
        {
            delay += time;
        }
        delay
    }

    /// Bytes a second of one connection, each way.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// A listing with a delimiter is a page unless it has its own cost.
    fn fallback(&self, class: Class) -> Option<Cost> {
        (class == Class::Delimiter).then_some(self.costs[Class::Page as usize]).flatten()
    }

    /// Factor on the median: 1 without a tail, else log-normal with its 99th percentile where the tail says.
    fn stretch(&self, base: Duration, n: u64) -> f64 {
        let Some(p99) = self.p99.filter(|p99| *p99 > base && !base.is_zero()) else { return 1.0 };
        // 2.326 standard deviations are the 99th percentile of the normal distribution.
        let sigma = (p99.as_secs_f64() / base.as_secs_f64()).ln() / 2.326;
        let u = spec::draw(self.seed, TAIL, 2 * n).max(f64::MIN_POSITIVE);
        let v = spec::draw(self.seed, TAIL, 2 * n + 1);
        let normal = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
        (sigma * normal).exp()
    }
}

/// Names of the streams of draws, so that one does not repeat another.
const TAIL: u64 = 1;
const HANG: u64 = 2;

fn per(text: &str, unit: &str) -> Result<Duration, String> {
    let (time, counted) = text.split_once('/').ok_or_else(|| format!("`{text}` is not DURATION/{unit}"))?;
    if counted == unit { spec::duration(time) } else { Err(format!("`{text}` is not DURATION/{unit}")) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FULL: &str = "page=85ms,delimiter=35ms+55us/prefix,get=20ms,put=40ms,copy=60ms+10ms/MiB";

    #[test]
    fn each_class_has_its_base_and_its_cost_per_unit() {
        let spec = LatencySpec::parse(FULL).unwrap();
        assert_eq!(spec.delay(Class::Page, 0, 0.0), Duration::from_millis(85));
        assert_eq!(spec.delay(Class::Delimiter, 0, 1000.0), Duration::from_millis(90));
        assert_eq!(spec.delay(Class::Copy, 0, 4.0), Duration::from_millis(100));
        assert_eq!(spec.delay(Class::Delete, 0, 0.0), Duration::ZERO);
    }

    #[test]
    fn one_request_in_a_hundred_reaches_the_tail_and_half_stay_below_the_median() {
        let spec = LatencySpec::parse("get=20ms,tail=p99:400ms,seed=3").unwrap();
        let count = |limit: u64| {
            (0..20_000).filter(|&n| spec.delay(Class::Get, n, 0.0) >= Duration::from_millis(limit)).count()
        };
        assert!((140..260).contains(&count(400)), "{}", count(400));
        assert!((9_500..10_500).contains(&count(20)), "{}", count(20));
    }

    #[test]
    fn a_seed_decides_which_requests_hang() {
        let hanging = |seed: u64| {
            let spec = LatencySpec::parse(&format!("hang:1%:5s,seed={seed}")).unwrap();
            (0..1000).filter(|&n| spec.delay(Class::Get, n, 0.0) >= Duration::from_secs(5)).collect::<Vec<_>>()
        };
        assert_eq!(hanging(1), hanging(1));
        assert_ne!(hanging(1), hanging(2));
    }

    #[test]
    fn unknown_classes_and_units_are_refused_by_name() {
        for (text, word) in
            [("pages=1ms", "pages"), ("get=1ms+1ms/MiB", "get"), ("copy=1ms+1ms/KiB", "MiB"), ("get", "get")]
        {
            let error = LatencySpec::parse(text).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
