//! `DeleteObject` and `DeleteObjects`.

use http::StatusCode;

use super::{Api, Call, Reply};
use crate::serve::error::ApiError;
use crate::serve::store::Deleted;
use crate::serve::xml::{Element, Writer};

/// A batch may not name more.
const MAX_BATCH: usize = 1000;

/// `DeleteObject`.
pub(super) fn object(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let etag = call.header("if-match").map(|tag| tag.trim_matches('"').to_owned());
    let deleted = api.store.delete(call.bucket(), call.key(), call.version()?, etag.as_deref())?;
    let mut reply = Reply::empty(StatusCode::NO_CONTENT).maybe("x-amz-version-id", deleted.version.as_deref());
    if deleted.marker {
        reply.set("x-amz-delete-marker", "true");
    }
    Ok(reply)
}

/// `DeleteObjects`.
pub(super) async fn batch(api: &Api, mut call: Call) -> Result<Reply, ApiError> {
    let has_digest = call.headers.keys().any(|name| {
        let name = name.as_str();
        name == "content-md5" || name.starts_with("x-amz-checksum-") || name == "x-amz-trailer"
    });
    if !has_digest {
        return Err(ApiError::request("Missing required header for this request: Content-MD5 OR x-amz-checksum-*"));
    }
    let document = call.document().await?;
    let malformed = || ApiError::of("MalformedXML");
    let root = Element::parse(&document).filter(|root| root.name == "Delete").ok_or_else(malformed)?;
    let objects: Vec<_> = root.all("Object").collect();
    if objects.is_empty() || objects.len() > MAX_BATCH {
        return Err(malformed());
    }
    api.store.read(call.bucket(), |_| ())?;
    let quiet = root.value("Quiet").is_some_and(|text| text.trim().eq_ignore_ascii_case("true"));
    let mut xml = Writer::document();
    xml.root("DeleteResult");
    for object in objects {
        let key = object.value("Key").ok_or_else(malformed)?;
        let id = object.value("VersionId").filter(|id| !id.is_empty());
        let etag = object.value("ETag").map(|tag| tag.trim_matches('"'));
        match api.store.delete(call.bucket(), key, id, etag) {
            Ok(deleted) if !quiet => write_deleted(&mut xml, key, id, &deleted),
            Ok(_) => {}
            Err(error) => write_error(&mut xml, key, id, &error),
        }
    }
    xml.close("DeleteResult");
    Ok(Reply::xml(xml.finish()))
}

fn write_deleted(xml: &mut Writer, key: &str, id: Option<&str>, deleted: &Deleted) {
    xml.open("Deleted").text("Key", key).maybe("VersionId", id);
    if deleted.marker {
        xml.flag("DeleteMarker", true).maybe("DeleteMarkerVersionId", deleted.version.as_deref());
    }
    xml.close("Deleted");
}

fn write_error(xml: &mut Writer, key: &str, id: Option<&str>, error: &ApiError) {
    xml.open("Error").text("Key", key).maybe("VersionId", id);
    xml.text("Code", error.code()).text("Message", error.text()).close("Error");
}
