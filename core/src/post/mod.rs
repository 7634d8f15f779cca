//! Posts and their parts. Raw input, a [`Draft`], is validated here and becomes a [`NewPost`] or a
//! [`PostChange`].

/// The methods that set one field each. Their documentation names the field, and may say more.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($field:ident: $type:ty);)*) => {$(
        #[doc = concat!("Sets `", stringify!($field), "`.")]
        $(#[$doc])*
        #[must_use]
        pub fn $name(self, $field: $type) -> Self {
            Self { $field, ..self }
        }
    )*};
}

/// `Debug` that prints the names of these types alone. They have a secret, or nothing to print.
macro_rules! opaque_debug {
    ($($name:ident $(<$lifetime:lifetime>)?),*) => {$(
        impl std::fmt::Debug for $name $(<$lifetime>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    )*};
}
pub(crate) use opaque_debug;

mod bar;
pub(crate) mod change;
mod content;
mod draft;
pub(crate) mod due;
pub(crate) mod field;
pub(crate) mod hex;
pub(crate) mod id;
pub(crate) mod key;
mod language_tag;
pub(crate) mod limit;
pub(crate) mod owner;
mod page;
pub(crate) mod parse_error;
pub(crate) mod period;
pub(crate) mod random;
pub(crate) mod secret;
pub(crate) mod stored;
mod tag;
mod text_field;
pub(crate) mod time;
pub(crate) mod view;
mod visibility;
mod words;

pub use bar::{Authority, Bar};
pub use change::{Actor, Change, ChangeNote, Event, NewChange};
pub(crate) use content::{NewPost, PostChange};
pub use draft::Draft;
pub(crate) use draft::DraftTags;
pub(crate) use due::{DueAction, DueField, PerDueField};
pub use field::{FieldError, FieldFault};
pub use id::{KeyId, PostId};
pub use key::KeyRecord;
pub use limit::Limits;
pub use owner::Owner;
pub use page::{List, ListedPost, PageRequest, PageSize, PageStart, Place, PostList, Search};
pub use parse_error::ParseError;
pub(crate) use period::{Month, Period};
pub(crate) use secret::IdempotencyKey;
pub use secret::{ApiKey, EditToken, InstallationSecret, SecretHash};
pub(crate) use tag::{COMMAS, is_comma};
pub use tag::{Tag, TagCount};
pub(crate) use text_field::PerTextField;
pub use text_field::TextField;
pub(crate) use time::Clock;
pub use time::Timestamp;
pub(crate) use view::PostView;
pub use visibility::Visibility;
pub use words::Words;

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use stored::StoredSummary;

/// A post as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Post {
    /// Everything but the body and the secrets.
    #[serde(flatten, with = "StoredSummary")]
    pub summary: PostSummary,
    /// The Markdown source, exactly as it was sent.
    pub body: String,
    /// The hash of the current edit token.
    #[serde(with = "stored::hash")]
    pub edit_token: SecretHash,
    /// The API key that created the post. `None` if the host created it.
    pub created_by: Option<KeyId>,
    /// Identifies a retry of the request that created the post, if it had an `Idempotency-Key`.
    pub creation: Option<Creation>,
}

