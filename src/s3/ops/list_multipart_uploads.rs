//! `ListMultipartUploads`, one page.

use crate::s3::encode;
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Level, Operation, Parts, Store};
use crate::s3::xml::{Xml, XmlError};
use http::Method;
use jiff::Timestamp;

/// `ListMultipartUploads`, one page.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html>
#[derive(Debug, Clone, Default)]
pub struct ListMultipartUploads {
    /// Bucket.
    pub bucket: String,
    /// Prefix, raw; may be empty.
    pub prefix: String,
    /// Only uploads after this key (or, with the other marker, of it).
    pub key_marker: Option<String>,
    /// Only uploads of that key after this one.
    pub upload_id_marker: Option<String>,
}

/// An upload that is neither completed nor aborted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Key.
    pub key: String,
    /// Upload id.
    pub upload_id: String,
    /// When it was created.
    pub initiated: Option<Timestamp>,
    /// Storage class of the object to come.
    pub storage_class: Option<String>,
}

/// A page of uploads.
#[derive(Debug, Clone, Default)]
pub struct UploadsPage {
    /// Uploads, by key.
    pub uploads: Vec<Upload>,
    /// Markers of the next page (key, upload id), if there is one.
    pub next: Option<(String, String)>,
}

impl Operation for ListMultipartUploads {
    type Output = UploadsPage;
    const NAME: &'static str = "ListMultipartUploads";
    const LEVEL: Level = Level::Bucket;
    const LONGEST: usize = 64 << 20;

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn request(&self, _: Store<'_>) -> Parts {
        let prefix = Some(self.prefix.as_str()).filter(|prefix| !prefix.is_empty());
        Parts::new(Method::GET)
            .resource("uploads")
            .query("encoding-type", "url")
            .maybe_query("prefix", prefix)
            .maybe_query("key-marker", self.key_marker.as_deref())
            .maybe_query("upload-id-marker", self.upload_id_marker.as_deref())
    }

    fn parse(&self, answer: &Answer) -> Result<UploadsPage, Failure> {
        let mut xml = answer.xml("ListMultipartUploadsResult")?;
        let mut uploads = Vec::new();
        let (mut truncated, mut encoded) = (false, false);
        let mut next = (String::new(), String::new());
        while let Some(name) = xml.child()? {
            match name {
                "Upload" => uploads.push(upload(&mut xml)?),
                "IsTruncated" => truncated = xml.text()?.trim() == "true",
                "EncodingType" => encoded = xml.text()?.trim().eq_ignore_ascii_case("url"),
                "NextKeyMarker" => next.0 = xml.text()?.into_owned(),
                "NextUploadIdMarker" => next.1 = xml.text()?.into_owned(),
                _ => xml.skip()?,
            }
        }
        if encoded {
            for name in uploads.iter_mut().map(|upload| &mut upload.key).chain([&mut next.0]) {
                let decoded = encode::decode(std::mem::take(name));
                *name = decoded.map_err(|raw| Failure::unusable_answer(format!("the key '{raw}' is not UTF-8")))?;
            }
        }
        let next = Some(next).filter(|next| truncated && !next.0.is_empty());
        Ok(UploadsPage { uploads, next })
    }
}

fn upload(xml: &mut Xml<'_>) -> Result<Upload, XmlError> {
    let mut upload = Upload { key: String::new(), upload_id: String::new(), initiated: None, storage_class: None };
    while let Some(name) = xml.child()? {
        match name {
            "Key" => upload.key = xml.text()?.into_owned(),
            "UploadId" => upload.upload_id = xml.text()?.into_owned(),
            "Initiated" => upload.initiated = xml.text()?.trim().parse().ok(),
            "StorageClass" => upload.storage_class = Some(xml.text()?.into_owned()),
            _ => xml.skip()?,
        }
    }
    Ok(upload)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::answer;
    use super::*;

    #[test]
    fn keys_and_the_key_marker_are_decoded_upload_ids_are_not() {
        let body = "<ListMultipartUploadsResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>\
                    <NextKeyMarker>a+b</NextKeyMarker><NextUploadIdMarker>u+1</NextUploadIdMarker>\
                    <Upload><Key>a+b</Key><UploadId>u+1</UploadId><Initiated>2024-01-02T03:04:05Z</Initiated>\
                    <Owner><ID>x</ID></Owner></Upload></ListMultipartUploadsResult>";
        let page = ListMultipartUploads::default().parse(&answer(&[], body)).unwrap();
        assert_eq!((page.uploads[0].key.as_str(), page.uploads[0].upload_id.as_str()), ("a b", "u+1"));
        assert_eq!(page.next, Some(("a b".into(), "u+1".into())));
    }
}
