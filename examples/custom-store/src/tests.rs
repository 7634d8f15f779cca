//! The store against Handbill's contract, and against what that leaves to a store: files that are
//! opened again, disks that fail, and what a page costs.

use std::error::Error as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use handbill::{
    Creation, Entry, KeyId, KeyRecord, PageRequest, Post, PostId, PostSummary, Revision,
    SecretHash, Store, StoreError, Tag, Timestamp, Write,
};
use redb::backends::InMemoryBackend;
use redb::{Database, StorageBackend};

use crate::store::RedbStore;

mod contract {
    handbill::store_checks!(async {
        let folder = tempfile::tempdir().expect("a folder");
        let store = super::RedbStore::open(&folder.path().join("posts.redb"));
        (store.expect("a store"), folder)
    });
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_the_file_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("posts.redb");
    let store = RedbStore::open(&file).expect("a store");
    fill(&store).await;
    drop(store);

    expect_filled(&file).await;
}

/// A crash leaves a file that nobody has closed; so is a copy of one that is open, which not every
/// system allows.
#[cfg(unix)]
#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_crash() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("posts.redb");
    let store = RedbStore::open(&file).expect("a store");
    fill(&store).await;
    let left = folder.path().join("left.redb");
    fs::copy(&file, &left).expect("a copy");

    expect_filled(&left).await;
}

#[tokio::test]
async fn a_write_that_the_disk_refuses_is_an_error_that_tells_why() {
    let disk = Disk::default();
    let database = Database::builder()
        .create_with_backend(disk.clone())
        .expect("a database");
    let store = RedbStore::over(database).expect("a store");
    assert_eq!(
        store.insert_post(post(1)).await.expect("a write"),
        Write::Applied
    );

    disk.full.store(true, Ordering::SeqCst);
    let (first, second) = tokio::join!(store.insert_post(post(2)), store.insert_post(post(1)));
    let error = first.expect_err("the disk is full");
    assert!(refused_by_the_disk(&error), "{error:?} does not tell why");
    // In a batch with the first it hears the same; in a later one that an earlier write failed.
    second.expect_err("the disk is full");
    assert!(store.health().await.is_err(), "a store that can't write");
    let untouched = store
        .get_post(post(2).summary.id)
        .await
        .expect("reads go on");
    assert_eq!(untouched, None);
    let kept = store
        .get_post(post(1).summary.id)
        .await
        .expect("reads go on");
    assert_eq!(kept, Some(Entry::Live(post(1).into())));
}

async fn fill(store: &RedbStore) {
    for n in 1..=3 {
        assert_eq!(
            store.insert_post(post(n)).await.expect("a write"),
            Write::Applied
        );
    }
    let write = store
        .update_post(Revision::from_number(1), changed(post(2)))
        .await;
    assert_eq!(write.expect("a write"), Write::Applied);
    let write = store
        .delete_post(post(3).summary.id, Revision::from_number(1))
        .await;
    assert_eq!(write.expect("a write"), Write::Applied);
    assert_eq!(
        store.insert_key(key()).await.expect("a write"),
        Write::Applied
    );
}

async fn expect_filled(file: &Path) {
    let store = RedbStore::open(file).expect("the store again");

    for kept in [post(1), changed(post(2))] {
        let found = store.get_post(kept.summary.id).await.expect("a read");
        assert_eq!(found, Some(Entry::Live(kept.clone().into())));
        let found = store
            .find_post_by_edit_token(kept.edit_token)
            .await
            .expect("a read");
        assert_eq!(found, Some(Entry::Live(kept.into())));
    }
    let gone = store.get_post(post(3).summary.id).await.expect("a read");
    assert_eq!(gone, Some(Entry::Gone(post(3).into_tombstone())));

    let page = PageRequest::new(1, 10).expect("a page");
    let all = store.list_posts(page.clone()).await.expect("a page");
    let listed: Vec<_> = all
        .posts
        .iter()
        .map(|(summary, _)| summary.clone())
        .collect();
    assert_eq!(listed, [changed(post(2)).summary, post(1).summary]);
    assert_eq!(all.total, 2);
    let tagged = store
        .posts(page.with_tag(Some(Tag::from_stored("new"))))
        .await
        .expect("a page");
    assert_eq!(tagged.total, 1);

    assert_eq!(
        store.find_key(key().secret).await.expect("a read"),
        Some(key())
    );
}

fn post(n: u8) -> Post {
    let token = SecretHash::from_bytes([n; 32]);
    Post {
        summary: PostSummary {
            id: PostId::derive_from(&token),
            title: Some(format!("Post {n}")),
            excerpt: "An excerpt".to_owned(),
            tags: vec![Tag::from_stored("old")],
            focus_keyword: None,
            created_at: Timestamp::from_micros(i64::from(n)),
            updated_at: Timestamp::from_micros(i64::from(n)),
            revision: Revision::from_number(1),
        },
        body: format!("The body of {n}."),
        edit_token: token,
        created_by: Some(key().id),
        creation: Some(Creation {
            edit_token: token,
            request: SecretHash::from_bytes([7; 32]),
        }),
    }
}

fn changed(mut post: Post) -> Post {
    post.summary.tags = vec![Tag::from_stored("new")];
    post.summary.updated_at = Timestamp::from_micros(1_000);
    post.summary.revision = Revision::from_number(2);
    post.body = "Another body.".to_owned();
    post
}

fn key() -> KeyRecord {
    KeyRecord {
        id: "bcdfghjklm".parse::<KeyId>().ok().expect("an identifier"),
        label: Some("A key".to_owned()),
        secret: SecretHash::from_bytes([9; 32]),
        created_at: Timestamp::from_micros(1),
        last_used_at: None,
    }
}

/// Whether redb's own error is still there, below what the store says.
fn refused_by_the_disk(error: &StoreError) -> bool {
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    cause.contains(&io::Error::from(io::ErrorKind::StorageFull).to_string())
}

/// A disk that can be made to refuse what is brought to it.
#[derive(Clone, Debug, Default)]
struct Disk {
    bytes: Arc<InMemoryBackend>,
    full: Arc<AtomicBool>,
}

impl Disk {
    fn refuse(&self) -> io::Result<()> {
        match self.full.load(Ordering::SeqCst) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.bytes.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.bytes.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.refuse()?;
        self.bytes.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.refuse()?;
        self.bytes.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.refuse()?;
        self.bytes.write(offset, data)
    }
}
