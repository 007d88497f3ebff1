//! `DeleteObjects`: up to a thousand keys in one request, each with its own result.

use super::delete_object::Deleted;
use crate::model::checksum::{Algorithm, Checksum};
use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Level, Operation, Parts, Store};
use crate::s3::xml::{self, Xml, XmlError};
use crate::transport::http::Patience;
use bytes::Bytes;
use http::Method;
use std::collections::HashMap;

/// `DeleteObjects`, up to 1,000 → one result a key, in the order asked (a key the answer does not name is an error).
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html>
#[derive(Debug, Clone, Default)]
pub struct DeleteObjects {
    /// Bucket.
    pub bucket: String,
    /// Key, version id.
    pub keys: Vec<(String, Option<String>)>,
}

/// `Err` carries code and message.
pub type DeleteResult = Result<Deleted, (String, String)>;

impl Operation for DeleteObjects {
    type Output = Vec<DeleteResult>;
    const NAME: &'static str = "DeleteObjects";
    const LEVEL: Level = Level::Bucket;
    const LONGEST: usize = 16 << 20;

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn request(&self, store: Store<'_>) -> Parts {
        let body = self.document();
        // S3 demands a digest of this body. Elsewhere MD5 is the one that every store knows.
        let algorithm = if store.aws { Algorithm::Crc64Nvme } else { Algorithm::Md5 };
        let digest = Checksum::of(algorithm, body.as_bytes());
        Parts::new(Method::POST)
            .resource("delete")
            .header("content-type", "application/xml")
            .header(algorithm.header(), &digest.base64())
            .body(vec![Bytes::from(body)])
            .patience(Patience::Long)
    }

    fn parse(&self, answer: &Answer) -> Result<Vec<DeleteResult>, Failure> {
        let mut xml = answer.xml("DeleteResult")?;
        let mut open = Open::new(&self.keys);
        while let Some(name) = xml.child()? {
            match name {
                "Deleted" => {
                    let said = Said::read(&mut xml)?;
                    let result = Deleted {
                        version_id: said.marker_version.clone().or_else(|| said.version.clone()),
                        delete_marker: said.marker,
                    };
                    open.close(&said, Ok(result));
                }
                "Error" => {
                    let mut said = Said::read(&mut xml)?;
                    let result = Err((std::mem::take(&mut said.code), std::mem::take(&mut said.message)));
                    open.close(&said, result);
                }
                _ => xml.skip()?,
            }
        }
        Ok(open.results())
    }
}

impl DeleteObjects {
    fn document(&self) -> String {
        let mut out = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">",
        );
        for (key, version) in &self.keys {
            out.push_str("<Object>");
            xml::element(&mut out, "Key", key);
            if let Some(version) = version {
                xml::element(&mut out, "VersionId", version);
            }
            out.push_str("</Object>");
        }
        out.push_str("</Delete>");
        out
    }
}

/// One `Deleted` or `Error` of an answer.
#[derive(Debug, Default)]
struct Said {
    key: String,
    version: Option<String>,
    marker: bool,
    marker_version: Option<String>,
    code: String,
    message: String,
}

impl Said {
    fn read(xml: &mut Xml<'_>) -> Result<Self, XmlError> {
        let mut said = Self::default();
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        while let Some(name) = xml.child()? {
            match name {
                "Key" => said.key = xml.text()?.into_owned(),
                "VersionId" => said.version = some(xml.text()?.into_owned()),
                "DeleteMarker" => said.marker = xml.text()?.trim() == "true",
                "DeleteMarkerVersionId" => said.marker_version = some(xml.text()?.into_owned()),
                "Code" => said.code = xml.text()?.into_owned(),
                "Message" => said.message = xml.text()?.into_owned(),
                _ => xml.skip()?,
            }
        }
        Ok(said)
    }
}

