//! `UploadPartCopy`: a part that the store copies from an object it has.

use super::copy_object::{CopySource, written};
use super::upload_part::PartDone;
use crate::model::checksum::{Algorithm, Checksum};
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use http::Method;
use std::ops::Range;

/// `UploadPartCopy` → [`PartDone`]. `range: None` copies the whole source.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html>
#[derive(Debug, Clone, Default)]
pub struct UploadPartCopy {
    /// Source.
    pub source: CopySource,
    /// Bytes of the source.
    pub range: Option<Range<u64>>,
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Upload.
    pub upload_id: String,
    /// Part number, 1 to 10,000.
    pub number: u32,
}

impl Operation for UploadPartCopy {
    type Output = PartDone;
    const NAME: &'static str = "UploadPartCopy";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        let range = self.range.as_ref().map(|range| format!("bytes={}-{}", range.start, range.end.saturating_sub(1)));
        let parts = Parts::new(Method::PUT)
            .query("partNumber", &self.number.to_string())
            .query("uploadId", &self.upload_id)
            .maybe_header("x-amz-copy-source-range", range.as_deref());
        self.source.apply(parts)
    }

    fn parse(&self, answer: &Answer) -> Result<PartDone, Failure> {
        let written = written(answer.xml("CopyPartResult")?)?;
        let etag = written.etag.ok_or_else(|| Failure::bad_answer("no ETag in the answer to UploadPartCopy"))?;
        Ok(PartDone {
            number: self.number,
            etag,
            size: self.range.as_ref().map_or(0, |range| range.end - range.start),
            checksum: first(&written.checksums),
        })
    }
}

/// The first checksum that can be read.
pub(super) fn first(checksums: &[(String, String)]) -> Option<Checksum> {
    checksums.iter().find_map(|(algorithm, value)| Checksum::from_base64(Algorithm::parse(algorithm)?, value))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{answer, headers, request};
    use super::*;

    #[test]
    fn a_range_is_written_with_its_last_byte() {
        let source = CopySource { bucket: "s".into(), key: "k".into(), ..CopySource::default() };
        let copy = UploadPartCopy { source, range: Some(5..10), number: 2, ..UploadPartCopy::default() };
        assert_eq!(headers(&request(&copy)), "x-amz-copy-source-range: bytes=5-9\nx-amz-copy-source: s/k");
        let done = copy.parse(&answer(&[], "\n<CopyPartResult><ETag>e</ETag></CopyPartResult>")).unwrap();
        assert_eq!((done.number, done.size, done.etag.as_str()), (2, 5, "e"));
        assert_eq!(copy.parse(&answer(&[], " ")).unwrap_err().code, "BadResponse");
    }
}
