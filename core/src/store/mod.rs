//! Where posts and keys are kept: the [`Store`] trait, its contract, and the stores of this crate.

mod cached;
mod coalescer;
mod health;
mod memory;
mod pointer;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
mod weight;

use std::error::Error;
use std::fmt;

use async_trait::async_trait;

pub use cached::{Cached, Changes};
pub use health::{Health, Replica, ReplicaState};
pub use memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Entry, PageRequest, Post, PostList, Revision};
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// Keeps posts and API keys.
///
/// # Contract
///
/// A store keeps and never decides: it has no clock, no randomness, no bounds, no authorisation,
/// and repeats nothing by itself. What it is given is valid, and it gives back the same, to the
/// byte and to the microsecond. For each method:
///
/// 1. **Whole or not at all.** A method either does all that it says, or returns an error and has
///    done nothing. Where an outcome can't be known (a commit whose answer was lost), it is an
///    error, and the change stands there whole or not at all.
/// 2. **Visible at once.** What a method has returned from is seen by each call that begins later,
///    and, if the store is durable, survives a crash and a power cut. Where several instances share
///    what is kept, [`get_post`](Self::get_post) and [`list_posts`](Self::list_posts) may be behind the changes of the
///    others, within a bound that the store states; no other method may.
/// 3. **Conflicts are answers.** [`Write::Conflict`] says that nothing was written because the
///    identifier is taken, or the post is not there in the revision expected. Of two writes that
///    expect the same revision one is applied and the other conflicts. An error is for the store's
///    own trouble, and keeps its cause.
/// 4. **Identifiers are used once.** An identifier is taken by a post for ever, also after that
///    is deleted. (A revoked key's may be free again or not.) Hashes are as good as unique: no store
///    has to look whether another post or key has the same.
/// 5. **A deleted post leaves a [`Tombstone`](crate::Tombstone)**, found by its identifier and by
///    its last edit token. It is in no list and no total.
/// 6. **Lists have one order:** the latest `created_at` first; where two are equal, the greater
///    identifier first. A page holds the posts from [`PageRequest::offset`] on, as many as
///    [`PageRequest::per_page`], which are up to 1,000, and none beyond the end. Posts and total are
///    of one moment.
/// 7. **An edit token finds its post by the hash that the post has now**, and by no earlier one.
/// 8. **A revoked key is unknown** to each call that begins after the revocation returned.
///
/// The cost of a page should depend neither on its number nor on how many posts there are. A caller
/// may stop waiting for a write at any time; it is then made or not, as the store likes, but whole or
/// not at all.
///
/// With the feature `testing`, [`store_checks!`](crate::store_checks) holds a store to all of this but
/// what can't be seen from without: that a failed write has done nothing, that what was acknowledged
/// survives a crash, and what a page costs.
///
/// # Writing one
///
/// The trait is [`async_trait`](https://docs.rs/async-trait)'s: add that crate, and implement it as
///
/// ```
/// # use handbill::{Entry, Health, KeyId, KeyRecord, PageRequest, Post, PostId, PostList, Revision};
/// # use handbill::{SecretHash, StoreError, Timestamp};
/// use async_trait::async_trait;
/// use handbill::{Store, Write};
///
/// struct OurStore;
///
/// #[async_trait]
/// impl Store for OurStore {
///     async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
///         # let _ = post;
///         Err(StoreError::new("insert a post", "our database is away"))
///     }
///     // …
///     # async fn update_post(&self, _: Revision, _: Post) -> Result<Write, StoreError> { unimplemented!() }
///     # async fn delete_post(&self, _: PostId, _: Revision) -> Result<Write, StoreError> { unimplemented!() }
///     # async fn get_post(&self, _: PostId) -> Result<Option<Entry>, StoreError> { unimplemented!() }
///     # async fn get_current_post(&self, _: PostId) -> Result<Option<Entry>, StoreError> { unimplemented!() }
///     # async fn find_post_by_edit_token(&self, _: SecretHash) -> Result<Option<Entry>, StoreError> { unimplemented!() }
///     # async fn list_posts(&self, _: PageRequest) -> Result<PostList, StoreError> { unimplemented!() }
///     # async fn insert_key(&self, _: KeyRecord) -> Result<Write, StoreError> { unimplemented!() }
///     # async fn find_key(&self, _: SecretHash) -> Result<Option<KeyRecord>, StoreError> { unimplemented!() }
///     # async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> { unimplemented!() }
///     # async fn touch_key(&self, _: KeyId, _: Timestamp) -> Result<(), StoreError> { unimplemented!() }
///     # async fn revoke_key(&self, _: KeyId) -> Result<Write, StoreError> { unimplemented!() }
///     # async fn health(&self) -> Result<Health, StoreError> { unimplemented!() }
/// }
/// ```
///
/// What is kept comes apart and together again by
///
/// | value | to keep | from what was kept |
/// |---|---|---|
/// | [`PostId`], [`KeyId`]: 10 lowercase letters | `as_str` | `parse` |
/// | [`SecretHash`]: 32 bytes | `as_bytes` | `from_bytes` |
/// | [`Timestamp`]: microseconds since 1970, never negative | `as_micros` | `from_micros` |
/// | [`Revision`]: from 1 | `number` | `from_number` |
/// | [`Tag`](crate::Tag): text, not empty | `as_str` | `from_stored` |
///
/// Texts are as long as the host's [`Limits`](crate::Limits) let them be: by default a body has at
/// most 100,000 characters, which are up to 400,000 bytes, and a post 20 tags. An engine that blocks
/// wants `tokio::task::spawn_blocking` for reads and a thread of its own for writes; one error for
/// several writes that failed together is shared as an `Arc<dyn Error + Send + Sync>`. The example
/// `custom-store` is a whole store on an embedded database.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Adds a post under its identifier; conflicts if that is or ever was taken.
    async fn insert_post(&self, post: Post) -> Result<Write, StoreError>;

    /// Puts the post in the place of the one with the same identifier, which must be live and in
    /// the revision expected. `created_at` is the same in both, and may be a part of a store's keys.
    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError>;

    /// Replaces a post, which must be live and in the revision expected, with its tombstone.
    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError>;

    /// What is at an identifier, or `None` if it was never used: what readers are shown.
    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError>;

    /// The same, and never behind anybody's change: what a change is decided on. On what was, one
    /// would refuse the edit token or the `If-Match` that holds now, or find nothing to change.
    async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError>;

    /// What has this edit token now, or `None`.
    async fn find_post_by_edit_token(&self, token: SecretHash)
    -> Result<Option<Entry>, StoreError>;

    /// One page of the live posts, and how many there are on all pages.
    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError>;

    /// Adds a key; conflicts if its identifier is taken.
    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError>;

    /// The key with this secret, or `None` if there is none in force.
    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError>;

    /// All keys in force, the oldest first; where two are equally old, the lesser identifier first.
    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError>;

    /// Notes when a key was last used; the last call holds. A key that is not in force any more is
    /// passed over.
    async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError>;

    /// Removes a key; conflicts if there is none of this identifier.
    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError>;

    /// Answers as soon as the store can serve reads: what `GET /healthz` asks. A store that knows
    /// that it can't write answers an error. A store that reads from replicas tells how they are.
    async fn health(&self) -> Result<Health, StoreError>;
}

/// The outcome of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Write {
    /// The write was done.
    Applied,
    /// Nothing was done: the identifier is taken, or the post is not live in the expected revision.
    Conflict,
    /// Nothing was done: no key has this identifier.
    NotFound,
}

/// A failure of the store itself: unreachable, full or broken. Clients never see it.
#[derive(Debug)]
pub struct StoreError {
    doing: &'static str,
    cause: Box<dyn Error + Send + Sync>,
}

impl StoreError {
    /// `doing` names the operation: `"insert a post"` makes the error print "could not insert a post".
    /// The cause is the error's [`source`](Error::source).
    pub fn new(doing: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            doing,
            cause: cause.into(),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "could not {}", self.doing)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.cause.as_ref())
    }
}
