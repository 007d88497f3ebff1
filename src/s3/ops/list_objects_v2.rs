//! `ListObjectsV2`, one page. A million keys are a thousand pages, so its reading counts.

use crate::model::record::{ETag, Record};
use crate::model::uri::S3Uri;
use crate::s3::encode;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Level, Operation, Parts, Store};
use crate::s3::xml::{Xml, XmlError};
use http::Method;

/// `ListObjectsV2`, one page. `encoding-type=url` always.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html>
#[derive(Debug, Clone, Default)]
pub struct ListObjectsV2 {
    /// Bucket.
    pub bucket: String,
    /// Prefix, raw; may be empty.
    pub prefix: String,
    /// Delimiter.
    pub delimiter: Option<String>,
    /// Only keys after this one.
    pub start_after: Option<String>,
    /// Token of the page before, as it was given.
    pub continuation_token: Option<String>,
    /// 0 means unset (the store's 1,000).
    pub max_keys: u32,
    /// Ask for owners.
    pub fetch_owner: bool,
}

/// A page. What it says is not judged: whether keys are in order, within the prefix, or the token makes sense is the lister's business.
#[derive(Debug, Clone, Default)]
pub struct ListPage {
    /// Objects, bucket filled in, in the store's order.
    pub objects: Vec<Record>,
    /// Common prefixes, in the store's order.
    pub common_prefixes: Vec<String>,
    /// Whether the store says that there is more. There may be no token nevertheless.
    pub truncated: bool,
    /// Token of the next page.
    pub next_token: Option<String>,
}

impl Operation for ListObjectsV2 {
    type Output = ListPage;
    const NAME: &'static str = "ListObjectsV2";
    const LEVEL: Level = Level::Bucket;
    /// A thousand keys of 1,024 bytes, each byte written as `%XX`, make 3 MiB; some stores give more keys a page.
    const LONGEST: usize = 64 << 20;

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn request(&self, _: Store<'_>) -> Parts {
        let some = |text: &'_ str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let max_keys = (self.max_keys > 0).then(|| self.max_keys.to_string());
        // A token already knows where to go on; some stores mind being told twice.
        let start_after = self.start_after.as_deref().filter(|_| self.continuation_token.is_none());
        Parts::new(Method::GET)
            .query("list-type", "2")
            .query("encoding-type", "url")
            .maybe_query("prefix", some(&self.prefix).as_deref())
            .maybe_query("delimiter", self.delimiter.as_deref().filter(|text| !text.is_empty()))
            .maybe_query("start-after", start_after.filter(|text| !text.is_empty()))
            .maybe_query("continuation-token", self.continuation_token.as_deref())
            .maybe_query("max-keys", max_keys.as_deref())
            .maybe_query("fetch-owner", self.fetch_owner.then_some("true"))
    }

    fn parse(&self, answer: &Answer) -> Result<ListPage, Failure> {
        let mut xml = answer.xml("ListBucketResult")?;
        let mut page = ListPage::default();
        let mut encoded = false;
        while let Some(name) = xml.child()? {
            match name {
                "Contents" => page.objects.push(self.object(&mut xml)?),
                "CommonPrefixes" => prefixes(&mut xml, &mut page.common_prefixes)?,
                "IsTruncated" => page.truncated = xml.text()?.trim() == "true",
                "NextContinuationToken" => page.next_token = Some(xml.text()?.into_owned()),
                "EncodingType" => encoded = xml.text()?.trim().eq_ignore_ascii_case("url"),
                _ => xml.skip()?,
            }
        }
        page.next_token = page.next_token.filter(|token| !token.is_empty());
        if encoded {
            page.decode()?;
        }
        match page.objects.iter().find(|object| object.uri.key.is_empty()) {
            Some(_) => Err(Failure::bad_answer("an object without a key in the listing")),
            None => Ok(page),
        }
    }
}

