//! The store under test.

use handbill::store::{
    Bar, Due, Entry, Freshness, InstallationSecret, KeyRecord, Outcome, PageStart, Post, PostKey,
    SecretHash, StoreError, TagCount, Tombstone, Words, Write,
};
use handbill::{
    KeyId, List, Owner, PageRequest, PageSize, PostId, PostList, PostSummary, Revision, Store, Tag,
    Timestamp,
};
use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use crate::check::setup;

/// A store whose errors fail the check.
///
/// `put`, `change`, `remove` and `put_key` prepare a check: if one of them fails, the check's setup
/// failed. Everything else is what a check proves.
#[derive(Clone)]
pub(super) struct Subject(Arc<dyn Store>);

impl Subject {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    pub(super) async fn write(&self, write: Write) -> Outcome {
        call(self.0.write(write, None)).await
    }

    pub(super) async fn insert(&self, post: &Post) -> Outcome {
        let post = Arc::new(post.clone());
        let (words, by) = (Some(Words::of(&post)), None);
        self.write(Write::InsertPost { post, words, by }).await
    }

    /// Inserts a post that must not conflict.
    pub(super) async fn put(&self, post: &Post) {
        setup(async {
            let write = self.insert(post).await;
            assert_eq!(write, Outcome::Applied, "a post under a free identifier");
        })
        .await;
    }

    pub(super) async fn insert_tombstone(&self, tombstone: &Tombstone) -> Outcome {
        self.write(Write::InsertTombstone(tombstone.clone())).await
    }

    pub(super) async fn update(&self, expected: Revision, post: &Post) -> Outcome {
        let post = Arc::new(post.clone());
        let (words, by) = (Some(Words::of(&post)), None);
        self.write(Write::UpdatePost {
            expected,
            post,
            words,
            by,
        })
        .await
    }

    /// Replaces a post with its next revision, which must not conflict.
    pub(super) async fn change(&self, post: &Post) {
        setup(async {
            let before = Revision::from_number(post.summary.revision.number() - 1);
            let write = self.update(before, post).await;
            assert_eq!(write, Outcome::Applied, "an update of the current revision");
        })
        .await;
    }

    pub(super) async fn delete(&self, id: PostId, expected: Revision) -> Outcome {
        let by = None;
        self.write(Write::DeletePost { id, expected, by }).await
    }

    /// Deletes the current revision of a post, which must not conflict.
    pub(super) async fn remove(&self, post: &Post) {
        setup(async {
            let write = self.delete(post.summary.id, post.summary.revision).await;
            assert_eq!(
                write,
                Outcome::Applied,
                "a deletion of the current revision"
            );
        })
        .await;
    }

    pub(super) async fn post(&self, id: PostId) -> Option<Entry> {
        self.read(PostKey::Id(id), Freshness::Bounded).await
    }

    pub(super) async fn current(&self, id: PostId) -> Option<Entry> {
        self.read(PostKey::Id(id), Freshness::Current).await
    }

    pub(super) async fn by_token(&self, token: SecretHash) -> Option<Entry> {
        self.by_token_at(token, Freshness::Current).await
    }

    pub(super) async fn by_token_at(&self, token: SecretHash, age: Freshness) -> Option<Entry> {
        self.read(PostKey::EditToken(token), age).await
    }

    async fn read(&self, by: PostKey, freshness: Freshness) -> Option<Entry> {
        call(self.0.get_post(by, freshness)).await
    }

    /// Asserts that exactly this post is stored.
    pub(super) async fn has(&self, post: &Post) {
        let found = self.post(post.summary.id).await;
        assert_eq!(found, Some(Entry::Live(post.clone().into())));
    }

    pub(super) async fn page(&self, page: &PageRequest) -> PostList {
        call(self.0.list_posts(page.clone())).await
    }

    /// All posts of a public list, page by page. Asserts that each page is full.
    pub(super) async fn list(&self, tag: Option<&Tag>, per_page: u32) -> Vec<PostSummary> {
        self.whole(&request(1, per_page, tag)).await
    }

    /// All posts of the list that this page belongs to, page by page. Asserts that each page is full.
    pub(super) async fn whole(&self, list: &PageRequest) -> Vec<PostSummary> {
        let mut posts = Vec::new();
        for number in 1.. {
            let page = self.page(&turned(list, number)).await;
            let rest = page.total.saturating_sub(posts.len() as u64);
            assert_eq!(
                page.posts.len() as u64,
                rest.min(list.per_page.get().into()),
                "the number of posts on page {number} of {} in all",
                page.total
            );
            if page.posts.is_empty() {
                break;
            }
            posts.extend(page.posts.iter().map(|listed| listed.summary.clone()));
        }
        posts
    }