/// A post without its body: an item of a list.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// let draft = handbill::Draft::new().body("A *short* note.").tags(["news"]);
/// let id = handbill.posts().create(draft).await?.id;
/// let post = handbill.posts().summary(id).await?;
/// assert_eq!(post.excerpt, "A short note.");
/// assert_eq!(post.tags[0].as_str(), "news");
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostSummary {
    /// The post's identifier.
    pub id: PostId,
    /// The title, if any: one line.
    pub title: Option<String>,
    /// The body's first heading as plain text, cut to 70 characters. It names a post without title. The
    /// service computes it when the body is written.
    pub heading: Option<String>,
    /// The beginning of the body as plain text. The service computes it when the body is written.
    pub excerpt: String,
    /// The `https` address of the body's first image in a raster format, as far as it tells: at most 500 bytes. Lists
    /// of the pages show it. The service computes it when the body is written.
    pub picture: Option<String>,
    /// The tags: normalised, without duplicates, in the author's order.
    pub tags: Vec<Tag>,
    /// The focus keyword, if any: one line.
    pub focus_keyword: Option<String>,
    /// The author, as readers are shown it: one line.
    pub author: Option<String>,
    /// The language of the post, if known: a BCP 47 tag in its canonical case.
    pub language: Option<String>,
    /// Who can find and read it.
    pub visibility: Visibility,
    /// The owner, if there is one. Readers never see it.
    pub owner: Option<Owner>,
    /// When the post was created.
    pub created_at: Timestamp,
    /// When the post first became public. It then never changes.
    pub published_at: Option<Timestamp>,
    /// When the post was last changed. Each change increases it by at least a millisecond.
    pub updated_at: Timestamp,
    /// When the draft becomes public by itself. `None` if it is no draft.
    pub publish_at: Option<Timestamp>,
    /// When the post is deleted by itself.
    pub expires_at: Option<Timestamp>,
    /// Increases with each write to the post, including writes that readers do not see.
    pub revision: Revision,
}

impl PostSummary {
    /// A public post without texts, tags and owner, in its first revision.
    pub const fn new(id: PostId, created_at: Timestamp) -> Self {
        Self {
            id,
            title: None,
            heading: None,
            excerpt: String::new(),
            picture: None,
            tags: Vec::new(),
            focus_keyword: None,
            author: None,
            language: None,
            visibility: Visibility::Public,
            owner: None,
            created_at,
            published_at: Some(created_at),
            updated_at: created_at,
            publish_at: None,
            expires_at: None,
            revision: Revision::FIRST,
        }
    }

    setters! {
        with_title(title: Option<String>);
        with_heading(heading: Option<String>);
        with_excerpt(excerpt: String);
        with_picture(picture: Option<String>);
        with_tags(tags: Vec<Tag>);
        with_focus_keyword(focus_keyword: Option<String>);
        with_author(author: Option<String>);
        with_language(language: Option<String>);
        with_visibility(visibility: Visibility);
        with_owner(owner: Option<Owner>);
        with_published_at(published_at: Option<Timestamp>);
        with_updated_at(updated_at: Timestamp);
        with_revision(revision: Revision);
        with_publish_at(publish_at: Option<Timestamp>);
        with_expires_at(expires_at: Option<Timestamp>);
    }

    /// When the service has to look at the post next, to publish or delete it. `None` if there is no such time.
    pub fn due_at(&self) -> Option<Timestamp> {
        let times = [self.publish_at, self.expires_at];
        times.into_iter().flatten().min()
    }

    /// The time that public lists are sorted by. `None` if the post is in none of them.
    pub fn listed_at(&self) -> Option<Timestamp> {
        match self.visibility {
            Visibility::Public => self.published_at,
            Visibility::Unlisted | Visibility::Draft => None,
        }
    }

    /// The date that readers are shown: when the post first became public, or else was created.
    pub(crate) fn date(&self) -> Timestamp {
        self.published_at.unwrap_or(self.created_at)
    }

    /// What the post is called where it needs a name, such as in a list: its title, or else its first heading, or else
    /// the first sentence of its excerpt, cut to 70 characters after a word. `None` if a reader could see none of them.
    /// The pages and feeds name posts by it, too.
    ///
    /// ```
    /// use handbill::{PostId, PostSummary, Timestamp};
    ///
    /// let post = PostSummary::new(PostId::generate(), Timestamp::from_micros(0))
    ///     .with_excerpt("A short note. It has no title.".to_owned());
    /// assert_eq!(post.name().as_deref(), Some("A short note."));
    /// let post = post.with_title(Some("Hello".to_owned()));
    /// assert_eq!(post.name().as_deref(), Some("Hello"));
    /// ```
    pub fn name(&self) -> Option<Cow<'_, str>> {
        let names = [self.title.as_deref(), self.heading.as_deref()];
        let mut names = names.into_iter().flatten();
        if let Some(name) = names.find(|name| handbill_markdown::has_visible_character(name)) {
            return Some(name.into());
        }
        handbill_markdown::first_sentence(&self.excerpt).map(Cow::from)
    }
}

