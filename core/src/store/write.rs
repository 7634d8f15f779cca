//! Writes as values.

use std::sync::Arc;

use crate::post::id::{KeyId, PostId};
use crate::post::key::KeyRecord;
use crate::post::owner::Owner;
use crate::post::time::Timestamp;
use crate::post::{Post, Revision, Tombstone};

/// What [`Store::write`](super::Store::write) does.
///
/// A new variant comes in a version that breaks all stores anyway. So the enum is not `#[non_exhaustive]`: in a `match`
/// without `_`, the compiler names the variant that a store does not make yet.
#[derive(Clone, Debug)]
pub enum Write {
    /// Adds a post, in whatever revision it is. Conflicts if its identifier is or was in use.
    InsertPost(Arc<Post>),
    /// Adds the tombstone of a post that was deleted elsewhere. Conflicts if its identifier is or was in use.
    InsertTombstone(Tombstone),
    /// Replaces the post with the same identifier. Conflicts unless that post is live and in the expected revision.
    /// `created_at`, `created_by` and `creation` never change, and `published_at` only from none to a time.
    UpdatePost {
        /// The revision that is replaced.
        expected: Revision,
        /// The post after the change.
        post: Arc<Post>,
    },
    /// Replaces a post by its tombstone. Conflicts unless the post is live and in the expected revision.
    DeletePost {
        /// Identifies the post.
        id: PostId,
        /// The revision that is deleted.
        expected: Revision,
    },
    /// Adds a key. Conflicts if its identifier is taken.
    InsertKey(KeyRecord),
    /// Sets when a key was last used. Not found if the key is not in force any more.
    TouchKey {
        /// Identifies the key.
        id: KeyId,
        /// When it was used.
        at: Timestamp,
    },
    /// Removes a key. Not found if no key has this identifier.
    RevokeKey(KeyId),
    /// Removes an owner from tombstones that name it: from one of them at least, and from `limit` at most. The caller
    /// repeats it. Not found if no tombstone names the owner. A store that knows more of a deleted post than its
    /// tombstone tells, such as the key that created it, removes that with the owner. Posts and keys do not change. The
    /// cost should not depend on the number of other tombstones.
    ForgetOwner {
        /// The owner to forget.
        owner: Owner,
        /// The most tombstones that are changed.
        limit: u32,
    },
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Outcome {
    /// The write was done.
    Applied,
    /// Nothing was done: the identifier is taken, or the post is not live in the expected revision.
    Conflict,
    /// Nothing was done: no key has this identifier, or no tombstone names this owner.
    NotFound,
}

impl Write {
    /// What a store says in a [`StoreError`](super::StoreError) that it could not do, such as `insert a post`.
    pub const fn doing(&self) -> &'static str {
        match self {
            Self::InsertPost(_) => "insert a post",
            Self::InsertTombstone(_) => "insert a tombstone",
            Self::UpdatePost { .. } => "update a post",
            Self::DeletePost { .. } => "delete a post",
            Self::InsertKey(_) => "insert a key",
            Self::TouchKey { .. } => "record the use of a key",
            Self::RevokeKey(_) => "revoke a key",
            Self::ForgetOwner { .. } => "forget an owner",
        }
    }

    /// The post that it adds or changes, if it is one.
    pub fn post(&self) -> Option<PostId> {
        match self {
            Self::InsertPost(post) | Self::UpdatePost { post, .. } => Some(post.summary.id),
            Self::InsertTombstone(tombstone) => Some(tombstone.id),
            Self::DeletePost { id, .. } => Some(*id),
            Self::InsertKey(_)
            | Self::TouchKey { .. }
            | Self::RevokeKey(_)
            | Self::ForgetOwner { .. } => None,
        }
    }

    /// Its name in spans.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::InsertPost(_) => "insert_post",
            Self::InsertTombstone(_) => "insert_tombstone",
            Self::UpdatePost { .. } => "update_post",
            Self::DeletePost { .. } => "delete_post",
            Self::InsertKey(_) => "insert_key",
            Self::TouchKey { .. } => "touch_key",
            Self::RevokeKey(_) => "revoke_key",
            Self::ForgetOwner { .. } => "forget_owner",
        }
    }
}
