//! Writes as values.

use std::sync::Arc;

use crate::post::{
    Authority, KeyId, KeyRecord, Owner, Post, PostId, Revision, SecretHash, Timestamp, Tombstone,
    Words,
};

/// What [`Store::write`](super::Store::write) does.
///
/// A new variant comes in a version that breaks all stores anyway. So the enum is not `#[non_exhaustive]`: in a `match`
/// without `_`, the compiler names the variant that a store does not make yet.
///
/// Writes with a field `by` are made in the name of an owner. If there is a [`Bar`](super::Bar) of that owner whose
/// `until` is not before `by.at`, the outcome is [`Outcome::Barred`], whatever else holds.
#[derive(Clone, Debug)]
pub enum Write {
    /// Adds a post, in whatever revision it is. Conflicts if its identifier is or was in use.
    InsertPost {
        /// The post.
        post: Arc<Post>,
        /// The words by which it is found, if the store has a [`SearchIndex`](super::SearchIndex).
        words: Option<Words>,
        /// In whose name.
        by: Option<Authority>,
    },
    /// Adds the tombstone of a post that was deleted elsewhere. Conflicts if its identifier is or was in use.
    InsertTombstone(Tombstone),
    /// Replaces the post with the same identifier. Conflicts unless that post is live and in the expected revision.
    /// `created_at`, `created_by` and `creation` never change, and `published_at` only from none to a time.
    UpdatePost {
        /// The revision that is replaced.
        expected: Revision,
        /// The post after the change.
        post: Arc<Post>,
        /// The words by which it is found, if the store has a [`SearchIndex`](super::SearchIndex).
        words: Option<Words>,
        /// In whose name.
        by: Option<Authority>,
    },
    /// Replaces a post by its tombstone. Conflicts unless the post is live and in the expected revision.
    DeletePost {
        /// Identifies the post.
        id: PostId,
        /// The revision that is deleted.
        expected: Revision,
        /// In whose name.
        by: Option<Authority>,
    },
    /// Adds a key. Conflicts if its identifier is taken.
    InsertKey {
        /// The key.
        key: KeyRecord,
        /// In whose name.
        by: Option<Authority>,
    },
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
    /// Bars an owner, or makes its bar later. Conflicts if there is a bar that is as late already.
    Bar {
        /// The hash of the owner.
        owner: SecretHash,
        /// The bar's end.
        until: Timestamp,
    },
    /// Makes a bar of an owner end at this time. Not found if the owner has no bar that ends later.
    Unbar {
        /// The hash of the owner.
        owner: SecretHash,
        /// The bar's end.
        at: Timestamp,
    },
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Outcome {
    /// The write was done.
    Applied,
    /// Nothing was done: the identifier is taken, the post is not live in the expected revision, or the owner has a bar
    /// that is as late.
    Conflict,
    /// Nothing was done: no key has this identifier, no tombstone names this owner, or the owner has no later bar.
    NotFound,
    /// Nothing was done: the owner in whose name the write is made is barred.
    Barred,
}

impl Write {
    /// The operation in the text of a [`StoreError`](super::StoreError), such as `insert a post`.
    pub const fn doing(&self) -> &'static str {
        self.names().1
    }

    /// The post that it adds or changes, if it is one.
    pub fn post(&self) -> Option<PostId> {
        match self {
            Self::InsertPost { post, .. } | Self::UpdatePost { post, .. } => Some(post.summary.id),
            Self::InsertTombstone(tombstone) => Some(tombstone.id),
            Self::DeletePost { id, .. } => Some(*id),
            Self::InsertKey { .. }
            | Self::TouchKey { .. }
            | Self::RevokeKey(_)
            | Self::ForgetOwner { .. }
            | Self::Bar { .. }
            | Self::Unbar { .. } => None,
        }
    }

    /// The words of the post that it adds or changes, if they come with it.
    pub const fn words(&self) -> Option<&Words> {
        match self {
            Self::InsertPost { words, .. } | Self::UpdatePost { words, .. } => words.as_ref(),
            _ => None,
        }
    }

    /// The owner in whose name the write is made, if any.
    pub const fn by(&self) -> Option<Authority> {
        match self {
            Self::InsertPost { by, .. }
            | Self::UpdatePost { by, .. }
            | Self::DeletePost { by, .. }
            | Self::InsertKey { by, .. } => *by,
            Self::InsertTombstone(_)
            | Self::TouchKey { .. }
            | Self::RevokeKey(_)
            | Self::ForgetOwner { .. }
            | Self::Bar { .. }
            | Self::Unbar { .. } => None,
        }
    }

    /// Its name in spans.
    pub(crate) const fn name(&self) -> &'static str {
        self.names().0
    }

    /// Its name in spans, and the operation in the text of a `StoreError`.
    const fn names(&self) -> (&'static str, &'static str) {
        match self {
            Self::InsertPost { .. } => ("insert_post", "insert a post"),
            Self::InsertTombstone(_) => ("insert_tombstone", "insert a tombstone"),
            Self::UpdatePost { .. } => ("update_post", "update a post"),
            Self::DeletePost { .. } => ("delete_post", "delete a post"),
            Self::InsertKey { .. } => ("insert_key", "insert a key"),
            Self::TouchKey { .. } => ("touch_key", "record the use of a key"),
            Self::RevokeKey(_) => ("revoke_key", "revoke a key"),
            Self::ForgetOwner { .. } => ("forget_owner", "forget an owner"),
            Self::Bar { .. } => ("bar", "bar an owner"),
            Self::Unbar { .. } => ("unbar", "end the bar of an owner"),
        }
    }
}
