//! Part plans: how an object is cut for multipart upload, multipart copy and ranged download.
//! S3's limits: part numbers 1 to 10,000; every part but the last 5 MiB to 5 GiB; an object up to 48.8 TiB.

/// 5 MiB: the least length of any part but the last.
pub const MIN_PART: u64 = 5 << 20;
/// 5 GiB: the greatest length of a part, of a single PUT and of a CopyObject source.
pub const MAX_PART: u64 = 5 << 30;
/// The greatest part number.
pub const MAX_PARTS: u32 = 10_000;

/// One piece of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// 1-based part number.
    pub number: u32,
    /// Half-open byte range.
    pub range: std::ops::Range<u64>,
}

/// Why no plan fits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("{0} bytes; S3 objects hold at most 48.8 TiB")]
    TooLarge(u64),
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
    pub fn new(_size: u64, _wanted: u64) -> Result<Self, PlanError> {
        todo!()
    }
    pub fn part_size(&self) -> u64 {
        self.part_size
    }
    pub fn len(&self) -> u32 {
        todo!()
    }
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }
    pub fn parts(&self) -> impl Iterator<Item = Part> + Send + use<> {
        std::iter::empty() /* todo */
    }
}
/// Length of part `number` (1-based) of a stream of unknown size that starts with parts of `first` bytes: one length for the first
/// 1,000 parts, then growing so that 10,000 parts reach S3's largest object. Case C07, C08.
pub fn stream_part_size(_number: u32, _first: u64) -> u64 {
    todo!()
}
/// Cuts `size` bytes into download ranges of `wanted` bytes (no limit on their count or length; empty for size 0).
pub fn ranges(_size: u64, _wanted: u64) -> impl Iterator<Item = std::ops::Range<u64>> + Send {
    std::iter::empty() /* todo */
}
