//! `ListObjectsV2` and `ListObjects`: written straight from the index.

use std::borrow::Cow;

use super::listing::{self, End, Item, Scope};
use super::{Api, Call, Reply};
use crate::serve::error::ApiError;
use crate::serve::operation::Operation;
use crate::serve::options::Provider;
use crate::serve::store::{Bucket, StoredChecksum};
use crate::serve::synthetic;
use crate::serve::time::{self, Seconds};
use crate::serve::xml::Writer;

/// An entry's XML is about this long; what is longer grows the buffer.
const ENTRY: usize = 320;

/// The owner of everything.
pub(super) const OWNER: &str = "75aa57f09aa0c8caeab4f8c24e99d10f8e7faeebf76c078efc7c6caea54ba06a";

/// What a listing says of a key.
struct Row<'a> {
    modified: Seconds,
    etag: &'a str,
    size: u64,
    class: &'a str,
    checksum: Option<&'a StoredChecksum>,
}

/// A page's items as XML.
struct Page {
    contents: String,
    prefixes: String,
    end: End,
}

/// Both operations.
pub(super) fn objects(api: &Api, call: &Call) -> Result<Reply, ApiError> {
    let v2 = call.operation == Operation::ListObjectsV2;
    let mut scope = Scope::of(call, "max-keys")?;
    scope.after = after(api, call, v2)?;
    let owner = !v2 || call.query.get("fetch-owner") == Some("true");
    let page = match &api.synthetic {
        Some(keys) if call.bucket() == synthetic::BUCKET => render(&scope, owner, |from| {
            keys.from(from).map(|key| {
                (
                    Cow::Owned(key),
                    Row {
                        modified: synthetic::MODIFIED,
                        etag: synthetic::ETAG,
                        size: 0,
                        class: "STANDARD",
                        checksum: None,
                    },
                )
            })
        }),
        _ => api.store.read(call.bucket(), |bucket| render(&scope, owner, |from| entries(bucket, from)))?,
    };
    let document = if v2 { document_v2(call, &scope, &page) } else { document_v1(call, &scope, &page) };
    #[expect(clippy::cast_precision_loss, reason = "at most a page")]
    Ok(Reply::xml(document).units(page.end.prefixes as f64))
}

/// Where the page begins. A store that knows only tokens ignores start-after.
fn after(api: &Api, call: &Call, v2: bool) -> Result<String, ApiError> {
    if !v2 {
        return Ok(call.query.get("marker").unwrap_or_default().to_owned());
    }
    match call.query.get("continuation-token").filter(|token| !token.is_empty()) {
        Some(token) => listing::read_token(token).ok_or_else(|| {
            ApiError::argument("continuation-token", token, "The continuation token provided is incorrect")
        }),
        None if api.provider == Provider::Minimal => Ok(String::new()),
        None => Ok(call.query.get("start-after").unwrap_or_default().to_owned()),
    }
}

/// The current objects of a bucket.
fn entries<'a>(bucket: &'a Bucket, from: &[u8]) -> impl Iterator<Item = (Cow<'a, [u8]>, Row<'a>)> + use<'a> {
    bucket.objects.range(from.to_vec()..).filter_map(|(key, versions)| {
        let version = versions.first().filter(|version| !version.facts.marker)?;
        let facts = &version.facts;
        let class = facts.attributes.storage_class.as_str();
        let row = Row {
            modified: facts.modified,
            etag: &facts.etag,
            size: version.size(),
            class,
            checksum: facts.checksum.as_ref(),
        };
        Some((Cow::Borrowed(key.as_slice()), row))
    })
}

fn render<'a, I>(scope: &Scope, owner: bool, seek: impl Fn(&[u8]) -> I) -> Page
where
    I: Iterator<Item = (Cow<'a, [u8]>, Row<'a>)>,
{
    let mut contents = Writer::part(scope.max.min(64) * ENTRY);
    let mut prefixes = Writer::part(0);
    // Neighbours are often of one second, and writing a time is what costs most.
    let mut time = (Seconds::MIN, String::new());
    let end = listing::walk(scope, seek, |item| match item {
        Item::Entry(key, row) => {
            if time.0 != row.modified {
                time = (row.modified, time::iso(row.modified));
            }
            write_row(&mut contents, scope, &String::from_utf8_lossy(&key), &row, &time.1, owner);
        }
        Item::Prefix(prefix) => {
            prefixes.open("CommonPrefixes");
            scope.element(&mut prefixes, "Prefix", prefix);
            prefixes.close("CommonPrefixes");
        }
    });
    Page { contents: contents.finish(), prefixes: prefixes.finish(), end }
}

fn write_row(xml: &mut Writer, scope: &Scope, key: &str, row: &Row<'_>, modified: &str, owner: bool) {
    xml.raw("<Contents><Key>");
    scope.name(xml.buffer(), key);
    xml.raw("</Key><LastModified>").raw(modified).raw("</LastModified><ETag>&quot;").raw(row.etag).raw("&quot;</ETag>");
    if let Some(checksum) = row.checksum {
        xml.text("ChecksumAlgorithm", &checksum.algorithm).text("ChecksumType", checksum.kind.as_str());
    }
    xml.number("Size", row.size);
    if owner {
        xml.open("Owner").text("ID", OWNER).close("Owner");
    }
    xml.text("StorageClass", row.class).close("Contents");
}

fn document_v2(call: &Call, scope: &Scope, page: &Page) -> String {
    let mut xml = Writer::with_capacity(1024 + page.contents.len() + page.prefixes.len());
    xml.root("ListBucketResult").text("Name", call.bucket());
    scope.element(&mut xml, "Prefix", &scope.prefix);
    if let Some(after) = call.query.get("start-after") {
        scope.element(&mut xml, "StartAfter", after);
    }
    xml.maybe("ContinuationToken", call.query.get("continuation-token"));
    if page.end.truncated {
        xml.text("NextContinuationToken", &listing::token(page.end.last.as_deref().unwrap_or_default()));
    }
    xml.number("KeyCount", page.end.count as u64);
    finish(xml, scope, page)
}

fn document_v1(call: &Call, scope: &Scope, page: &Page) -> String {
    let mut xml = Writer::with_capacity(1024 + page.contents.len() + page.prefixes.len());
    xml.root("ListBucketResult").text("Name", call.bucket());
    scope.element(&mut xml, "Prefix", &scope.prefix);
    scope.element(&mut xml, "Marker", call.query.get("marker").unwrap_or_default());
    // Without a delimiter the next marker is the last key, and S3 does not repeat it.
    if page.end.truncated && scope.delimiter.is_some() {
        scope.element(&mut xml, "NextMarker", page.end.last.as_deref().unwrap_or_default());
    }
    finish(xml, scope, page)
}

fn finish(mut xml: Writer, scope: &Scope, page: &Page) -> String {
    xml.number("MaxKeys", scope.max as u64);
    if let Some(delimiter) = &scope.delimiter {
        scope.element(&mut xml, "Delimiter", delimiter);
    }
    if scope.encode {
        xml.text("EncodingType", "url");
    }
    xml.flag("IsTruncated", page.end.truncated);
    xml.raw(&page.contents).raw(&page.prefixes).close("ListBucketResult");
    xml.finish()
}
