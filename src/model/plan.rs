//! Part plans: how an object is cut for multipart upload, multipart copy and ranged download.
//!
//! S3's limits: part numbers 1 to 10,000; every part but the last 5 MiB to 5 GiB; an object up to 48.8 TiB, which is one times the
//! other (<https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html>). How long parts should be for speed is the caller's
//! choice; here is what is legal.

use std::ops::Range;

/// 5 MiB: the least length of any part but the last.
pub const MIN_PART: u64 = 5 << 20;
/// 5 GiB: the greatest length of a part, of a single PUT and of a `CopyObject` source.
pub const MAX_PART: u64 = 5 << 30;
/// The greatest part number.
pub const MAX_PARTS: u32 = 10_000;

const MIB: u64 = 1 << 20;

/// One piece of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// 1-based part number.
    pub number: u32,
    /// Half-open byte range.
    pub range: Range<u64>,
}

/// Why no plan fits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// More than 10,000 of the largest parts.
    #[error("{0} bytes; S3 objects hold at most 48.8 TiB")]
    TooLarge(u64),
    /// A wanted part size outside S3's limits.
    #[error("part size of {0} bytes; S3 allows 5 MiB to 5 GiB")]
    PartSize(u64),
}

/// A whole object cut into parts of one length (the last may be shorter). Parts tile the object exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    size: u64,
    part_size: u64,
}

impl Plan {
    /// Cuts `size` bytes by `wanted` bytes a part, raised (to a whole MiB) where 10,000 parts would not do.
    pub fn new(size: u64, wanted: u64) -> Result<Self, PlanError> {
        if !(MIN_PART..=MAX_PART).contains(&wanted) {
            return Err(PlanError::PartSize(wanted));
        }
        if size > MAX_PART * u64::from(MAX_PARTS) {
            return Err(PlanError::TooLarge(size));
        }
        let least = size.div_ceil(u64::from(MAX_PARTS));
        let part_size = if least <= wanted { wanted } else { least.next_multiple_of(MIB) };
        Ok(Self { size, part_size })
    }

    /// Bytes of every part but the last.
    #[must_use]
    pub fn part_size(&self) -> u64 {
        self.part_size
    }

    /// Number of parts; 0 for an empty object.
    #[must_use]
    pub fn len(&self) -> u32 {
        u32::try_from(self.size.div_ceil(self.part_size)).unwrap_or(MAX_PARTS)
    }

    /// Whether there is nothing to cut.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The parts in order.
    pub fn parts(&self) -> impl Iterator<Item = Part> + Send + use<> {
        (1..).zip(ranges(self.size, self.part_size)).map(|(number, range)| Part { number, range })
    }
}

/// Parts of a stream that have the first one's length, for stores that want equal parts.
const EQUAL_PARTS: u32 = 1_000;
/// After that the length doubles every so many parts.
const DOUBLING: u32 = 250;

/// Length of part `number` (1-based) of a stream of unknown size that starts with parts of `first` bytes.
///
/// The first 1,000 parts have one length, because some stores ask for equal parts. Then it doubles every 250 parts (in whole MiB)
/// up to 5 GiB, so that a part is always small beside what has been sent: at 100 GiB, starting with 8 MiB, 256 MiB. 10,000 parts
/// reach [`stream_limit`]. S3's largest object is out of reach for a stream whose size nobody tells: a thousand parts of 8 MiB spend
/// a tenth of the part numbers. Where the size is expected, [`Plan::new`] gives the length to start with.
///
/// `first` is taken as within S3's limits; outside them the nearest legal length counts.
#[must_use]
pub fn stream_part_size(number: u32, first: u64) -> u64 {
    let first = first.clamp(MIN_PART, MAX_PART);
    if number <= EQUAL_PARTS {
        return first;
    }
    let doublings = (number - EQUAL_PARTS - 1) / DOUBLING + 1;
    // From 5 MiB ten doublings reach 5 GiB.
    (first.next_multiple_of(MIB) << doublings.min(10)).min(MAX_PART)
}

/// The longest stream that parts of [`stream_part_size`] hold.
#[must_use]
pub fn stream_limit(first: u64) -> u64 {
    (1..=MAX_PARTS).map(|number| stream_part_size(number, first)).sum()
}

