//! Posts and their parts. Raw input is validated here: a [`NewPost`] or a [`PostChange`] is always valid.

mod draft;
mod page;
mod tag;

pub use draft::Draft;
pub(crate) use draft::{DraftTags, NewPost, PostChange};
pub use page::{InvalidPageRequest, ListedPost, PageRequest, PostList};
pub use tag::{EmptyTag, Tag};

use std::sync::Arc;

use crate::field;
use crate::id::{KeyId, PostId};
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// A post as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Post {
    /// Everything but the body and the secrets.
    pub summary: PostSummary,
    /// The Markdown source, exactly as it was sent.
    pub body: String,
    /// The hash of the current edit token.
    pub edit_token: SecretHash,
    /// The API key that created the post. `None` if the host created it.
    pub created_by: Option<KeyId>,
    /// Identifies a retry of the request that created the post, if it had an `Idempotency-Key`.
    pub creation: Option<Creation>,
}

/// A post without its body: an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostSummary {
    /// The post's identifier.
    pub id: PostId,
    /// The title, if any: one line.
    pub title: Option<String>,
    /// The beginning of the body as plain text. The service computes it when the body is written.
    pub excerpt: String,
    /// The tags: normalised, without duplicates, in the author's order.
    pub tags: Vec<Tag>,
    /// The focus keyword, if any: one line.
    pub focus_keyword: Option<String>,
    /// When the post was created. Lists are sorted by this time, then by the identifier.
    pub created_at: Timestamp,
    /// When the post was last changed. Each change increases it by at least a millisecond.
    pub updated_at: Timestamp,
    /// Increases with each write to the post, including writes that readers do not see.
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

    /// The title, or else the excerpt. `None` if a reader could see neither.
    pub(crate) fn name(&self) -> Option<&str> {
        let names = [self.title.as_deref(), Some(&*self.excerpt)];
        let mut names = names.into_iter().flatten();
        names.find(|name| field::has_visible_character(name))
    }
}

/// Counts the writes to one post, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(u64);

impl Revision {
    pub(crate) const FIRST: Self = Self(1);

    /// Restores a stored revision.
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The number to store.
    pub const fn number(self) -> u64 {
        self.0
    }

    pub(crate) const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Identifies a retry of a creation with an `Idempotency-Key`.
///
/// Only hashes are stored. The post's identifier and edit token are derived again from the retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Creation {
    /// The hash of the edit token that the creation returned.
    pub edit_token: SecretHash,
    /// The hash of the request body.
    pub request: SecretHash,
}

impl Creation {
    /// A creation with this request body, which returned this edit token.
    pub const fn new(edit_token: SecretHash, request: SecretHash) -> Self {
        Self {
            edit_token,
            request,
        }
    }
}

/// A deleted post. Its addresses return 410.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tombstone {
    /// The identifier, which is never used again.
    pub id: PostId,
    /// The hash of the last edit token.
    pub edit_token: SecretHash,
    /// Identifies a retry of the request that created the post.
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

    /// Sets what identifies a retry of the request that created the post.
    #[must_use]
    pub const fn with_creation(self, creation: Option<Creation>) -> Self {
        Self { creation, ..self }
    }
}

/// What is stored under an identifier: a post, or the tombstone of a deleted one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entry {
    /// A post. It is shared, so a cache can return it without copying.
    Live(Arc<Post>),
    /// A deleted post.
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

    /// Sets what identifies a retry of the request that created the post.
    #[must_use]
    pub fn with_creation(self, creation: Option<Creation>) -> Self {
        Self { creation, ..self }
    }

    /// The tombstone that replaces this post when it is deleted.
    pub fn into_tombstone(self) -> Tombstone {
        Tombstone {
            id: self.summary.id,
            edit_token: self.edit_token,
            creation: self.creation,
        }
    }
}
