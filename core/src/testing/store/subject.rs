//! The store that is checked.

use std::sync::Arc;

use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Entry, PageRequest, Post, PostList, PostSummary, Revision, Tag};
use crate::secret::SecretHash;
use crate::store::{Store, Write};
use crate::time::Timestamp;

const A_FAULT: &str = "no check gives a store cause for an error";

/// A store whose errors end the check.
#[derive(Clone)]
pub(super) struct Subject(Arc<dyn Store>);

impl Subject {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    pub(super) async fn insert(&self, post: &Post) -> Write {
        self.0.insert_post(post.clone()).await.expect(A_FAULT)
    }

    /// Inserts what does not conflict.
    pub(super) async fn put(&self, post: &Post) {
        let write = self.insert(post).await;
        assert_eq!(write, Write::Applied, "a post under a free identifier");
    }

    pub(super) async fn update(&self, expected: Revision, post: &Post) -> Write {
        let updated = self.0.update_post(expected, post.clone()).await;
        updated.expect(A_FAULT)
    }

    /// Puts the next revision of a post in its place, which does not conflict.
    pub(super) async fn change(&self, post: &Post) {
        let before = Revision::from_number(post.summary.revision.number() - 1);
        let write = self.update(before, post).await;
        assert_eq!(write, Write::Applied, "an update of the revision that is");
    }

    pub(super) async fn delete(&self, id: PostId, expected: Revision) -> Write {
        self.0.delete_post(id, expected).await.expect(A_FAULT)
    }

    /// Deletes a post as it is, which does not conflict.
    pub(super) async fn remove(&self, post: &Post) {
        let write = self.delete(post.summary.id, post.summary.revision).await;
        assert_eq!(write, Write::Applied, "a deletion of the revision that is");
    }

    pub(super) async fn post(&self, id: PostId) -> Option<Entry> {
        self.0.get_post(id).await.expect(A_FAULT)
    }

    pub(super) async fn current(&self, id: PostId) -> Option<Entry> {
        self.0.get_current_post(id).await.expect(A_FAULT)
    }

    pub(super) async fn by_token(&self, token: SecretHash) -> Option<Entry> {
        self.0.find_post_by_edit_token(token).await.expect(A_FAULT)
    }

    /// That this post is there, and nothing else in its place.
    pub(super) async fn has(&self, post: &Post) {
        let found = self.post(post.summary.id).await;
        assert_eq!(found, Some(Entry::Live(post.clone().into())));
    }

    pub(super) async fn page(&self, page: &PageRequest) -> PostList {
        self.0.list_posts(page.clone()).await.expect(A_FAULT)
    }

    /// All posts of a list, page after page, each of which has as many as it should.
    pub(super) async fn list(&self, tag: Option<&Tag>, per_page: u32) -> Vec<PostSummary> {
        let mut posts = Vec::new();
        for number in 1.. {
            let page = self.page(&request(number, per_page, tag)).await;
            let rest = page.total.saturating_sub(posts.len() as u64);
            assert_eq!(
                page.posts.len() as u64,
                rest.min(u64::from(per_page)),
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

    /// The identifiers of all posts of a list, in its order.
    pub(super) async fn ids(&self, tag: Option<&Tag>) -> Vec<PostId> {
        let posts = self.list(tag, 50).await;
        posts.into_iter().map(|post| post.id).collect()
    }

    pub(super) async fn insert_key(&self, key: &KeyRecord) -> Write {
        self.0.insert_key(key.clone()).await.expect(A_FAULT)
    }

    /// Inserts a key that does not conflict.
    pub(super) async fn put_key(&self, key: &KeyRecord) {
        let write = self.insert_key(key).await;
        assert_eq!(write, Write::Applied, "a key under a free identifier");
    }

    pub(super) async fn key(&self, secret: SecretHash) -> Option<KeyRecord> {
        self.0.find_key(secret).await.expect(A_FAULT)
    }

    pub(super) async fn keys(&self) -> Vec<KeyRecord> {
        self.0.list_keys().await.expect(A_FAULT)
    }

    pub(super) async fn note_use(&self, id: KeyId, at: Timestamp) {
        self.0.touch_key(id, at).await.expect(A_FAULT);
    }

    pub(super) async fn revoke(&self, id: KeyId) -> Write {
        self.0.revoke_key(id).await.expect(A_FAULT)
    }

    pub(super) async fn health(&self) {
        self.0.health().await.expect(A_FAULT);
    }
}

/// A page within bounds.
pub(super) fn request(page: u64, per_page: u32, tag: Option<&Tag>) -> PageRequest {
    PageRequest::new(page, per_page)
        .expect("a page within bounds")
        .with_tag(tag.cloned())
}

/// A page of 1,000 posts.
pub(super) fn large(page: u64) -> PageRequest {
    PageRequest::new(page, PageRequest::MAX_PER_PAGE).expect("a page within bounds")
}
