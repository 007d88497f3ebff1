//! One object into another inside the store: CopyObject tried directly, parts when the size is known to need them. What a copy carries is
//! the same in one request or many: content headers, metadata and tags.

use super::mover::{Mover, Overwrite};
use super::multipart::{self, Filled, Parts, Upload};
use super::upload::{condition, done, lost_race, present};
use super::{Done, Ending, Failure};
use crate::model::plan::{self, Plan};
use crate::model::record::Record;
use crate::model::uri::S3Uri;
use crate::s3::ops::{
    ContentHeaders, CopyObject, CopySource, GetObjectTagging, HeadObject, ObjectAttributes, ObjectHead, UploadPartCopy,
};

/// Copies one object on the server.
pub(super) async fn copy(mover: &Mover, record: &Record, to: &S3Uri) -> Result<Done, Ending> {
    if record.uri == *to && record.version_id.is_none() && !changes_something(mover) {
        return Err(Failure::Refused("source and destination are the same object".into()).into());
    }
    if let Some(reason) = keep_present(mover, record, to).await? {
        return Err(Ending::Skipped(reason));
    }
    let size = match record.size {
        None if mover.policy.copy_asks_size => Some(head(mover, record).await?.size),
        known => known,
    };
    match size {
        Some(size) if size > mover.policy.copy_threshold.min(plan::MAX_PART) => in_parts(mover, record, to).await,
        known => match mover.cancel.unless(whole(mover, record, to, known)).await {
            None => Err(Ending::Cancelled),
            // The store's only way to say that one CopyObject is not enough; asking for the size first would cost every small copy a request.
            Some(Err(Ending::Failed(Failure::S3(error)))) if known.is_none() && is_size_limit(&error) => {
                in_parts(mover, record, to).await
            }
            Some(result) => result,
        },
    }
}

fn is_size_limit(error: &crate::s3::Error) -> bool {
    let says_size = error.message.contains("larger than") || error.message.contains("maximum allowable size");
    error.code == "EntityTooLarge" || (error.code == "InvalidRequest" && says_size)
}

/// Whether the user asked for anything a copy would not carry over by itself.
fn changes_something(mover: &Mover) -> bool {
    mover.policy.attributes != ObjectAttributes::default()
}

async fn keep_present(mover: &Mover, record: &Record, to: &S3Uri) -> Result<Option<&'static str>, Ending> {
    if mover.policy.overwrite == Overwrite::Always {
        return Ok(None);
    }
    let Some(present) = present(mover, to).await? else { return Ok(None) };
    if mover.policy.overwrite == Overwrite::Never {
        return Ok(Some("exists"));
    }
    let (size, modified) = match (record.size, record.last_modified) {
        (Some(size), Some(modified)) => (size, Some(modified)),
        _ => {
            let head = head(mover, record).await?;
            (head.size, head.last_modified)
        }
    };
    let not_older = match (present.last_modified, modified) {
        (Some(present), Some(modified)) => present.as_second() >= modified.as_second(),
        _ => false,
    };
    Ok((present.size == size && not_older).then_some("up to date"))
}

async fn head(mover: &Mover, record: &Record) -> Result<ObjectHead, Ending> {
    let head = HeadObject {
        bucket: record.uri.bucket.clone(),
        key: record.uri.key.clone(),
        version_id: record.version_id.clone(),
        checksum_mode: false,
    };
    Ok(mover.client.send(&head).await?)
}

fn source(record: &Record) -> CopySource {
    CopySource {
        bucket: record.uri.bucket.clone(),
        key: record.uri.key.clone(),
        version_id: record.version_id.clone(),
        if_match: record.etag.clone(),
    }
}

/// One CopyObject.
async fn whole(mover: &Mover, record: &Record, to: &S3Uri, known: Option<u64>) -> Result<Done, Ending> {
    let wanted = &mover.policy.attributes;
    let mut source = source(record);
    let mut size = known;
    // Metadata is replaced as a whole or not at all: to change some of it, the rest must be read first.
    let attributes = if needs_replace(wanted) {
        let head = head(mover, record).await?;
        source.if_match = source.if_match.or_else(|| head.etag.clone());
        size = Some(head.size);
        Some(merged(&head, wanted))
    } else {
        None
    };
    let copy = CopyObject {
        source,
        bucket: to.bucket.clone(),
        key: to.key.clone(),
        attributes,
        storage_class: wanted.storage_class.clone(),
        acl: wanted.acl.clone(),
        condition: condition(mover),
    };
    match mover.client.send(&copy).await {
        Ok(put) => Ok(Done { size, ..done(&put, 0, None) }),
        Err(error) => Err(lost_race(mover, error.into())),
    }
}

/// Whether the wish goes beyond what CopyObject changes without REPLACE.
fn needs_replace(wanted: &ObjectAttributes) -> bool {
    let kept = ObjectAttributes { storage_class: None, acl: None, ..wanted.clone() };
    kept != ObjectAttributes::default()
}