/// Counts the writes to one post, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Revision(u64);

impl<'de> Deserialize<'de> for Revision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let revision = Self(u64::deserialize(deserializer)?);
        let is_valid = (Self::FIRST..=Self::LAST).contains(&revision);
        is_valid.then_some(revision).ok_or_else(|| {
            let last = Self::LAST.number();
            D::Error::custom(format!("a revision is a number from 1 to {last}"))
        })
    }
}

impl Revision {
    pub(crate) const FIRST: Self = Self(1);

    /// The last one: 2^53, up to which every JSON parser and every database counts exactly. No post gets
    /// there by being changed.
    pub(crate) const LAST: Self = Self(1 << 53);

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Creation {
    /// The hash of the edit token that the creation returned.
    #[serde(with = "stored::hash")]
    pub edit_token: SecretHash,
    /// The hash of the request body.
    #[serde(with = "stored::hash")]
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Tombstone {
    /// The identifier, which is never used again.
    pub id: PostId,
    /// The hash of the last edit token.
    #[serde(with = "stored::hash")]
    pub edit_token: SecretHash,
    /// The owner of the post, if there was one.
    pub owner: Option<Owner>,
    /// Who could read the post: to others, a deleted draft was never there.
    pub visibility: Visibility,
    /// Identifies a retry of the request that created the post.
    pub creation: Option<Creation>,
}

impl Tombstone {
    /// The tombstone of a public post without owner, whose last edit token had this hash.
    pub const fn new(id: PostId, edit_token: SecretHash) -> Self {
        Self {
            id,
            edit_token,
            owner: None,
            visibility: Visibility::Public,
            creation: None,
        }
    }

    setters! {
        with_owner(owner: Option<Owner>);
        with_visibility(visibility: Visibility);
        with_creation(creation: Option<Creation>);
    }
}

/// What is stored under an identifier: a post, or the tombstone of a deleted one.
///
/// For stores of documents, serde gives it the form of a line in an [`Archive`](crate::archive::Archive):
/// `{"post":{…}}` or `{"tombstone":{…}}`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Entry {
    /// A post. It is shared: a store in memory returns it without copying.
    #[serde(rename = "post")]
    Live(Arc<Post>),
    /// A deleted post.
    #[serde(rename = "tombstone")]
    Gone(Tombstone),
}

impl Entry {
    /// The identifier of the post.
    pub fn id(&self) -> PostId {
        match self {
            Self::Live(post) => post.summary.id,
            Self::Gone(tombstone) => tombstone.id,
        }
    }
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

    setters! {
        with_created_by(created_by: Option<KeyId>);
        with_creation(creation: Option<Creation>);
    }

    /// Whether the only change since `before` is that fewer people can find or read the post, now or later.
    pub(crate) fn only_hides(&self, before: &Self) -> bool {
        let (old, new) = (&before.summary, &self.summary);
        let mut hidden = old.clone();
        hidden.updated_at = new.updated_at;
        hidden.revision = new.revision;
        hidden.visibility = new.visibility;
        hidden.publish_at = new.publish_at;
        let is_no_schedule = new.publish_at.is_none() || new.publish_at == old.publish_at;
        // The most visible comes first.
        let is_hidden = new.visibility >= old.visibility;
        is_hidden && is_no_schedule && *new == hidden && self.body == before.body
    }

    /// Makes a draft of the post, which is about to be written after or instead of the one before. A draft that was
    /// never public gets no time of publication. It stays a draft.
    pub(crate) fn hold(&mut self, before: Option<&Self>) {
        self.summary.visibility = Visibility::Draft;
        self.summary.publish_at = None;
        self.summary.published_at = before.and_then(|before| before.summary.published_at);
    }

    /// The tombstone that replaces this post when it is deleted.
    pub fn into_tombstone(self) -> Tombstone {
        Tombstone {
            id: self.summary.id,
            edit_token: self.edit_token,
            owner: self.summary.owner,
            visibility: self.summary.visibility,
            creation: self.creation,
        }
    }
}
