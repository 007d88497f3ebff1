//! What goes wrong on purpose, and for which request.
//!
//! Grammar: items separated by commas, each `KIND=SHARE[:ARGUMENT]` (a share of all requests the kind applies to),
//! `OPERATION#WHICH=KIND[:ARGUMENT]` (named requests), or `seed=N`.
//!
//! - `OPERATION` is S3's name of one, as `UploadPart`, or `*`; `WHICH` is `N` (the Nth request of it, from 1), `A-B`, `*` (all) or `P%`.
//! - `KIND` is one of
//!
//! | kind | what happens | a share applies to |
//! |---|---|---|
//! | `400` … `599` | that status, with S3's usual code for it, or the code given as argument; the request is read, nothing is done | all |
//! | `early` | `503 SlowDown` before the request's body was read; the connection closes | uploads |
//! | `reset` | the connection is reset before an answer; nothing is done | all |
//! | `truncate` | the work is done, the answer's body ends half-way and the connection closes | answers with a body |
//! | `stall` | the work is done, the answer stops half-way for the duration given as argument (30s) | all |
//! | `corrupt` | one bit of the body is wrong | `GetObject` |
//! | `ok-error` | status 200, but the body is an error (`InternalError`, or the code given as argument); nothing is done | copies, Complete, batch delete |
//! | `lost-complete` | the work is done, the answer is lost and the connection closes | `CompleteMultipartUpload` |
//!
//! A named request gets its fault whether or not a share would apply to it. Named items are tried first, in order; the first that fits wins.
//! As in `503=2%,stall=0.1%:30s,UploadPart#3=403,GetObject#1-2=truncate,CopyObject#*=ok-error,seed=7`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::operation::Operation;
use super::spec;

/// A fault to inject into one request.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// Answer with this status, and this code if one was named.
    Status(u16, Option<String>),
    /// Answer 503 before reading the body, then close.
    Early,
    /// Reset the connection.
    Reset,
    /// Cut the answer's body half-way.
    Truncate,
    /// Stop for this long half-way through the answer.
    Stall(Duration),
    /// Flip a bit of the body.
    Corrupt,
    /// Answer 200 with an error of this code in the body.
    OkError(Option<String>),
    /// Do the work and lose the answer.
    Lost,
}

impl Fault {
    /// The kind's name, as in the specification and the request log.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Status(status, _) => status.to_string(),
            Self::Early => "early".into(),
            Self::Reset => "reset".into(),
            Self::Truncate => "truncate".into(),
            Self::Stall(_) => "stall".into(),
            Self::Corrupt => "corrupt".into(),
            Self::OkError(_) => "ok-error".into(),
            Self::Lost => "lost-complete".into(),
        }
    }

    fn parse(kind: &str, argument: Option<&str>) -> Result<Self, String> {
        let code = || argument.map(str::to_owned);
        Ok(match kind {
            "early" => Self::Early,
            "reset" => Self::Reset,
            "truncate" => Self::Truncate,
            "stall" => Self::Stall(spec::duration(argument.unwrap_or("30s"))?),
            "corrupt" => Self::Corrupt,
            "ok-error" => Self::OkError(code()),
            "lost-complete" => Self::Lost,
            _ => match kind.parse() {
                Ok(status @ 400..=599) => Self::Status(status, code()),
                _ => {
                    return Err(format!(
                        "`{kind}` is neither a status from 400 to 599 nor one of early, reset, truncate, stall, corrupt, ok-error, lost-complete"
                    ));
                }
            },
        })
    }

    /// Whether a share of all requests includes requests of this operation.
    fn applies_to(&self, operation: Operation) -> bool {
        use Operation as O;
        match self {
            Self::Status(..) | Self::Reset | Self::Stall(_) | Self::Truncate => true,
            Self::Early => matches!(operation, O::PutObject | O::UploadPart),
            Self::Corrupt => operation == O::GetObject,
            Self::OkError(_) => {
                matches!(operation, O::CopyObject | O::UploadPartCopy | O::CompleteMultipartUpload | O::DeleteObjects)
            }
            Self::Lost => operation == O::CompleteMultipartUpload,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Which {
    Range(u64, u64),
    Share(f64),
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    /// `None` for `*`.
    operation: Option<Operation>,
    which: Which,
    fault: Fault,
    /// From `KIND=SHARE`: applies only where the kind makes sense.
    general: bool,
}

/// A parsed fault specification. The default lets all go well.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FaultSpec {
    rules: Vec<Rule>,
    seed: u64,
}

impl FaultSpec {
    /// Reads the grammar this module's description gives. The error is for the person who typed it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut this = Self::default();
        for item in spec::items(text) {
            let (left, right) =
                item.split_once('=').ok_or_else(|| format!("`{item}` is not KIND=SHARE or OPERATION#WHICH=KIND"))?;
            if left == "seed" {
                this.seed = spec::whole(right)?;
            } else if let Some((operation, which)) = left.split_once('#') {
                this.rules.push(named(operation, which, right)?);
            } else {
                let (share, argument) = split_argument(right);
                let fault = Fault::parse(left, argument)?;
                this.rules.push(Rule {
                    operation: None,
                    which: Which::Share(spec::share(share)?),
                    fault,
                    general: true,
                });
            }
        }
        // Stable: named rules keep their order and come first.
        this.rules.sort_by_key(|rule| rule.general);
        Ok(this)
    }

    /// The fault of the `n`th request (from 1) of an operation, which is the `total`th of all.
    #[must_use]
    pub fn fault(&self, operation: Operation, n: u64, total: u64) -> Option<&Fault> {
        self.rules
            .iter()
            .enumerate()
            .find(|(index, rule)| self.fits(rule, *index, operation, n, total))
            .map(|(_, rule)| &rule.fault)
    }

    fn fits(&self, rule: &Rule, index: usize, operation: Operation, n: u64, total: u64) -> bool {
        if rule.operation.is_some_and(|named| named != operation) || (rule.general && !rule.fault.applies_to(operation))
        {
            return false;
        }
        let number = if rule.operation.is_some() { n } else { total };
        match rule.which {
            Which::Range(first, last) => (first..=last).contains(&number),
            Which::Share(share) => {
                let stream = (index as u64) << 8 | operation as u64;
                spec::draw(self.seed, stream, n) < share
            }
        }
    }
}

