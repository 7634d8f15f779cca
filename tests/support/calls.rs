//! The calls of a store that tests make most, in fewer words.

use std::pin::Pin;
use std::sync::Arc;

use handbill::store::{
    Entry, Freshness, KeyId, KeyRecord, Outcome, Owner, Post, PostId, PostKey, Revision,
    SecretHash, Store, StoreError, Timestamp, Tombstone, Words, Write,
};

type Call<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Writes without changes, and reads of a post.
#[expect(missing_docs, reason = "each is named after what it does")]
pub trait Calls: Store {
    fn insert_post(&self, post: impl Into<Arc<Post>>) -> Call<'_, Outcome> {
        let post = post.into();
        let (words, by) = (Some(Words::of(&post)), None);
        self.write(Write::InsertPost { post, words, by }, None)
    }

    fn insert_tombstone(&self, tombstone: Tombstone) -> Call<'_, Outcome> {
        self.write(Write::InsertTombstone(tombstone), None)
    }

    fn update_post(&self, expected: Revision, post: impl Into<Arc<Post>>) -> Call<'_, Outcome> {
        let (post, by): (Arc<Post>, _) = (post.into(), None);
        let words = Some(Words::of(&post));
        self.write(
            Write::UpdatePost {
                expected,
                post,
                words,
                by,
            },
            None,
        )
    }

    fn delete_post(&self, id: PostId, expected: Revision) -> Call<'_, Outcome> {
        let by = None;
        self.write(Write::DeletePost { id, expected, by }, None)
    }

    fn insert_key(&self, key: KeyRecord) -> Call<'_, Outcome> {
        self.write(Write::InsertKey { key, by: None }, None)
    }

    fn touch_key(&self, id: KeyId, at: Timestamp) -> Call<'_, Outcome> {
        self.write(Write::TouchKey { id, at }, None)
    }

    fn revoke_key(&self, id: KeyId) -> Call<'_, Outcome> {
        self.write(Write::RevokeKey(id), None)
    }

    fn forget_owner(&self, owner: Owner, limit: u32) -> Call<'_, Outcome> {
        self.write(Write::ForgetOwner { owner, limit }, None)
    }

    fn read_post(&self, id: PostId) -> Call<'_, Option<Entry>> {
        self.get_post(PostKey::Id(id), Freshness::Bounded)
    }

    fn current_post(&self, id: PostId) -> Call<'_, Option<Entry>> {
        self.get_post(PostKey::Id(id), Freshness::Current)
    }

    fn post_by_token(&self, token: SecretHash) -> Call<'_, Option<Entry>> {
        self.get_post(PostKey::EditToken(token), Freshness::Current)
    }
}

impl<S: Store + ?Sized> Calls for S {}