impl ListObjectsV2 {
    fn object(&self, xml: &mut Xml<'_>) -> Result<Record, XmlError> {
        let mut record = Record::new(S3Uri::new(self.bucket.as_str(), ""));
        while let Some(name) = xml.child()? {
            match name {
                "Key" => record.uri.key = xml.text()?.into_owned(),
                "Size" => record.size = Some(xml.number()?),
                "LastModified" => record.last_modified = xml.text()?.trim().parse().ok(),
                "ETag" => record.etag = Some(ETag::new(&xml.text()?)).filter(|etag| !etag.as_str().is_empty()),
                "StorageClass" => record.storage_class = Some(xml.text()?.into_owned()),
                "ChecksumAlgorithm" => record.checksum_algorithm = Some(xml.text()?.into_owned()),
                "ChecksumType" => record.checksum_type = Some(xml.text()?.into_owned()),
                "Owner" => record.owner = owner(xml)?,
                "RestoreStatus" => record.restore = restore(xml)?,
                _ => xml.skip()?,
            }
        }
        Ok(record)
    }
}

impl ListPage {
    /// Undoes `encoding-type=url`, which touches keys and prefixes but not tokens.
    fn decode(&mut self) -> Result<(), Failure> {
        for object in &mut self.objects {
            decode(&mut object.uri.key)?;
        }
        self.common_prefixes.iter_mut().try_for_each(decode)
    }
}

fn decode(name: &mut String) -> Result<(), Failure> {
    match encode::decode(std::mem::take(name)) {
        Ok(decoded) => *name = decoded,
        Err(raw) => return Err(Failure::unusable_answer(format!("the key '{raw}' (as listed) is not UTF-8"))),
    }
    Ok(())
}

fn prefixes(xml: &mut Xml<'_>, into: &mut Vec<String>) -> Result<(), XmlError> {
    while let Some(name) = xml.child()? {
        match name {
            "Prefix" => into.push(xml.text()?.into_owned()),
            _ => xml.skip()?,
        }
    }
    Ok(())
}

fn owner(xml: &mut Xml<'_>) -> Result<Option<String>, XmlError> {
    let mut id = None;
    while let Some(name) = xml.child()? {
        match name {
            "ID" => id = Some(xml.text()?.into_owned()),
            _ => xml.skip()?,
        }
    }
    Ok(id)
}

