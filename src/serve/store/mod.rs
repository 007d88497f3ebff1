//! Buckets, objects, versions and uploads: what is stored, and the changes that can be made to it.
//!
//! The index is in memory; with a directory, every change is committed to a database first. Bytes are [`Content`]: shared, immutable.
//! One lock guards the index. It is held for microseconds (with a directory, for a commit), never across an await.

mod blob;
mod bucket;
mod content;
mod disk;
mod load;
mod receive;
mod rows;
mod version;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use blob::{Blob, Home, Place};
use disk::{Change, Disk};

pub(super) use bucket::{Bucket, BucketFacts, Versioning, WriteCondition};
pub(super) use content::Content;
pub(super) use receive::{Received, Receiver};
pub(super) use version::{
    Attributes, ChecksumKind, Facts, NULL, Pairs, Part, PartFacts, PartInfo, StoredChecksum, Upload, UploadFacts,
    Version,
};

use super::error::ApiError;
use super::options::{ServeError, StoreKind};
use super::time;

/// All that is stored.
#[derive(Debug)]
pub(super) struct Store {
    state: RwLock<State>,
    disk: Option<Disk>,
    home: Arc<Home>,
    blobs: AtomicU64,
    sequence: AtomicU64,
    /// Held open, and locked, while the store is.
    _lock: Option<std::fs::File>,
}

#[derive(Debug, Default)]
struct State {
    buckets: BTreeMap<String, Bucket>,
}

/// The highest numbers in use.
#[derive(Debug, Clone, Copy)]
struct Last {
    blob: u64,
    sequence: u64,
}

impl State {
    fn bucket(&self, name: &str) -> Result<&Bucket, ApiError> {
        self.buckets.get(name).ok_or_else(|| no_such_bucket(name))
    }

    fn bucket_mut(&mut self, name: &str) -> Result<&mut Bucket, ApiError> {
        self.buckets.get_mut(name).ok_or_else(|| no_such_bucket(name))
    }
}

fn no_such_bucket(name: &str) -> ApiError {
    ApiError::of("NoSuchBucket").with("BucketName", name)
}

/// What a deletion did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Deleted {
    /// The version that was removed or the marker that was made, if the bucket has versions.
    pub(super) version: Option<String>,
    /// Whether that is a delete marker.
    pub(super) marker: bool,
}

impl Store {
    /// Opens what `kind` names.
    pub(super) fn open(kind: &StoreKind) -> Result<Arc<Self>, ServeError> {
        match kind {
            StoreKind::Memory => {
                let home =
                    Home { directory: None, rows: None, garbage: Mutex::default(), closing: AtomicBool::new(false) };
                Ok(Arc::new(Self::with(State::default(), None, Arc::new(home), None, Last { blob: 0, sequence: 0 })))
            }
            StoreKind::Dir(path) => load::open(path),
        }
    }

    fn with(state: State, disk: Option<Disk>, home: Arc<Home>, lock: Option<std::fs::File>, last: Last) -> Self {
        home.closing.store(false, Ordering::Release);
        let (blobs, sequence) = (AtomicU64::new(last.blob + 1), AtomicU64::new(last.sequence + 1));
        Self { state: RwLock::new(state), disk, home, blobs, sequence, _lock: lock }
    }

    /// A new blob.
    fn blob(&self, len: u64, place: Place) -> Blob {
        Blob { id: self.blobs.fetch_add(1, Ordering::Relaxed), len, place, home: Arc::clone(&self.home) }
    }