fn named(operation: &str, which: &str, right: &str) -> Result<Rule, String> {
    let operation = match operation {
        "*" => None,
        name => Some(Operation::parse(name).ok_or_else(|| format!("`{name}` is not an S3 operation"))?),
    };
    let which = if which == "*" {
        Which::Range(1, u64::MAX)
    } else if which.ends_with('%') {
        Which::Share(spec::share(which)?)
    } else if let Some((first, last)) = which.split_once('-') {
        Which::Range(spec::whole(first)?, spec::whole(last)?)
    } else {
        let only = spec::whole(which)?;
        Which::Range(only, only)
    };
    let (kind, argument) = split_argument(right);
    Ok(Rule { operation, which, fault: Fault::parse(kind, argument)?, general: false })
}

fn split_argument(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((left, argument)) => (left, Some(argument)),
        None => (text, None),
    }
}

/// The specification with the counters of a running endpoint.
#[derive(Debug)]
pub(super) struct Faults {
    spec: FaultSpec,
    total: AtomicU64,
    counts: Vec<AtomicU64>,
}

impl Faults {
    pub(super) fn new(spec: FaultSpec) -> Self {
        let counts = Operation::ALL.iter().map(|_| AtomicU64::new(0)).collect();
        Self { spec, total: AtomicU64::new(0), counts }
    }

    /// Counts a request and gives its fault, with its number among all requests (from 1).
    pub(super) fn next(&self, operation: Operation) -> (u64, Option<Fault>) {
        let total = self.total.fetch_add(1, Ordering::Relaxed) + 1;
        let n = self.counts[operation as usize].fetch_add(1, Ordering::Relaxed) + 1;
        (total, self.spec.fault(operation, n, total).cloned())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_named_request_and_only_that_one_fails() {
        let spec = FaultSpec::parse("UploadPart#3=403,GetObject#1-2=truncate,CopyObject#*=ok-error:SlowDown").unwrap();
        let parts: Vec<_> = (1..=4).map(|n| spec.fault(Operation::UploadPart, n, n + 9).cloned()).collect();
        assert_eq!(parts, [None, None, Some(Fault::Status(403, None)), None]);
        assert_eq!(spec.fault(Operation::GetObject, 2, 2), Some(&Fault::Truncate));
        assert_eq!(spec.fault(Operation::GetObject, 3, 3), None);
        assert_eq!(spec.fault(Operation::CopyObject, 99, 99), Some(&Fault::OkError(Some("SlowDown".into()))));
    }

    #[test]
    fn a_star_counts_requests_of_all_operations() {
        let spec = FaultSpec::parse("*#2=500").unwrap();
        assert_eq!(spec.fault(Operation::GetObject, 1, 2), Some(&Fault::Status(500, None)));
        assert_eq!(spec.fault(Operation::GetObject, 2, 7), None);
    }

    #[test]
    fn shares_hit_about_that_many_requests_and_the_same_ones_for_a_seed() {
        let hits = |seed: u64| {
            let spec = FaultSpec::parse(&format!("503=2%,seed={seed}")).unwrap();
            (1..=10_000).filter(|&n| spec.fault(Operation::PutObject, n, n).is_some()).collect::<Vec<_>>()
        };
        assert!((140..260).contains(&hits(1).len()), "{}", hits(1).len());
        assert_eq!(hits(1), hits(1));
        assert_ne!(hits(1), hits(2));
    }

    #[test]
    fn a_share_leaves_operations_alone_that_the_kind_does_not_concern() {
        let spec = FaultSpec::parse("ok-error=100%,corrupt=100%,lost-complete=100%").unwrap();
        assert_eq!(spec.fault(Operation::PutObject, 1, 1), None);
        assert_eq!(spec.fault(Operation::GetObject, 1, 1), Some(&Fault::Corrupt));
        assert_eq!(spec.fault(Operation::CompleteMultipartUpload, 1, 1), Some(&Fault::OkError(None)));
    }

    #[test]
    fn counters_run_per_operation() {
        let faults = Faults::new(FaultSpec::parse("GetObject#2=reset").unwrap());
        assert_eq!(faults.next(Operation::GetObject), (1, None));
        assert_eq!(faults.next(Operation::PutObject), (2, None));
        assert_eq!(faults.next(Operation::GetObject), (3, Some(Fault::Reset)));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, word) in [
            ("boom=1%", "boom"),
            ("Upload#1=403", "Upload"),
            ("GetObject#x=403", "x"),
            ("503", "503"),
            ("200=1%", "200"),
        ] {
            assert!(FaultSpec::parse(text).unwrap_err().contains(word), "{text}");
        }
    }
}