/// As the header `x-amz-restore` says it.
fn restore(xml: &mut Xml<'_>) -> Result<Option<String>, XmlError> {
    let (mut ongoing, mut expiry) = (None, None);
    while let Some(name) = xml.child()? {
        match name {
            "IsRestoreInProgress" => ongoing = Some(xml.text()?.into_owned()),
            "RestoreExpiryDate" => expiry = Some(xml.text()?.into_owned()),
            _ => xml.skip()?,
        }
    }
    Ok(ongoing.map(|ongoing| match expiry {
        Some(expiry) => format!("ongoing-request=\"{ongoing}\", expiry-date=\"{expiry}\""),
        None => format!("ongoing-request=\"{ongoing}\""),
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{answer, request};
    use super::*;

    fn page(body: &str) -> Result<ListPage, Failure> {
        ListObjectsV2 { bucket: "b".into(), ..ListObjectsV2::default() }.parse(&answer(&[], body))
    }

    fn keys(page: &ListPage) -> Vec<&str> {
        page.objects.iter().map(|object| object.uri.key.as_str()).collect()
    }

    #[test]
    fn the_request_asks_for_encoded_names_and_leaves_empty_things_out() {
        let list = ListObjectsV2 { bucket: "b".into(), ..ListObjectsV2::default() };
        assert_eq!(request(&list).query, "list-type=2&encoding-type=url");
        let list = ListObjectsV2 {
            prefix: "a b/".into(),
            delimiter: Some("/".into()),
            start_after: Some("a+".into()),
            max_keys: 5,
            fetch_owner: true,
            ..list
        };
        assert_eq!(
            request(&list).query,
            "list-type=2&encoding-type=url&prefix=a%20b%2F&delimiter=%2F&start-after=a%2B&max-keys=5&fetch-owner=true"
        );
        let list = ListObjectsV2 { continuation_token: Some("1/x==".into()), ..list };
        assert!(request(&list).query.contains("continuation-token=1%2Fx%3D%3D"));
        assert!(!request(&list).query.contains("start-after"));
    }

    #[test]
    fn a_page_is_read_whole() {
        let page = page(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
             <Name>b</Name><Prefix/><KeyCount>2</KeyCount><MaxKeys>2</MaxKeys><IsTruncated>true</IsTruncated>\
             <NextContinuationToken>a+b%2F=</NextContinuationToken><EncodingType>url</EncodingType>\
             <Contents><Key>a+b%2Bc</Key><LastModified>2024-01-02T03:04:05.678Z</LastModified><ETag>&quot;e-1&quot;</ETag>\
             <ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>7</Size>\
             <StorageClass>STANDARD</StorageClass><Owner><ID>me</ID><DisplayName>x</DisplayName></Owner>\
             <RestoreStatus><IsRestoreInProgress>false</IsRestoreInProgress><RestoreExpiryDate>D</RestoreExpiryDate></RestoreStatus>\
             <UserMetadata><Key>no</Key></UserMetadata></Contents>\
             <CommonPrefixes><Prefix>p+q/</Prefix></CommonPrefixes></ListBucketResult>",
        )
        .unwrap();
        assert_eq!(keys(&page), ["a b+c"]);
        let object = &page.objects[0];
        assert_eq!(object.uri.bucket, "b");
        assert_eq!((object.size, object.etag.as_ref().unwrap().as_str()), (Some(7), "e-1"));
        assert_eq!(object.last_modified.unwrap().as_millisecond(), 1_704_164_645_678);
        assert_eq!((object.owner.as_deref(), object.storage_class.as_deref()), (Some("me"), Some("STANDARD")));
        assert_eq!(object.restore.as_deref(), Some("ongoing-request=\"false\", expiry-date=\"D\""));
        assert_eq!(page.common_prefixes, ["p q/"]);
        assert_eq!((page.truncated, page.next_token.as_deref()), (true, Some("a+b%2F=")));
    }

    #[test]
    fn names_are_decoded_only_if_the_answer_says_that_they_are_encoded() {
        let body = "<ListBucketResult><Contents><Key>a+b%2Bc&#x8;&amp;</Key></Contents></ListBucketResult>";
        let raw = page(body).unwrap();
        assert_eq!(keys(&raw), ["a+b%2Bc\u{8}&"]);
        let object = &raw.objects[0];
        assert_eq!((object.size, object.etag.is_none(), raw.truncated), (None, true, false));
    }

    #[test]
    fn an_encoding_type_after_the_keys_counts_too() {
        let body = "<ListBucketResult><Contents><Key>a%0Ab</Key></Contents><EncodingType>url</EncodingType></ListBucketResult>";
        assert_eq!(keys(&page(body).unwrap()), ["a\nb"]);
    }

    #[test]
    fn a_truncated_page_without_a_token_is_reported_as_it_is() {
        let body = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken/></ListBucketResult>";
        let page = page(body).unwrap();
        assert_eq!((page.truncated, page.next_token), (true, None));
    }

    #[test]
    fn a_key_that_is_not_utf8_is_named() {
        let body = "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>a%FFb</Key></Contents></ListBucketResult>";
        let failure = page(body).unwrap_err();
        assert_eq!(failure.code, "BadResponse");
        assert!(failure.message.contains("a%FFb"), "{}", failure.message);
    }

    #[test]
    fn another_root_a_cut_and_a_bad_number_are_bad_answers() {
        for body in [
            "",
            "<html/>",
            "<ListBucketResult><Contents><Key>a</Key>",
            "<ListBucketResult><Contents><Key>a</Key><Size>many</Size></Contents></ListBucketResult>",
            "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>",
        ] {
            assert_eq!(page(body).unwrap_err().code, "BadResponse", "{body}");
        }
    }
}