    fn next_sequence(&self) -> u64 {
        self.sequence.fetch_add(1, Ordering::Relaxed)
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_mut(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits a change to the database, if there is one, with the removal of rows nothing refers to any more.
    fn commit(&self, change: impl FnOnce(&Change<'_>) -> rusqlite::Result<()>) -> Result<(), ApiError> {
        let Some(disk) = &self.disk else { return Ok(()) };
        let garbage = std::mem::take(&mut *self.home.garbage.lock().unwrap_or_else(PoisonError::into_inner));
        disk.commit(|tx| {
            garbage.iter().try_for_each(|id| tx.delete_blob(*id))?;
            change(tx)
        })
        .map_err(|error| ApiError::internal(&error))
    }

    /// Looks at a bucket.
    pub(super) fn read<R>(&self, bucket: &str, look: impl FnOnce(&Bucket) -> R) -> Result<R, ApiError> {
        self.state().bucket(bucket).map(look)
    }

    /// All buckets by name.
    pub(super) fn buckets(&self) -> Vec<(String, BucketFacts)> {
        self.state().buckets.iter().map(|(name, bucket)| (name.clone(), bucket.facts.clone())).collect()
    }

    /// Makes a bucket.
    pub(super) fn create_bucket(&self, name: &str, region: &str) -> Result<(), ApiError> {
        let mut state = self.state_mut();
        if state.buckets.contains_key(name) {
            return Err(ApiError::of("BucketAlreadyOwnedByYou").with("BucketName", name));
        }
        let facts = BucketFacts { created: time::now(), region: region.to_owned(), versioning: Versioning::Off };
        self.commit(|tx| tx.put_bucket(name, &json(&facts)))?;
        state.buckets.insert(name.to_owned(), Bucket::new(facts));
        Ok(())
    }

    /// Removes an empty bucket, with its uploads.
    pub(super) fn delete_bucket(&self, name: &str) -> Result<(), ApiError> {
        let mut state = self.state_mut();
        let bucket = state.bucket(name)?;
        if !bucket.objects.is_empty() {
            return Err(ApiError::of("BucketNotEmpty").with("BucketName", name));
        }
        self.commit(|tx| {
            bucket.uploads.keys().try_for_each(|(_, id)| tx.delete_upload(id))?;
            tx.delete_bucket(name)
        })?;
        state.buckets.remove(name);
        Ok(())
    }

    /// Switches versioning.
    pub(super) fn set_versioning(&self, name: &str, versioning: Versioning) -> Result<(), ApiError> {
        let mut state = self.state_mut();
        let bucket = state.bucket_mut(name)?;
        let facts = BucketFacts { versioning, ..bucket.facts.clone() };
        self.commit(|tx| tx.put_bucket(name, &json(&facts)))?;
        bucket.facts = facts;
        Ok(())
    }

    /// Makes a version of an object, the newest from then on. The second value says whether it is a new one beside the others.
    pub(super) fn put(
        &self,
        bucket: &str,
        key: &str,
        facts: Facts,
        content: Content,
        condition: &WriteCondition,
    ) -> Result<(Arc<Version>, bool), ApiError> {
        let mut state = self.state_mut();
        let in_bucket = state.bucket_mut(bucket)?;
        condition.check(in_bucket.current(key))?;
        let version = self.version(in_bucket, facts, content);
        self.commit(|tx| put_version(tx, bucket, key, &version))?;
        committed(&version.content);
        in_bucket.insert(key, Arc::clone(&version));
        Ok((version, in_bucket.facts.versioning == Versioning::Enabled))
    }

    fn version(&self, bucket: &Bucket, facts: Facts, content: Content) -> Arc<Version> {
        Arc::new(Version { id: bucket.next_id(), sequence: self.next_sequence(), facts, content })
    }

    /// Changes facts of a version in place, as tagging does.
    pub(super) fn amend(
        &self,
        bucket: &str,
        key: &str,
        id: &str,
        amend: impl FnOnce(&mut Facts),
    ) -> Result<(), ApiError> {
        let mut state = self.state_mut();
        let in_bucket = state.bucket_mut(bucket)?;
        let mut version = Version::clone(in_bucket.version(key, id).ok_or_else(|| ApiError::of("NoSuchVersion"))?);
        amend(&mut version.facts);
        self.commit(|tx| put_version(tx, bucket, key, &version))?;
        in_bucket.replace(key, Arc::new(version));
        Ok(())
    }

    /// Deletes as S3 does: a version if one is named, else the object, leaving a delete marker where versions are kept.
    pub(super) fn delete(
        &self,
        bucket: &str,
        key: &str,
        id: Option<&str>,
        etag: Option<&str>,
    ) -> Result<Deleted, ApiError> {
        let mut state = self.state_mut();
        let in_bucket = state.bucket_mut(bucket)?;
        if let Some(etag) = etag {
            let found = id.map_or_else(|| in_bucket.current(key), |id| in_bucket.version(key, id));
            WriteCondition { absent: false, etag: Some(etag.to_owned()) }.check(found)?;
        }
        match (id, in_bucket.facts.versioning) {
            (Some(id), _) => self.delete_version(in_bucket, bucket, key, id),
            (None, Versioning::Off) => {
                self.delete_version(in_bucket, bucket, key, NULL)?;
                Ok(Deleted::default())
            }
            (None, _) => {
                let facts = Facts { marker: true, modified: time::now(), ..Facts::default() };
                let marker = self.version(in_bucket, facts, Content::default());
                self.commit(|tx| put_version(tx, bucket, key, &marker))?;
                in_bucket.insert(key, Arc::clone(&marker));
                Ok(Deleted { version: Some(marker.id.clone()), marker: true })
            }
        }
    }

    fn delete_version(&self, in_bucket: &mut Bucket, bucket: &str, key: &str, id: &str) -> Result<Deleted, ApiError> {
        let deleted = Deleted { version: Some(id.to_owned()), marker: false };
        let Some(version) = in_bucket.version(key, id) else { return Ok(deleted) };
        let marker = version.facts.marker;
        self.commit(|tx| tx.delete_version(bucket, key.as_bytes(), id))?;
        in_bucket.remove(key, id);
        Ok(Deleted { marker, ..deleted })
    }

    /// Starts an upload and gives its id.
    pub(super) fn create_upload(&self, bucket: &str, key: &str, facts: UploadFacts) -> Result<String, ApiError> {
        let id = bucket::upload_id(self.next_sequence());
        let mut state = self.state_mut();
        let in_bucket = state.bucket_mut(bucket)?;
        self.commit(|tx| tx.put_upload(bucket, key.as_bytes(), &id, &json(&facts)))?;
        in_bucket.uploads.insert((key.to_owned(), id.clone()), Upload { facts, parts: BTreeMap::new() });
        Ok(id)
    }

    /// Adds a part to an upload, in place of one with the same number.
    pub(super) fn put_part(
        &self,
        bucket: &str,
        key: &str,
        upload: &str,
        number: u16,
        part: Part,
    ) -> Result<(), ApiError> {
        let mut state = self.state_mut();
        let in_upload = state.bucket_mut(bucket)?.upload_mut(key, upload)?;
        self.commit(|tx| tx.put_part(upload, number, &json(&part.facts), &part.content))?;
        committed(&part.content);
        in_upload.parts.insert(number, Arc::new(part));
        Ok(())
    }

    /// Drops an upload and its parts.
    pub(super) fn abort_upload(&self, bucket: &str, key: &str, upload: &str) -> Result<(), ApiError> {
        let mut state = self.state_mut();
        let in_bucket = state.bucket_mut(bucket)?;
        in_bucket.upload(key, upload)?;
        self.commit(|tx| tx.delete_upload(upload))?;
        in_bucket.uploads.remove(&(key.to_owned(), upload.to_owned()));
        Ok(())
    }

    /// Makes an object of an upload: `assemble` checks the parts and says what becomes of them.
    pub(super) fn complete_upload(
        &self,
        bucket: &str,
        key: &str,
        upload: &str,
        condition: &WriteCondition,
        assemble: impl FnOnce(&Upload) -> Result<(Facts, Content), ApiError>,
    ) -> Result<(Arc<Version>, bool), ApiError> {
        let mut state = self.state_mut();
        let in_bucket = state.bucket_mut(bucket)?;
        let (facts, content) = assemble(in_bucket.upload(key, upload)?)?;
        condition.check(in_bucket.current(key))?;
        let version = self.version(in_bucket, facts, content);
        self.commit(|tx| {
            put_version(tx, bucket, key, &version)?;
            tx.delete_upload(upload)
        })?;
        in_bucket.insert(key, Arc::clone(&version));
        in_bucket.uploads.remove(&(key.to_owned(), upload.to_owned()));
        Ok((version, in_bucket.facts.versioning == Versioning::Enabled))
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // From here on a blob that is dropped is only forgotten, not removed.
        self.home.closing.store(true, Ordering::Release);
    }
}

fn put_version(tx: &Change<'_>, bucket: &str, key: &str, version: &Version) -> rusqlite::Result<()> {
    tx.put_version(bucket, key.as_bytes(), &version.id, version.sequence, &json(&version.facts), &version.content)
}

fn committed(content: &Content) {
    content.segments().iter().for_each(|segment| segment.blob.committed());
}

fn json(facts: &impl serde::Serialize) -> String {
    serde_json::to_string(facts).expect("plain facts always serialise")
}

/// The directory of a store below the one the user named.
fn data_directory(path: &Path) -> std::path::PathBuf {
    path.join("data")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::checksum::{Algorithm, Checksum};
    use http_body_util::BodyExt;

    async fn received(store: &Arc<Store>, pieces: &[&[u8]]) -> Received {
        let mut receiver = Receiver::new(store, &[Algorithm::Md5]);
        for piece in pieces {
            receiver.push(bytes::Bytes::copy_from_slice(piece)).await.unwrap();
        }
        receiver.finish().await.unwrap()
    }

    async fn read(content: &Content) -> Vec<u8> {
        content.clone().into_body().collect().await.unwrap().to_bytes().to_vec()
    }

    fn put(store: &Store, key: &str, content: Content) -> Arc<Version> {
        store.put("bucket", key, Facts::default(), content, &WriteCondition::default()).unwrap().0
    }

    #[tokio::test]
    async fn what_was_received_is_read_back_in_memory_and_on_disk_at_every_size() {
        let directory = tempfile::tempdir().unwrap();
        for kind in [StoreKind::Memory, StoreKind::Dir(directory.path().to_owned())] {
            let store = Store::open(&kind).unwrap();
            for len in [0, 1, 64 << 10, (64 << 10) + 1, 1 << 20, (5 << 20) + 7] {
                let bytes: Vec<u8> = (0..len).map(|n: u32| n.to_le_bytes()[(n % 4) as usize]).collect();
                let pieces: Vec<_> = bytes.chunks(300_000).collect();
                let received = received(&store, &pieces).await;
                assert_eq!(received.checksums[0], Checksum::of(Algorithm::Md5, &bytes));
                assert!(read(&received.content).await == bytes, "{kind:?} {len}");
            }
        }
    }

    #[tokio::test]
    async fn slices_of_joined_contents_are_slices_of_the_joined_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&StoreKind::Dir(directory.path().to_owned())).unwrap();
        let large = vec![7; 2 << 20];
        let parts =
            [received(&store, &[b"abc"]).await, received(&store, &[&large]).await, received(&store, &[b"xyz"]).await];
        let whole = Content::concat(parts.iter().map(|part| &part.content));
        let bytes = [&b"abc"[..], &large, b"xyz"].concat();
        for range in [0..3, 2..4, 0..bytes.len(), 3..bytes.len() - 3, bytes.len() - 4..bytes.len(), 5..5] {
            let slice = whole.slice(range.start as u64..range.end as u64);
            assert!(read(&slice).await == bytes[range.clone()], "{range:?}");
            assert_eq!(slice.hash(&[Algorithm::Md5]).unwrap()[0], Checksum::of(Algorithm::Md5, &bytes[range]));
        }
    }

    #[tokio::test]
    async fn a_store_opened_again_has_what_was_committed_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let kind = StoreKind::Dir(directory.path().to_owned());
        let large = vec![1; 1 << 20];
        {
            let store = Store::open(&kind).unwrap();
            store.create_bucket("bucket", "us-east-1").unwrap();
            put(&store, "small\n../", received(&store, &[b"small"]).await.content);
            put(&store, "large", received(&store, &[&large]).await.content);
            put(&store, "gone", received(&store, &[&large]).await.content);
            store.delete("bucket", "gone", None, None).unwrap();
            // Received, but never made part of an object.
            std::mem::forget(received(&store, &[&large]).await);
        }
        let store = Store::open(&kind).unwrap();
        let current = |key: &str| store.read("bucket", |bucket| bucket.current(key).cloned()).unwrap();
        assert!(read(&current("large").unwrap().content).await == large);
        assert_eq!(read(&current("small\n../").unwrap().content).await, b"small");
        assert!(current("gone").is_none());
        let files = std::fs::read_dir(directory.path().join("data")).unwrap();
        let files: usize = files.map(|entry| std::fs::read_dir(entry.unwrap().path()).unwrap().count()).sum();
        assert_eq!(files, 1);
    }

    #[test]
    fn a_directory_with_other_things_in_it_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("mine"), b"").unwrap();
        let refused = Store::open(&StoreKind::Dir(directory.path().to_owned()));
        assert!(matches!(refused, Err(ServeError::NotAStore { .. })));
    }
}