/// Cuts `size` bytes into download ranges of `wanted` bytes (no limit on their count or length; empty for size 0).
pub fn ranges(size: u64, wanted: u64) -> impl Iterator<Item = Range<u64>> + Send {
    let wanted = wanted.max(1);
    let mut start = 0u64;
    std::iter::from_fn(move || {
        let range = start..size.min(start.saturating_add(wanted));
        start = range.end;
        (!range.is_empty()).then_some(range)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const TIB: u64 = 1 << 40;
    const GIB: u64 = 1 << 30;

    #[test]
    fn the_largest_object_takes_all_parts_at_their_longest() {
        let largest = MAX_PART * u64::from(MAX_PARTS);
        let plan = Plan::new(largest, MIN_PART).unwrap();
        assert_eq!((plan.part_size(), plan.len()), (MAX_PART, MAX_PARTS));
        assert_eq!(Plan::new(largest + 1, MIN_PART), Err(PlanError::TooLarge(largest + 1)));
    }

    #[test]
    fn part_sizes_outside_the_limits_are_refused() {
        for wanted in [0, MIN_PART - 1, MAX_PART + 1] {
            assert_eq!(Plan::new(1, wanted), Err(PlanError::PartSize(wanted)));
        }
    }

    #[test]
    fn an_empty_object_has_no_parts() {
        let plan = Plan::new(0, MIN_PART).unwrap();
        assert!(plan.is_empty() && plan.parts().next().is_none());
    }

    #[test]
    fn a_part_size_is_raised_only_where_it_must_be() {
        assert_eq!(Plan::new(50_000 * MIB, 5 * MIB).unwrap().part_size(), 5 * MIB);
        assert_eq!(Plan::new(50_000 * MIB + 1, 5 * MIB).unwrap().part_size(), 6 * MIB);
    }

    /// Part lengths of a stream of `size` bytes.
    fn stream(size: u64, first: u64) -> Vec<u64> {
        let mut left = size;
        let lengths = (1..).map_while(|number| {
            let length = stream_part_size(number, first).min(left);
            left -= length;
            (length > 0).then_some(length)
        });
        lengths.collect()
    }

    #[test]
    fn streams_of_100_and_60_gib_fit_whatever_they_start_with() {
        for (size, first) in [(107_374_182_400, 8 * MIB), (64_424_509_440, MIN_PART), (107_374_182_400, MIN_PART)] {
            let parts = stream(size, first);
            assert!(parts.len() <= MAX_PARTS as usize);
            assert_eq!(parts.iter().sum::<u64>(), size);
            assert!(parts[..parts.len() - 1].iter().all(|length| *length >= MIN_PART));
            assert!(parts[..1000].iter().all(|length| *length == first));
            assert!(*parts.iter().max().unwrap() <= 320 * MIB);
        }
    }

    #[test]
    fn a_stream_reaches_what_its_first_parts_leave_of_the_largest_object() {
        let bound = 9_000 * MAX_PART + 1_000 * 8 * MIB;
        assert!((34 * TIB..bound).contains(&stream_limit(8 * MIB)), "{}", stream_limit(8 * MIB) / GIB);
        assert!(stream_limit(MIN_PART) >= 34 * TIB);
        assert_eq!(stream_limit(MAX_PART), MAX_PART * u64::from(MAX_PARTS));
    }

    #[test]
    fn illegal_first_lengths_are_brought_within_the_limits() {
        assert_eq!(stream_part_size(1, 1), MIN_PART);
        assert_eq!(stream_part_size(1, u64::MAX), MAX_PART);
        assert_eq!(stream_part_size(u32::MAX, 1), MAX_PART);
    }

    proptest! {
        #[test]
        fn parts_tile_the_object(size in 0..MAX_PART * 10_000, wanted in MIN_PART..=MAX_PART) {
            let plan = Plan::new(size, wanted).unwrap();
            prop_assert!(plan.len() <= MAX_PARTS && plan.part_size() >= wanted && plan.part_size() <= MAX_PART);
            let mut end = 0;
            let mut count = 0;
            for part in plan.parts() {
                prop_assert_eq!(part.range.start, end);
                prop_assert!(part.range.end - end == plan.part_size() || part.range.end == size);
                (end, count) = (part.range.end, count + 1);
                prop_assert_eq!(part.number, count);
            }
            prop_assert_eq!((end, count), (size, plan.len()));
        }

        #[test]
        fn stream_parts_never_shrink_and_stay_legal(first in MIN_PART..=MAX_PART, number in 1u32..10_000) {
            let (this, next) = (stream_part_size(number, first), stream_part_size(number + 1, first));
            prop_assert!(this <= next && next <= MAX_PART && this >= MIN_PART);
            prop_assert!(next == this || number >= 1000);
            prop_assert!(this == first || this % MIB == 0);
        }

        #[test]
        fn ranges_tile_what_they_cut(size in 0u64..100_000, wanted in 0u64..5_000) {
            let mut end = 0;
            for range in ranges(size, wanted) {
                prop_assert_eq!(range.start, end);
                prop_assert!(!range.is_empty() && range.end - range.start <= wanted.max(1));
                end = range.end;
            }
            prop_assert_eq!(end, size);
        }
    }
}