    /// The identifiers of all posts of a public list, in order.
    pub(super) async fn ids(&self, tag: Option<&Tag>) -> Vec<PostId> {
        let posts = self.list(tag, 50).await;
        posts.into_iter().map(|post| post.id).collect()
    }

    /// The identifiers of all posts of an owner, or those with a tag, in order.
    pub(super) async fn ids_of(&self, owner: &Owner, tag: Option<&Tag>) -> Vec<PostId> {
        let posts = self.whole(&request_of(owner, 1, 50, tag)).await;
        posts.into_iter().map(|post| post.id).collect()
    }

    pub(super) async fn since(&self, list: &PageRequest, times: Vec<Timestamp>) -> Vec<u64> {
        let counting = self
            .0
            .count_since(list.list.clone(), list.tag.clone(), times);
        call(counting).await
    }

    pub(super) async fn tags(&self, limit: u32) -> Vec<TagCount> {
        call(self.0.list_tags(limit)).await
    }

    pub(super) async fn due(&self, limit: u32) -> Vec<Due> {
        call(self.0.list_due(limit)).await
    }

    pub(super) async fn entries(&self, after: Option<PostId>, limit: u32) -> Vec<Entry> {
        call(self.0.walk_entries(after, limit)).await
    }

    pub(super) async fn insert_key(&self, key: &KeyRecord) -> Outcome {
        let key = key.clone();
        self.write(Write::InsertKey { key, by: None }).await
    }

    /// Inserts a key, which must not conflict.
    pub(super) async fn put_key(&self, key: &KeyRecord) {
        setup(async {
            let write = self.insert_key(key).await;
            assert_eq!(write, Outcome::Applied, "a key under a free identifier");
        })
        .await;
    }

    pub(super) async fn key(&self, secret: SecretHash) -> Option<KeyRecord> {
        call(self.0.find_key(secret)).await
    }

    pub(super) async fn keys_after(&self, after: Option<KeyId>, limit: u32) -> Vec<KeyRecord> {
        call(self.0.walk_keys(after, limit)).await
    }

    /// All keys, of which there are fewer than 1,000.
    pub(super) async fn keys(&self) -> Vec<KeyRecord> {
        self.keys_after(None, 1000).await
    }

    pub(super) async fn note_use(&self, id: KeyId, at: Timestamp) -> Outcome {
        self.write(Write::TouchKey { id, at }).await
    }

    pub(super) async fn revoke(&self, id: KeyId) -> Outcome {
        self.write(Write::RevokeKey(id)).await
    }

    pub(super) async fn bars_after(&self, after: Option<SecretHash>, limit: u32) -> Vec<Bar> {
        call(self.0.walk_bars(after, limit)).await
    }

    pub(super) async fn installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> InstallationSecret {
        call(self.0.get_or_insert_installation_secret(candidate)).await
    }

    pub(super) async fn forget(&self, owner: &Owner, limit: u32) -> Outcome {
        let owner = owner.clone();
        self.write(Write::ForgetOwner { owner, limit }).await
    }

    pub(super) async fn health(&self) {
        call(self.0.health()).await;
    }
}

/// The result of a method of the store. No check gives a store a reason to fail.
pub(super) async fn call<T>(method: impl Future<Output = Result<T, StoreError>>) -> T {
    match setup(method).await {
        Ok(value) => value,
        Err(error) => {
            let cause = error.source().map(ToString::to_string).unwrap_or_default();
            panic!("the store returned an error without cause: {error}: {cause}")
        }
    }
}

/// A page of a public list, within bounds.
pub(super) fn request(page: u64, per_page: u32, tag: Option<&Tag>) -> PageRequest {
    PageRequest::new(page, per_page)
        .expect("a page within bounds")
        .with_tag(tag.cloned())
}

/// A page of an owner's list, within bounds.
pub(super) fn request_of(
    owner: &Owner,
    page: u64,
    per_page: u32,
    tag: Option<&Tag>,
) -> PageRequest {
    request(page, per_page, tag).with_list(List::AllOf(owner.clone()))
}

/// Another page of the same list.
pub(super) fn turned(list: &PageRequest, page: u64) -> PageRequest {
    let page = page.try_into().expect("a page within bounds");
    let posts = list.per_page.offset_of(page);
    list.clone().with_start(PageStart::Skip(posts))
}

/// A page of 1,000 posts.
pub(super) fn large(page: u64) -> PageRequest {
    turned(&PageRequest::first(PageSize::MAX), page)
}
