//! `ListParts`, one page.

use super::upload_part::PartDone;
use super::upload_part_copy::first;
use crate::model::record::ETag;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use crate::s3::xml::Xml;
use http::Method;

/// `ListParts`, one page.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html>
#[derive(Debug, Clone, Default)]
pub struct ListParts {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Upload.
    pub upload_id: String,
    /// Only parts after this one.
    pub part_number_marker: Option<u32>,
}

/// A page of parts.
#[derive(Debug, Clone, Default)]
pub struct PartsPage {
    /// Parts, ascending.
    pub parts: Vec<PartDone>,
    /// Marker of the next page, if there is one.
    pub next_marker: Option<u32>,
}

impl Operation for ListParts {
    type Output = PartsPage;
    const NAME: &'static str = "ListParts";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        let marker = self.part_number_marker.map(|marker| marker.to_string());
        Parts::new(Method::GET).query("uploadId", &self.upload_id).maybe_query("part-number-marker", marker.as_deref())
    }

    fn parse(&self, answer: &Answer) -> Result<PartsPage, Failure> {
        let mut xml = answer.xml("ListPartsResult")?;
        let mut page = PartsPage::default();
        let mut truncated = false;
        while let Some(name) = xml.child()? {
            match name {
                "Part" => page.parts.push(part(&mut xml)?),
                "IsTruncated" => truncated = xml.text()?.trim() == "true",
                "NextPartNumberMarker" => page.next_marker = xml.text()?.trim().parse().ok(),
                _ => xml.skip()?,
            }
        }
        page.next_marker = page.next_marker.or_else(|| page.parts.last().map(|part| part.number)).filter(|_| truncated);
        Ok(page)
    }
}

fn part(xml: &mut Xml<'_>) -> Result<PartDone, Failure> {
    let (mut number, mut size, mut etag, mut checksums) = (None, None, None, Vec::new());
    while let Some(name) = xml.child()? {
        match name {
            "PartNumber" => number = Some(xml.number()?),
            "Size" => size = Some(xml.number()?),
            "ETag" => etag = Some(ETag::new(&xml.text()?)),
            name => match name.strip_prefix("Checksum").map(str::to_owned) {
                Some(algorithm) => checksums.push((algorithm, xml.text()?.into_owned())),
                None => xml.skip()?,
            },
        }
    }
    match (number, size, etag) {
        (Some(number), Some(size), Some(etag)) => Ok(PartDone { number, etag, size, checksum: first(&checksums) }),
        _ => Err(Failure::bad_answer("a part without number, size or ETag in the answer to ListParts")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::answer;
    use super::*;

    #[test]
    fn parts_are_read_with_their_checksums_and_the_marker_only_if_there_is_more() {
        let body = |truncated| {
            format!(
                "<ListPartsResult><NextPartNumberMarker>4</NextPartNumberMarker><IsTruncated>{truncated}</IsTruncated><Part>\
                 <PartNumber>4</PartNumber><ETag>\"e\"</ETag><Size>9</Size><ChecksumCRC32>AAAAAA==</ChecksumCRC32></Part></ListPartsResult>"
            )
        };
        let page = ListParts::default().parse(&answer(&[], &body(true))).unwrap();
        assert_eq!((page.next_marker, page.parts[0].size), (Some(4), 9));
        assert!(page.parts[0].checksum.is_some());
        assert_eq!(ListParts::default().parse(&answer(&[], &body(false))).unwrap().next_marker, None);
    }
}
