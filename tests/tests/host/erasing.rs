//! Erasing an owner: nothing names it any more.

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use handbill::store::{Decorator, KeyRecord, NewChange, Outcome, StoreError, Write};
use handbill::{PostSelection, SignedIn};
use handbill_sql::SqliteStore;
use tokio::task::JoinSet;

use super::*;
use crate::listener::heard;
use crate::moderation::{form_of, send_during};

const USER: &str = "user:4711@example.org";

fn user() -> Owner {
    USER.parse().unwrap()
}

/// Gives an owner keys, posts of each visibility, and a post that is deleted.
pub(crate) async fn populate(handbill: &Handbill, owner: &Owner) -> Vec<PostId> {
    let mut ids = Vec::new();
    for _ in 0..2 {
        let issued = handbill.keys().issue(None, Some(owner.clone())).await;
        let key = issued.unwrap().key;
        let request = Request::post("/api/posts").header("x-api-key", key.expose());
        let request = request.header("content-type", "application/json");
        let request = request.body(Full::from(r#"{"body":"By a key."}"#)).unwrap();
        let created: Value = serde_json::from_slice(send(handbill, request).await.body()).unwrap();
        ids.push(created["id"].as_str().unwrap().parse().unwrap());
    }
    for visibility in Visibility::ALL.into_iter().chain([Visibility::Public]) {
        let draft = Draft::new().body("A post.").owner(owner.clone());
        let created = handbill.posts().create(draft.visibility(visibility)).await;
        ids.push(created.unwrap().id);
    }
    handbill.posts().delete(ids[5]).await.unwrap();
    ids
}

async fn archive(handbill: &Handbill) -> String {
    let mut file = Vec::new();
    handbill.archive().export(&mut file).await.unwrap();
    String::from_utf8(file).unwrap()
}

#[tokio::test]
async fn nothing_names_an_owner_that_was_erased() {
    let (handbill, mut heard) = heard(handbill());
    let other: Owner = "user:4711".parse().unwrap();
    let ids = populate(&handbill, &user()).await;
    let others = populate(&handbill, &other).await;
    assert!(archive(&handbill).await.contains(USER));

    let erased = handbill.erase_owner(&user()).await.unwrap();
    assert_eq!((erased.posts, erased.keys), (5, 2));
    let after = archive(&handbill).await;
    assert!(!after.contains(USER), "{after}");
    for id in ids {
        assert_eq!(
            handbill.posts().read(id).await.unwrap_err().code(),
            Code::Gone
        );
    }
    assert_eq!(handbill.keys().list_of(&other).await.unwrap().len(), 2);
    for id in &others[..5] {
        let owner = handbill.posts().summary(*id).await.unwrap().owner;
        assert_eq!(owner.as_ref(), Some(&other));
    }

    let again = handbill.erase_owner(&user()).await.unwrap();
    assert_eq!((again.posts, again.keys), (0, 0));
    assert_eq!(
        archive(&handbill).await.lines().count(),
        after.lines().count()
    );
    let mut names = Vec::new();
    while let Ok(event) = heard.try_recv() {
        names.push(event.name());
    }
    for (name, expected) in [("key.revoked", 2), ("post.deleted", 7)] {
        let count = names.iter().filter(|other| **other == name).count();
        assert_eq!(count, expected, "{name}");
    }
}

/// A key without a named owner owns its own posts.
#[tokio::test]
async fn the_owner_of_a_single_key_is_erased() {
    let handbill = handbill();
    let record = handbill.keys().issue(None, None).await.unwrap().record;
    let draft = Draft::new().body("x").owner(record.owner.clone());
    handbill.posts().create(draft).await.unwrap();
    let erased = handbill.erase_owner(&record.owner).await.unwrap();
    assert_eq!((erased.posts, erased.keys), (1, 1));
    assert!(!archive(&handbill).await.contains(record.id.as_str()));
}

/// The file has neither the owner nor the keys that created the posts, also where no column is read.
#[tokio::test]
async fn a_file_of_sqlite_does_not_contain_an_owner_that_was_erased() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let handbill = Handbill::new(BASE, store.clone()).unwrap();
    let ids = populate(&handbill, &user()).await;
    let keys = handbill.keys().list_of(&user()).await.unwrap();
    let erased = handbill.erase_owner(&user()).await.unwrap();
    assert_eq!((erased.posts, erased.keys), (5, 2));
    store.close().await;

    let contains = |text: &str| {
        std::fs::read_dir(folder.path()).unwrap().any(|file| {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        })
    };
    assert!(contains(ids[0].as_str()), "the tombstones are there");
    assert!(!contains(USER));
    for key in keys {
        assert!(!contains(key.id.as_str()));
    }
}

#[tokio::test]
async fn an_owner_is_erased_while_its_programs_write() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(folder.path().join("posts.db")).await;
    let sqlite = sqlite.unwrap().cached();
    let stores: [Arc<dyn Store>; 2] = [Arc::new(MemoryStore::new()), Arc::new(sqlite)];
    for store in stores {
        let handbill = Handbill::new(BASE, store).unwrap();
        let handbill = handbill.with_rate_limits(RateLimits::off());
        populate(&handbill, &user()).await;
        let mut writers = JoinSet::new();
        for _ in 0..8 {
            let key = handbill.keys().issue(None, Some(user())).await.unwrap().key;
            let handbill = handbill.clone();
            writers.spawn(async move {
                loop {
                    let request = Request::post("/api/posts")
                        .header("x-api-key", key.expose())
                        .header("content-type", "application/json");
                    let request = request.body(Full::from(r#"{"body":"x"}"#)).unwrap();
                    let status = send(&handbill, request).await.status();
                    if status != StatusCode::CREATED {
                        return status;
                    }
                    tokio::task::yield_now().await;
                }
            });
        }
        while handbill
            .posts()
            .list(PageRequest::new(1, 1).unwrap())
            .await
            .unwrap()
            .total
            < 50
        {
            tokio::task::yield_now().await;
        }
        let erased = handbill.erase_owner(&user()).await.unwrap();
        assert_eq!(erased.keys, 10);
        assert!(erased.posts >= 50);
        for status in writers.join_all().await {
            assert!([401, 422].contains(&status.as_u16()), "{status}");
        }
        let left = archive(&handbill).await;
        assert!(!left.contains(USER), "{left}");
    }
}

#[tokio::test]
async fn an_owner_is_erased_while_the_user_is_signed_in_and_changes_posts() {
    let handbill = handbill();
    let ids = populate(&handbill, &user()).await;
    let editing = {
        let handbill = handbill.clone();
        tokio::spawn(async move {
            let mut renewed = 0;
            loop {
                let request = Request::post(format!("/p/{}/edit", ids[0]))
                    .extension(SignedIn::new(user()))
                    .header("content-type", "application/x-www-form-urlencoded");
                let request = request.body(Full::from("action=renew")).unwrap();
                match send(&handbill, request).await.status() {
                    StatusCode::SEE_OTHER => renewed += 1,
                    status => return (renewed, status),
                }
                tokio::task::yield_now().await;
            }
        })
    };
    handbill.erase_owner(&user()).await.unwrap();
    let (renewed, ended) = editing.await.unwrap();
    assert!(renewed > 0);
    assert_eq!(ended, StatusCode::GONE);
    assert!(!archive(&handbill).await.contains(USER));
}

/// A store whose writes fail after so many.
pub(crate) struct FailsAfter {
    inner: MemoryStore,
    writes: AtomicU64,
}

impl FailsAfter {
    pub(crate) fn new(store: &MemoryStore, writes: u64) -> Decorated<Self> {
        Decorated(Self {
            inner: store.clone(),
            writes: AtomicU64::new(writes),
        })
    }

    fn count(&self) -> Result<(), StoreError> {
        let left = self
            .writes
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        let failed = |_| StoreError::new("write", "the process was killed");
        left.map(|_| ()).map_err(failed)
    }
}

#[async_trait]
impl Decorator for FailsAfter {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        self.count()?;
        self.inner.write(write, change).await
    }
}

/// Of 2 bars, 2 keys, 5 posts and 6 tombstones. Each call that fails leaves what the next one goes on with.
#[tokio::test]
async fn an_erasure_that_is_killed_half_way_is_completed_by_another() {
    for writes in 0..=11 {
        let store = MemoryStore::new();
        let before = Handbill::new(BASE, store.clone()).unwrap();
        populate(&before, &user()).await;
        let killed = Handbill::new(BASE, FailsAfter::new(&store, writes)).unwrap();
        let erased = killed.erase_owner(&user()).await;
        if let Err(problem) = &erased {
            assert_eq!(problem.code(), Code::StoreUnavailable);
        }
        assert_eq!(erased.is_ok(), writes >= 11, "{writes}");

        // The keys go first: a program that goes on writing creates nothing any more.
        let keys: Vec<KeyRecord> = before.keys().list_of(&user()).await.unwrap();
        assert_eq!(keys.len() as u64, 2 - writes.saturating_sub(1).min(2));
        before.erase_owner(&user()).await.unwrap();
        assert!(
            !archive(&before).await.contains(USER),
            "after {writes} writes"
        );
        let theirs = PostSelection::of_owner(user());
        assert_eq!(before.posts().delete_all(&theirs).await.unwrap(), 0);
    }
}

/// An erasure refuses what came before it. The owner may come back, unless it is banned.
#[tokio::test]
async fn a_form_that_arrives_during_an_erasure_is_refused_and_a_later_one_accepted() {
    let handbill = handbill();
    let erases = handbill.clone();
    let during = async move {
        erases.erase_owner(&user()).await.unwrap();
    };
    let (status, page) = send_during(&handbill, form_of(USER), during).await;
    assert_eq!(status, 422);
    assert!(page.contains("Typed."), "{page}");
    assert!(!archive(&handbill).await.contains(USER));

    let (status, _) = send_during(&handbill, form_of(USER), async {}).await;
    assert_eq!(status, 303);
    assert!(archive(&handbill).await.contains(USER));

    handbill.ban(&user()).await.unwrap();
    assert_eq!(handbill.erase_owner(&user()).await.unwrap().posts, 1);
    let (status, _) = send_during(&handbill, form_of(USER), async {}).await;
    assert_eq!(status, 422);
    assert!(handbill.unban(&user()).await.unwrap());
    let (status, _) = send_during(&handbill, form_of(USER), async {}).await;
    assert_eq!(status, 303);
}
