//! Posts: what one is, and the only ways in which raw input becomes one.

mod draft;
mod page;
mod tag;

pub use draft::Draft;
pub(crate) use draft::{DraftTags, NewPost, PostChange};
pub use page::{InvalidPageRequest, ListedPost, PageRequest, PostList};
pub use tag::{EmptyTag, Tag};

use std::sync::Arc;

use crate::id::{KeyId, PostId};
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// A post as a store holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Post {
    /// All that a list shows of it.
    pub summary: PostSummary,
    /// The Markdown source, byte for byte as it was sent.
    pub body: String,
    /// The hash of the token that may change this post now.
    pub edit_token: SecretHash,
    /// The API key that created it, or none if the host did.
    pub created_by: Option<KeyId>,
    /// How to recognise a repetition of the request that created it, if that request had an
    /// `Idempotency-Key`.
    pub creation: Option<Creation>,
}

/// A post without its body: an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// A post without title, excerpt, tags and focus keyword, in its first revision.
    pub const fn new(id: PostId, created_at: Timestamp) -> Self {
        Self {
            id,
            title: None,
            excerpt: String::new(),
            tags: Vec::new(),
            focus_keyword: None,
            created_at,
            updated_at: created_at,
            revision: Revision::FIRST,
        }
    }

    /// Sets the title.
    #[must_use]
    pub fn with_title(self, title: Option<String>) -> Self {
        Self { title, ..self }
    }

    /// Sets the excerpt.
    #[must_use]
    pub fn with_excerpt(self, excerpt: String) -> Self {
        Self { excerpt, ..self }
    }

    /// Sets the tags, in the author's order.
    #[must_use]
    pub fn with_tags(self, tags: Vec<Tag>) -> Self {
        Self { tags, ..self }
    }

    /// Sets the focus keyword.
    #[must_use]
    pub fn with_focus_keyword(self, focus_keyword: Option<String>) -> Self {
        Self {
            focus_keyword,
            ..self
        }
    }

    /// Sets when the post was last changed.
    #[must_use]
    pub fn with_updated_at(self, updated_at: Timestamp) -> Self {
        Self { updated_at, ..self }
    }

    /// Sets the revision.
    #[must_use]
    pub fn with_revision(self, revision: Revision) -> Self {
        Self { revision, ..self }
    }

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
#[non_exhaustive]
pub struct Creation {
    /// The hash of the edit token that the creation returned.
    pub edit_token: SecretHash,
    /// The hash of the request's body.
    pub request: SecretHash,
}

impl Creation {
    /// The creation that returned this edit token and was sent this request body.
    pub const fn new(edit_token: SecretHash, request: SecretHash) -> Self {
        Self {
            edit_token,
            request,
        }
    }
}

/// The remains of a deleted post, so that its addresses keep responding with 410.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tombstone {
    /// The identifier, which is never given out again.
    pub id: PostId,
    /// The hash of the last edit token.
    pub edit_token: SecretHash,
    /// How to recognise a repetition of the request that created the post.
    pub creation: Option<Creation>,
}

impl Tombstone {
    /// The tombstone of a post whose last edit token had this hash.
    pub const fn new(id: PostId, edit_token: SecretHash) -> Self {
        Self {
            id,
            edit_token,
            creation: None,
        }
    }

    /// Sets how to recognise a repetition of the request that created the post.
    #[must_use]
    pub const fn with_creation(self, creation: Option<Creation>) -> Self {
        Self { creation, ..self }
    }
}

/// What a store has at an identifier: a post, or the tombstone of a deleted one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entry {
    /// A post that can be read. Shared, so that a cache can return it without copying.
    Live(Arc<Post>),
    /// A post that was deleted.
    Gone(Tombstone),
}

impl Post {
    /// A post that the host created, without an `Idempotency-Key`.
    pub const fn new(summary: PostSummary, body: String, edit_token: SecretHash) -> Self {
        Self {
            summary,
            body,
            edit_token,
            created_by: None,
            creation: None,
        }
    }

    /// Sets the API key that created the post.
    #[must_use]
    pub fn with_created_by(self, created_by: Option<KeyId>) -> Self {
        Self { created_by, ..self }
    }

    /// Sets how to recognise a repetition of the request that created the post.
    #[must_use]
    pub fn with_creation(self, creation: Option<Creation>) -> Self {
        Self { creation, ..self }
    }

    /// What remains of this post when it is deleted: the three fields that a [`Tombstone`] has.
    pub fn into_tombstone(self) -> Tombstone {
        Tombstone {
            id: self.summary.id,
            edit_token: self.edit_token,
            creation: self.creation,
        }
    }
}
