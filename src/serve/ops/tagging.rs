//! Tags of objects.

use http::StatusCode;

use super::{Api, Call, Reply, versioned};
use crate::serve::error::ApiError;
use crate::serve::store::Pairs;
use crate::serve::target::Query;
use crate::serve::xml::{Element, Writer};

/// An object may not have more.
const MAX_TAGS: usize = 10;

/// Reads the header form, `a=1&b=2`, percent-encoded.
pub(super) fn parse_header(text: &str) -> Result<Pairs, ApiError> {
    checked(
        Query::parse(text).into_pairs(),
        ApiError::argument(
            "x-amz-tagging",
            text,
            "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
        ),
    )
}

fn checked(tags: Pairs, duplicate: ApiError) -> Result<Pairs, ApiError> {
    if tags.len() > MAX_TAGS {
        return Err(ApiError::of("BadRequest").message("Object tags cannot be greater than 10"));
    }
    for (at, (name, value)) in tags.iter().enumerate() {
        if name.is_empty() || name.chars().count() > 128 {
            return Err(ApiError::of("InvalidTag").message("The TagKey you have provided is invalid"));
        }
        if value.chars().count() > 256 {
            return Err(ApiError::of("InvalidTag").message("The TagValue you have provided is invalid"));
        }
        if tags.iter().take(at).any(|(earlier, _)| earlier == name) {
            return Err(duplicate);
        }
    }
    Ok(tags)
}

/// `GetObjectTagging`.
pub(super) fn get(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let (version, versioned) = versioned::find(api, call.bucket(), call.key(), call.version()?)?;
    let mut xml = Writer::document();
    xml.root("Tagging").open("TagSet");
    for (name, value) in &version.facts.attributes.tags {
        xml.open("Tag").text("Key", name).text("Value", value).close("Tag");
    }
    xml.close("TagSet").close("Tagging");
    Ok(Reply::xml(xml.finish()).maybe("x-amz-version-id", versioned.then_some(version.id.as_str())))
}

/// `PutObjectTagging`.
pub(super) async fn put(api: &Api, mut call: Call) -> Result<Reply, ApiError> {
    let document = call.document().await?;
    let malformed = || ApiError::of("MalformedXML");
    let root = Element::parse(&document).filter(|root| root.name == "Tagging").ok_or_else(malformed)?;
    let set = root.child("TagSet").ok_or_else(malformed)?;
    let tag = |tag: &Element| Some((tag.value("Key")?.to_owned(), tag.value("Value")?.to_owned()));
    let tags = set.all("Tag").map(tag).collect::<Option<Pairs>>().ok_or_else(malformed)?;
    let duplicate = ApiError::of("InvalidTag").message("Cannot provide multiple Tags with the same key");
    set_tags(api, &call, checked(tags, duplicate)?, StatusCode::OK)
}

/// `DeleteObjectTagging`.
pub(super) fn delete(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    set_tags(api, call, Vec::new(), StatusCode::NO_CONTENT)
}

fn set_tags(api: &Api, call: &Call, tags: Pairs, status: StatusCode) -> Result<Reply, ApiError> {
    let (version, versioned) = versioned::find(api, call.bucket(), call.key(), call.version()?)?;
    api.store.amend(call.bucket(), call.key(), &version.id, |facts| facts.attributes.tags = tags)?;
    Ok(Reply::empty(status).maybe("x-amz-version-id", versioned.then_some(version.id.as_str())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_header_form_is_decoded_and_limited() {
        assert_eq!(parse_header("a=1&b+c=%2B").unwrap(), [("a".into(), "1".into()), ("b c".into(), "+".into())]);
        let many: Vec<_> = (0..11).map(|n| format!("k{n}=v")).collect();
        assert!(parse_header(&many.join("&")).is_err());
        assert!(parse_header("a=1&a=2").is_err());
        assert!(parse_header(&format!("{}=1", "k".repeat(129))).is_err());
    }
}
