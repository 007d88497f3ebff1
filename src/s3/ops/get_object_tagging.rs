//! `GetObjectTagging`.

use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Operation, Parts, Store};
use crate::s3::xml::{Xml, XmlError};
use http::Method;

/// `GetObjectTagging` → `Vec<(String, String)>`.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html>
#[derive(Debug, Clone, Default)]
pub struct GetObjectTagging {
    /// Bucket.
    pub bucket: String,
    /// Key.
    pub key: String,
    /// Version; `None` is the current one.
    pub version_id: Option<String>,
}

impl Operation for GetObjectTagging {
    type Output = Vec<(String, String)>;
    const NAME: &'static str = "GetObjectTagging";

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn request(&self, _: Store<'_>) -> Parts {
        Parts::new(Method::GET).resource("tagging").maybe_query("versionId", self.version_id.as_deref())
    }

    fn parse(&self, answer: &Answer) -> Result<Vec<(String, String)>, Failure> {
        let mut xml = answer.xml("Tagging")?;
        let mut tags = Vec::new();
        while let Some(name) = xml.child()? {
            if name != "TagSet" {
                xml.skip()?;
                continue;
            }
            while xml.child()?.is_some() {
                tags.push(tag(&mut xml)?);
            }
        }
        Ok(tags)
    }
}

fn tag(xml: &mut Xml<'_>) -> Result<(String, String), XmlError> {
    let mut tag = (String::new(), String::new());
    while let Some(name) = xml.child()? {
        match name {
            "Key" => tag.0 = xml.text()?.into_owned(),
            "Value" => tag.1 = xml.text()?.into_owned(),
            _ => xml.skip()?,
        }
    }
    Ok(tag)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::answer;
    use super::*;

    #[test]
    fn tags_are_read_in_order_and_an_empty_value_is_one() {
        let body = "<Tagging><TagSet><Tag><Key>a</Key><Value>1 &amp; 2</Value></Tag><Tag><Key>b</Key><Value/></Tag></TagSet></Tagging>";
        let tags = GetObjectTagging::default().parse(&answer(&[], body)).unwrap();
        assert_eq!(tags, [("a".into(), "1 & 2".into()), ("b".into(), String::new())]);
        assert!(GetObjectTagging::default().parse(&answer(&[], "<Tagging><TagSet/></Tagging>")).unwrap().is_empty());
    }
}