/// The source's attributes with the user's wishes over them: each content header alone, user metadata as a whole.
fn merged(head: &ObjectHead, wanted: &ObjectAttributes) -> ObjectAttributes {
    let (old, new) = (&head.content, &wanted.content);
    let pick = |new: &Option<String>, old: &Option<String>| new.clone().or_else(|| old.clone());
    ObjectAttributes {
        content: ContentHeaders {
            content_type: pick(&new.content_type, &old.content_type),
            cache_control: pick(&new.cache_control, &old.cache_control),
            content_disposition: pick(&new.content_disposition, &old.content_disposition),
            content_encoding: pick(&new.content_encoding, &old.content_encoding),
            content_language: pick(&new.content_language, &old.content_language),
            expires: pick(&new.expires, &old.expires),
        },
        metadata: if wanted.metadata.is_empty() { head.metadata.clone() } else { wanted.metadata.clone() },
        website_redirect: pick(&wanted.website_redirect, &head.website_redirect),
        ..wanted.clone()
    }
}

/// A multipart copy: it inherits nothing, so everything is read from the source and set anew.
async fn in_parts(mover: &Mover, record: &Record, to: &S3Uri) -> Result<Done, Ending> {
    let head = head(mover, record).await?;
    let mut source = source(record);
    source.if_match = source.if_match.or_else(|| head.etag.clone());
    source.version_id = source.version_id.or_else(|| head.version_id.clone());
    let mut attributes = merged(&head, &mover.policy.attributes);
    if attributes.tags.is_none() {
        attributes.tags = tags(mover, &source, head.tag_count).await?;
    }
    let plan = Plan::new(head.size, mover.policy.copy_part_size);
    let plan = plan.map_err(|error| Failure::Refused(error.to_string()))?;
    let fill = async |id: String| {
        let mut parts = Parts::new(mover.policy.streams);
        for part in plan.parts() {
            let (client, length) = (mover.client.clone(), part.range.end - part.range.start);
            let copy = UploadPartCopy {
                source: source.clone(),
                range: Some(part.range),
                bucket: to.bucket.clone(),
                key: to.key.clone(),
                upload_id: id.clone(),
                number: part.number,
            };
            let send = async move {
                let mut done = client.send(&copy).await?;
                done.size = length;
                Ok(done)
            };
            parts.start(send).await?;
        }
        let parts = parts.finish().await?;
        still_the_same(mover, record, &source).await?;
        Ok(Filled { parts, size: head.size, checksum: None })
    };
    let upload = Upload { to, attributes, algorithm: None, condition: condition(mover) };
    match multipart::run(mover, upload, fill).await {
        Ok((put, filled)) => Ok(done(&put, filled.size, filled.checksum)),
        Err(ending) => Err(lost_race(mover, ending)),
    }
}

/// The tags of a source. Asked for even when HEAD tells no count: AWS hides the count from those who may not read tags, and then the copy
/// must fail rather than lose them. A store without tags has none to lose.
async fn tags(mover: &Mover, source: &CopySource, count: u32) -> Result<Option<Vec<(String, String)>>, Ending> {
    let (bucket, key) = (source.bucket.clone(), source.key.clone());
    let tagging = GetObjectTagging { bucket, key, version_id: source.version_id.clone() };
    match mover.client.send(&tagging).await {
        Ok(tags) => Ok(Some(tags).filter(|tags| !tags.is_empty())),
        Err(error) if count == 0 && matches!(error.status, Some(400 | 404 | 405 | 501)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Off AWS, some stores ignore the condition on the source: parts of two versions must not become one object.
async fn still_the_same(mover: &Mover, record: &Record, source: &CopySource) -> Result<(), Ending> {
    if mover.client.config().endpoint.is_aws() || source.version_id.is_some() {
        return Ok(());
    }
    if head(mover, record).await?.etag == source.if_match {
        return Ok(());
    }
    Err(Failure::Refused(format!("{} was replaced while it was being copied; copy it again", record.uri)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(content_type: &str, cache: Option<&str>) -> ContentHeaders {
        let content_type = Some(content_type.into());
        ContentHeaders { content_type, cache_control: cache.map(Into::into), ..ContentHeaders::default() }
    }

    #[test]
    fn a_replaced_header_keeps_the_other_headers_and_the_metadata_of_the_source() {
        let metadata = vec![("k".to_owned(), "v".to_owned())];
        let head = ObjectHead {
            content: content("text/x-test", Some("no-store")),
            metadata: metadata.clone(),
            ..ObjectHead::default()
        };
        let wanted = ObjectAttributes { content: content("text/plain", None), ..ObjectAttributes::default() };
        let merged = merged(&head, &wanted);
        assert_eq!(merged.content, content("text/plain", Some("no-store")));
        assert_eq!(merged.metadata, metadata);
    }

    #[test]
    fn a_storage_class_alone_does_not_replace_metadata() {
        let wanted = ObjectAttributes { storage_class: Some("STANDARD_IA".into()), ..ObjectAttributes::default() };
        assert!(!needs_replace(&wanted));
    }
}
