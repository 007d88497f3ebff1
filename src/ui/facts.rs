//! All facts about one object as a JSON line, in a fixed order: the fields of a record first, so that the line reads back as one.

use crate::model::record::Record;
use crate::model::units::format_time;
use crate::s3::ops::ObjectHead;
use serde_json::{Map, Value, json};

/// The line, with its newline. What the store did not say is left out.
#[must_use]
pub fn line(object: &Record, head: &ObjectHead) -> String {
    let mut fields = Vec::new();
    let mut add = |name: &str, value: Value| fields.push(format!("{}:{value}", json!(name)));
    add("uri", json!(object.uri.to_string()));
    add("bucket", json!(object.uri.bucket));
    add("key", json!(object.uri.key));
    add("size", json!(head.size));
    for (name, value) in named(object, head) {
        add(name, json!(value));
    }
    if head.delete_marker {
        add("delete_marker", json!(true));
    }
    if let Some(parts) = head.parts_count {
        add("parts_count", json!(parts));
    }
    if head.tag_count > 0 {
        add("tag_count", json!(head.tag_count));
    }
    for (name, pairs) in [("checksums", &head.checksums), ("metadata", &head.metadata)] {
        if !pairs.is_empty() {
            let pairs: Map<String, Value> = pairs.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            add(name, Value::Object(pairs));
        }
    }
    format!("{{{}}}\n", fields.join(","))
}

/// The facts that are plain text.
fn named(object: &Record, head: &ObjectHead) -> impl Iterator<Item = (&'static str, String)> {
    let algorithms = head.checksums.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",");
    [
        ("last_modified", head.last_modified.map(format_time)),
        ("etag", head.etag.as_ref().map(|etag| etag.as_str().to_owned())),
        ("storage_class", head.storage_class.clone()),
        ("checksum_algorithm", Some(algorithms).filter(|names| !names.is_empty())),
        ("checksum_type", head.checksum_type.clone()),
        ("version_id", head.version_id.clone().or_else(|| object.version_id.clone())),
        ("restore", head.restore.clone()),
        ("content_type", head.content.content_type.clone()),
        ("cache_control", head.content.cache_control.clone()),
        ("content_disposition", head.content.content_disposition.clone()),
        ("content_encoding", head.content.content_encoding.clone()),
        ("content_language", head.content.content_language.clone()),
        ("expires", head.content.expires.clone()),
        ("sse", head.sse.clone()),
        ("sse_kms_key_id", head.sse_kms_key_id.clone()),
        ("website_redirect", head.website_redirect.clone()),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::uri::S3Uri;

    #[test]
    fn facts_are_one_json_line_that_begins_as_a_record() {
        let object = Record::new(S3Uri::new("b", "say \"hi\"\n"));
        let head = ObjectHead {
            size: 3,
            metadata: vec![("k".into(), "v".into())],
            checksums: vec![("CRC64NVME".into(), "AAAA".into())],
            ..ObjectHead::default()
        };
        let text = line(&object, &head);
        assert_eq!(text.matches('\n').count(), 1);
        assert!(text.starts_with("{\"uri\":\"s3://b/say"), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&value["size"], &value["metadata"]["k"]), (&json!(3), &json!("v")));
        assert_eq!(value["checksums"]["CRC64NVME"], "AAAA");
        assert!(value.get("etag").is_none());
    }
}