/// The keys asked for, until each has its result.
#[derive(Debug)]
struct Open<'a> {
    keys: &'a [(String, Option<String>)],
    /// Places of each key that have no result yet, last first.
    places: HashMap<&'a str, Vec<usize>>,
    results: Vec<Option<DeleteResult>>,
}

impl<'a> Open<'a> {
    fn new(keys: &'a [(String, Option<String>)]) -> Self {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::with_capacity(keys.len());
        for (place, (key, _)) in keys.iter().enumerate().rev() {
            places.entry(key).or_default().push(place);
        }
        Self { keys, places, results: vec![None; keys.len()] }
    }

    /// Gives a result to the first open place with this key; of several versions to the one that is named.
    fn close(&mut self, said: &Said, result: DeleteResult) {
        let Some(places) = self.places.get_mut(said.key.as_str()) else { return };
        let named = |place: &usize| self.keys[*place].1.is_none() || self.keys[*place].1 == said.version;
        if let Some(at) = places.iter().rposition(named) {
            self.results[places.remove(at)] = Some(result);
        }
    }

    fn results(self) -> Vec<DeleteResult> {
        let unnamed = || Err(("BadResponse".into(), "the store's answer does not say what became of it".into()));
        self.results.into_iter().map(|result| result.unwrap_or_else(unnamed)).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{answer, body, headers, request};
    use super::*;

    fn delete(keys: &[(&str, Option<&str>)]) -> DeleteObjects {
        let keys = keys.iter().map(|(key, version)| ((*key).into(), version.map(Into::into))).collect();
        DeleteObjects { bucket: "b".into(), keys }
    }

    #[test]
    fn keys_are_escaped_so_that_none_changes_on_the_way() {
        let request = request(&delete(&[("a<\r\n&\u{8}>", Some("v"))]));
        assert!(
            body(&request).ends_with(
                "<Object><Key>a&lt;&#xD;&#xA;&amp;&#x8;&gt;</Key><VersionId>v</VersionId></Object></Delete>"
            ),
            "{}",
            body(&request)
        );
        assert_eq!(request.query, "delete");
        assert!(headers(&request).starts_with("content-md5: "));
    }

    #[test]
    fn results_come_in_the_order_asked_and_a_key_left_out_is_an_error() {
        let delete = delete(&[("a", None), ("b", None), ("c", None)]);
        let results = delete
            .parse(&answer(
                &[],
                "<DeleteResult><Error><Key>c</Key><Code>AccessDenied</Code><Message>no</Message></Error>\
                 <Deleted><Key>a</Key><DeleteMarker>true</DeleteMarker><DeleteMarkerVersionId>m</DeleteMarkerVersionId></Deleted>\
                 <Deleted><Key>z</Key></Deleted></DeleteResult>",
            ))
            .unwrap();
        assert_eq!(results[0], Ok(Deleted { version_id: Some("m".into()), delete_marker: true }));
        assert_eq!(results[1].as_ref().unwrap_err().0, "BadResponse");
        assert_eq!(results[2], Err(("AccessDenied".into(), "no".into())));
    }

    #[test]
    fn versions_of_one_key_are_told_apart() {
        let delete = delete(&[("a", Some("1")), ("a", Some("2"))]);
        let results = delete
            .parse(&answer(
                &[],
                "<DeleteResult><Deleted><Key>a</Key><VersionId>2</VersionId></Deleted>\
                 <Error><Key>a</Key><VersionId>1</VersionId><Code>X</Code></Error></DeleteResult>",
            ))
            .unwrap();
        assert!(results[0].is_err() && results[1].is_ok());
    }

    #[test]
    fn one_key_twice_needs_two_results() {
        let delete = delete(&[("a", None), ("a", None)]);
        let once = delete.parse(&answer(&[], "<DeleteResult><Deleted><Key>a</Key></Deleted></DeleteResult>")).unwrap();
        assert!(once[0].is_ok() && once[1].is_err());
    }
}
