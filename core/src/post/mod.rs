//! Posts: what one is, and the only ways in which raw input becomes one.

mod draft;
mod page;
mod tag;

pub use draft::Draft;
pub(crate) use draft::{DraftTags, NewPost, PostChange};
pub use page::{MAX_PER_PAGE, PageRequest, PostPage};
pub use tag::Tag;

use std::sync::Arc;

use crate::id::{KeyId, PostId};
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// A post as a store keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// All that a list shows of it.
    pub summary: PostSummary,
    /// The Markdown source, byte for byte as it was sent.
    pub body: String,
    /// The hash of the token that may change this post now.
    pub edit_token: SecretHash,
    /// The API key that created it, or none if the host did.
    pub created_by: Option<KeyId>,
    /// How to recognise a repetition of the request that created it, where it asked for that.
    pub creation: Option<Creation>,
}

/// A post without its body: an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostSummary {
    /// The post's identifier.
    pub id: PostId,
    /// One line, or none.
    pub title: Option<String>,
    /// The beginning of the body as plain text, made by the core when the body was written.
    pub excerpt: String,
    /// Normalised, without duplicates, in the author's order.
    pub tags: Vec<Tag>,
    /// One line, or none.
    pub focus_keyword: Option<String>,
    /// When the post was created: the first key of every list's order.
    pub created_at: Timestamp,
    /// When the post was last changed; grows strictly with each change, in milliseconds.
    pub updated_at: Timestamp,
    /// Grows with each write to the post, also with one that no reader sees.
    pub revision: Revision,
}

impl PostSummary {
    /// What the post is called: its title, or how it begins; none where it begins without words.
    pub(crate) fn name(&self) -> Option<&str> {
        let title = self.title.as_deref();
        title.or((!self.excerpt.is_empty()).then_some(&self.excerpt))
    }
}

/// Counts the writes to one post, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(u64);

impl Revision {
    pub(crate) const FIRST: Self = Self(1);

    /// A revision as it was stored.
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The revision's number, to store.
    pub const fn number(self) -> u64 {
        self.0
    }

    pub(crate) const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// What tells a repeated creation from another one. Hashes only: the id and the edit token
/// themselves are derived anew from what the client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    /// The hash of the edit token that the creation answered.
    pub edit_token: SecretHash,
    /// The hash of the request's body.
    pub request: SecretHash,
}

/// What is kept of a deleted post, so that its addresses go on answering that it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The identifier, which is never given out again.
    pub id: PostId,
    /// The hash of the last edit token.
    pub edit_token: SecretHash,
    /// How to recognise a repetition of the request that created the post.
    pub creation: Option<Creation>,
}

/// What a store has at an identifier: a post, or what a deleted one left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A post that can be read. Shared, so that a store may remember it.
    Live(Arc<Post>),
    /// A post that was deleted.
    Gone(Tombstone),
}

impl Post {
    /// What remains of this post when it is deleted: the three fields that a [`Tombstone`] has.
    pub fn into_tombstone(self) -> Tombstone {
        Tombstone {
            id: self.summary.id,
            edit_token: self.edit_token,
            creation: self.creation,
        }
    }
}
