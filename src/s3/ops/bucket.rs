//! Operations on buckets: list, head, create, delete.

use crate::s3::failure::Failure;
use crate::s3::operation::{Answer, Level, Operation, Parts, Store};
use crate::s3::xml::{self, Xml, XmlError};
use bytes::Bytes;
use http::Method;
use jiff::Timestamp;

/// `ListBuckets`.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html>
#[derive(Debug, Clone, Default)]
pub struct ListBuckets {}

/// A bucket's name and creation time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Name.
    pub name: String,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// Where it is, if the store says.
    pub region: Option<String>,
}

impl Operation for ListBuckets {
    type Output = Vec<Bucket>;
    const NAME: &'static str = "ListBuckets";
    const LEVEL: Level = Level::Service;
    const LONGEST: usize = 64 << 20;

    fn bucket(&self) -> &'static str {
        ""
    }

    fn request(&self, _: Store<'_>) -> Parts {
        Parts::new(Method::GET)
    }

    fn parse(&self, answer: &Answer) -> Result<Vec<Bucket>, Failure> {
        let mut xml = answer.xml("ListAllMyBucketsResult")?;
        let mut buckets = Vec::new();
        while let Some(name) = xml.child()? {
            if name != "Buckets" {
                xml.skip()?;
                continue;
            }
            while let Some(name) = xml.child()? {
                match name {
                    "Bucket" => buckets.push(bucket(&mut xml)?),
                    _ => xml.skip()?,
                }
            }
        }
        Ok(buckets)
    }
}

fn bucket(xml: &mut Xml<'_>) -> Result<Bucket, XmlError> {
    let mut bucket = Bucket { name: String::new(), created: None, region: None };
    while let Some(name) = xml.child()? {
        match name {
            "Name" => bucket.name = xml.text()?.into_owned(),
            "CreationDate" => bucket.created = xml.text()?.trim().parse().ok(),
            "BucketRegion" => bucket.region = Some(xml.text()?.into_owned()),
            _ => xml.skip()?,
        }
    }
    Ok(bucket)
}

/// `HeadBucket` → ().
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html>
#[derive(Debug, Clone, Default)]
pub struct HeadBucket {
    /// Bucket.
    pub bucket: String,
}

/// `CreateBucket` → (); the `LocationConstraint` is the client's region unless us-east-1.
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html>
#[derive(Debug, Clone, Default)]
pub struct CreateBucket {
    /// Bucket.
    pub bucket: String,
}

/// `DeleteBucket` → ().
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html>
#[derive(Debug, Clone, Default)]
pub struct DeleteBucket {
    /// Bucket.
    pub bucket: String,
}

impl Operation for HeadBucket {
    type Output = ();
    const NAME: &'static str = "HeadBucket";
    const LEVEL: Level = Level::Bucket;

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn request(&self, _: Store<'_>) -> Parts {
        Parts::new(Method::HEAD)
    }

    fn parse(&self, _: &Answer) -> Result<(), Failure> {
        Ok(())
    }
}

impl Operation for CreateBucket {
    type Output = ();
    const NAME: &'static str = "CreateBucket";
    const LEVEL: Level = Level::Bucket;

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn request(&self, store: Store<'_>) -> Parts {
        let parts = Parts::new(Method::PUT);
        // `us-east-1` must not be named, and a store without regions would not know what to do with its default's name.
        if store.region == "us-east-1" {
            return parts;
        }
        let mut body = String::from("<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        xml::element(&mut body, "LocationConstraint", store.region);
        body.push_str("</CreateBucketConfiguration>");
        parts.header("content-type", "application/xml").body(vec![Bytes::from(body)])
    }

    fn parse(&self, _: &Answer) -> Result<(), Failure> {
        Ok(())
    }

    /// Ours already is what a creation whose answer was lost leaves.
    fn forgive(&self, failure: &Failure, lost: bool) -> Option<()> {
        (lost && failure.code == "BucketAlreadyOwnedByYou").then_some(())
    }
}

impl Operation for DeleteBucket {
    type Output = ();
    const NAME: &'static str = "DeleteBucket";
    const LEVEL: Level = Level::Bucket;

    fn bucket(&self) -> &str {
        &self.bucket
    }

    fn request(&self, _: Store<'_>) -> Parts {
        Parts::new(Method::DELETE)
    }

    fn parse(&self, _: &Answer) -> Result<(), Failure> {
        Ok(())
    }

    /// Missing is what a deletion whose answer was lost leaves.
    fn forgive(&self, failure: &Failure, lost: bool) -> Option<()> {
        (lost && failure.code == "NoSuchBucket").then_some(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::{answer, body, request};
    use super::*;

    #[test]
    fn buckets_are_read_with_what_is_known_of_them() {
        let text = "<ListAllMyBucketsResult><Owner><ID>x</ID></Owner><Buckets><Bucket><Name>a</Name>\
                    <CreationDate>2024-01-02T03:04:05.000Z</CreationDate><BucketRegion>r</BucketRegion></Bucket>\
                    <Bucket><Name>b</Name></Bucket></Buckets></ListAllMyBucketsResult>";
        let buckets = ListBuckets {}.parse(&answer(&[], text)).unwrap();
        assert_eq!((buckets[0].name.as_str(), buckets[0].region.as_deref()), ("a", Some("r")));
        assert_eq!((buckets[1].name.as_str(), buckets[1].created), ("b", None));
    }

    #[test]
    fn the_region_is_named_unless_it_is_the_one_that_must_not_be() {
        let create = CreateBucket { bucket: "b".into() };
        assert!(request(&create).body.is_empty());
        let parts = create.request(Store { aws: true, region: "eu-west-1" });
        assert!(body(&parts).contains("<LocationConstraint>eu-west-1</LocationConstraint>"));
    }
}
