//! Operations on buckets themselves.

use http::StatusCode;

use super::{Api, Call, Reply, list::OWNER, listing};
use crate::serve::error::ApiError;
use crate::serve::operation::Operation;
use crate::serve::store::Versioning;
use crate::serve::time;
use crate::serve::xml::{Element, Writer};

/// Whether a bucket may have this name.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ends = name.bytes().next().is_some_and(allowed) && name.bytes().last().is_some_and(allowed);
    let inside = name.bytes().all(|byte| allowed(byte) || byte == b'-' || byte == b'.');
    let address = name.parse::<std::net::Ipv4Addr>().is_ok();
    (3..=63).contains(&name.len())
        && ends
        && inside
        && !["..", ".-", "-."].iter().any(|pair| name.contains(pair))
        && !address
}

/// `ListBuckets`.
pub(super) fn list(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let prefix = call.query.get("prefix").unwrap_or_default();
    let region = call.query.get("bucket-region");
    let max = call.query.get("max-buckets").and_then(|text| text.parse().ok()).unwrap_or(10_000_usize);
    let after = match call.query.get("continuation-token") {
        None => String::new(),
        Some(token) => listing::read_token(token).ok_or_else(|| {
            ApiError::argument("continuation-token", token, "The continuation token provided is incorrect")
        })?,
    };
    let mut buckets = api.store.buckets();
    buckets.retain(|(name, facts)| {
        *name > after && name.starts_with(prefix) && region.is_none_or(|region| region == facts.region)
    });
    let truncated = buckets.len() > max;
    buckets.truncate(max);
    let mut xml = Writer::document();
    xml.root("ListAllMyBucketsResult").open("Owner").text("ID", OWNER).close("Owner").open("Buckets");
    for (name, facts) in &buckets {
        xml.open("Bucket").text("Name", name).text("CreationDate", &time::iso(facts.created));
        xml.text("BucketRegion", &facts.region).close("Bucket");
    }
    xml.close("Buckets");
    if let Some((name, _)) = buckets.last().filter(|_| truncated) {
        xml.text("ContinuationToken", &listing::token(name));
    }
    xml.close("ListAllMyBucketsResult");
    Ok(Reply::xml(xml.finish()))
}

/// `CreateBucket`.
pub(super) async fn create(api: &Api, mut call: Call) -> Result<Reply, ApiError> {
    let document = call.document().await?;
    let mut region = api.region.clone();
    if !document.is_empty() {
        let root = Element::parse(&document).ok_or_else(|| ApiError::of("MalformedXML"))?;
        match root.value("LocationConstraint") {
            None | Some("") => {}
            // The first European region still has its old name.
            Some("EU") => "eu-west-1".clone_into(&mut region),
            Some(constraint) => constraint.clone_into(&mut region),
        }
    }
    api.store.create_bucket(call.bucket(), &region)?;
    Ok(Reply::empty(StatusCode::OK).with("location", &format!("/{}", call.bucket())))
}

/// `HeadBucket`.
pub(super) fn head(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let region = api.store.read(call.bucket(), |bucket| bucket.facts.region.clone())?;
    Ok(Reply::empty(StatusCode::OK).with("x-amz-bucket-region", &region).with("content-type", "application/xml"))
}

/// `DeleteBucket`.
pub(super) fn delete(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    api.store.delete_bucket(call.bucket())?;
    Ok(Reply::empty(StatusCode::NO_CONTENT))
}

/// `GetBucketLocation`: the first region has no name here.
pub(super) fn location(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let region = api.store.read(call.bucket(), |bucket| bucket.facts.region.clone())?;
    let mut xml = Writer::document();
    xml.root("LocationConstraint");
    if region != "us-east-1" {
        crate::serve::xml::escape(xml.buffer(), &region);
    }
    xml.close("LocationConstraint");
    Ok(Reply::xml(xml.finish()))
}

/// `GetBucketVersioning`.
pub(super) fn versioning(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let versioning = api.store.read(call.bucket(), |bucket| bucket.facts.versioning)?;
    let mut xml = Writer::document();
    xml.root("VersioningConfiguration");
    match versioning {
        Versioning::Off => {}
        Versioning::Enabled => drop(xml.text("Status", "Enabled")),
        Versioning::Suspended => drop(xml.text("Status", "Suspended")),
    }
    xml.close("VersioningConfiguration");
    Ok(Reply::xml(xml.finish()))
}

/// `PutBucketVersioning`.
pub(super) async fn set_versioning(api: &Api, mut call: Call) -> Result<Reply, ApiError> {
    let document = call.document().await?;
    let root = Element::parse(&document).ok_or_else(|| ApiError::of("MalformedXML"))?;
    let versioning = match root.value("Status") {
        Some("Enabled") => Versioning::Enabled,
        Some("Suspended") => Versioning::Suspended,
        _ => return Err(ApiError::of("MalformedXML")),
    };
    api.store.set_versioning(call.bucket(), versioning)?;
    Ok(Reply::empty(StatusCode::OK))
}

/// `GetBucketAcl` and `GetObjectAcl`: all belongs to the one user there is.
pub(super) fn acl(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    if call.operation == Operation::GetObjectAcl {
        super::versioned::find(api, call.bucket(), call.key(), call.version()?)?;
    } else {
        api.store.read(call.bucket(), |_| ())?;
    }
    let mut xml = Writer::document();
    xml.root("AccessControlPolicy")
        .open("Owner")
        .text("ID", OWNER)
        .close("Owner")
        .open("AccessControlList")
        .open("Grant");
    xml.raw("<Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"CanonicalUser\">");
    xml.text("ID", OWNER).close("Grantee").text("Permission", "FULL_CONTROL");
    xml.close("Grant").close("AccessControlList").close("AccessControlPolicy");
    Ok(Reply::xml(xml.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_s3s_rules() {
        for name in ["abc", "a.b-c", "0bucket9"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["ab", "Abc", "a_b", "-ab", "ab-", "a..b", "a.-b", "192.168.1.1", ""] {
            assert!(!is_name(name), "{name}");
        }
        assert!(!is_name(&"a".repeat(64)));
    }
}
