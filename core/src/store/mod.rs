//! For authors of stores: the [`Store`] trait with its contract, and the values that it stores.

mod changes;
mod decorator;
mod health;
mod memory;
mod outbox;
mod search;
mod stats;
mod write;

use std::error::Error;
use std::fmt;

use async_trait::async_trait;
use auto_impl::auto_impl;

pub use changes::{ChangeSource, Changes};
pub(crate) use changes::{ElapsedNanos, ReadStamp, ResponseStamp, Subject, Usability};
pub use decorator::{Decorated, Decorator};
pub use health::{Health, Replica, ReplicaState};
pub use memory::MemoryStore;
pub use outbox::{DueChange, ListenerFailure, ListenerState, MAX_LEASE, MAX_PAUSE, Outbox, Retry};
pub use search::{MAX_HITS, SearchIndex};
pub use stats::{CacheStats, StoreStats, WriteStats};
pub use write::{Outcome, Write};

pub use crate::post::{
    Authority, Bar, Creation, Entry, InstallationSecret, KeyId, KeyRecord, List, ListedPost,
    NewChange, Owner, PageRequest, PageSize, PageStart, Place, Post, PostId, PostList, PostSummary,
    Revision, Search, SecretHash, Tag, TagCount, TextField, Timestamp, Tombstone, Visibility,
    Words,
};
pub use handbill_markdown::search::{Query, Term};

/// Stores posts and API keys.
///
/// # Contract
///
/// A store stores and never decides: it has no clock, no randomness, no limits and no authorisation, and
/// it never retries with another identifier. It does not interpret the visibility of a post. What it receives is
/// valid, and it returns the same, to the byte and to the microsecond. For each method:
///
/// 1. **Atomic.** A method either does all that it says, or returns an error and has done nothing. If the
///    outcome cannot be known, such as when the connection broke during a commit, it returns an error, and
///    the change was made completely or not at all.
/// 2. **Visible at once.** When a method has returned, each call that begins later sees its effect. With a
///    durable store, the effect survives a crash and a power cut. If several processes share the data,
///    reads of a post with [`Freshness::Bounded`], [`list_posts`](Self::list_posts),
///    [`count_since`](Self::count_since) and [`list_tags`](Self::list_tags) may be behind the changes of other
///    processes, within a bound that the store states. No other read may.
/// 3. **Conflicts are results.** [`Outcome::Conflict`] says that nothing was written because the identifier is
///    taken, or the post is not live in the expected revision. Of two writes that expect the same revision,
///    one is applied and the other conflicts. An error is a failure of the store itself, and has its cause
///    as source.
/// 4. **Identifiers are used once.** A post's identifier stays taken forever, also after the post was
///    deleted. A revoked key's identifier may become free again. Hashes are unique in practice: no store
///    has to check whether another post or key has the same.
/// 5. **A deleted post leaves a [`Tombstone`]**, which is found by the post's identifier
///    and by its last edit token. It is in no list and no total.
/// 6. **A list has one order.** Public lists, of all posts and of each tag, have the live posts for which
///    [`PostSummary::listed_at`](crate::PostSummary::listed_at) is a time, the latest first, and the public list of an
///    owner has those of that owner. The list of all posts of an owner has the live ones, the latest `created_at`
///    first. If two times are equal, the greater identifier comes first. A page begins at its [`PageStart`], is in the
///    order of the list, and has as many posts as there are, up to its [`PageSize`]. The total is that of the whole
///    list, wherever the page begins. Posts and total are of one moment. [`count_since`](Self::count_since) counts in
///    the same order.
/// 7. **A [`Place`] outlives its post.** The posts after and before a place are those that the order of the list puts
///    there, whether or not the list has a post at the place itself, which is on neither page.
/// 8. **An edit token finds its post by the hash that the post has now**, and by no earlier one.
/// 9. **A revoked key is unknown** to each call that begins after the revocation returned.
/// 10. **The installation's secret is the first one that was offered**, for all callers and all processes that
///    share the data, also when several offer one at the same time. It never changes.
/// 11. **Tags are counted as they are listed.** The number of a tag is the total of its public list. Tags
///     without a post are not returned, and tags of more than 2,000 bytes need not be.
/// 12. **A walk misses nothing.** [`walk_entries`](Self::walk_entries), [`walk_keys`](Self::walk_keys) and
///     [`walk_bars`](Self::walk_bars) return what follows an identifier or hash, in ascending order of identifiers or
///     hashes. What exists from the first step of a walk to its last one is returned once.
/// 13. **A forgotten owner is in no tombstone.** [`Write::ForgetOwner`] ends with
///     [`Outcome::NotFound`] only if no tombstone that was there when the call began names the owner any more, neither
///     to reads nor to walks.
/// 14. **A barred owner writes nothing.** When [`Write::Bar`] has returned, no write [`by`](Write::by) this owner that
///     was authorised at the bar's `until` or before is applied any more, and calls that begin later see each one that
///     was applied, also if it was in progress. A bar never becomes earlier, except by [`Write::Unbar`].
/// 15. **What is due is listed at once.** [`list_due`](Self::list_due) returns the live posts for which
///     [`PostSummary::due_at`](crate::PostSummary::due_at) is a time, the earliest first. If two times are equal, the
///     lesser identifier comes first. It is never behind any change.
///
/// The cost of a page should depend neither on its number nor on the number of posts. A caller may stop
/// waiting for a write at any time: the write is then made completely or not at all.
///
/// The crate `handbill-testing` checks a store against this contract with `store_checks!`, except for what
/// cannot be seen from outside: that a failed write has done nothing, that acknowledged writes survive a
/// crash, and what a page costs.
///
/// # How it grows
///
/// The methods of `Store` have no default bodies, so that the compiler names what a store lacks. A version is a
/// breaking one, such as 0.3 after 0.2, if it adds a method to `Store` or [`Outbox`], a variant to [`Write`], a field
/// to [`PageRequest`] or to what is stored, or a rule to a contract. CHANGELOG names these under *Upgrade*. To follow,
/// the author of a store
///
/// 1. sets the version of `handbill` and `handbill-testing`, which have the same numbers,
/// 2. writes what the compiler names, methods, arms of `match` and fields, by their documentation, and
/// 3. runs `store_checks!`. Each new rule has a check of its name. A store that loses a new field fails
///    `a_post_is_read_back_unchanged`.
///
/// Other versions break no store. They may add checks of rules that hold already. What a store can do without is a
/// trait of its own, which a method of `Store` returns if the store has it: [`outbox`](Self::outbox) and
/// [`search_index`](Self::search_index). A [`Decorator`] forwards new methods without a change. Its author reads under
/// *Upgrade* whether it should.
///
/// # Writing one
///
/// The trait is [`async_trait`](https://docs.rs/async-trait)'s: add that crate. The page `docs/your-store.md` of the
/// repository makes a complete store on an embedded database. A store that wraps another one is a [`Decorator`].
///
/// A store converts values as follows:
///
/// | value | to store | from what was stored |
/// |---|---|---|
/// | [`PostId`], [`KeyId`]: 10 lowercase letters | `as_str` | `parse` |
/// | [`SecretHash`], [`InstallationSecret`]: 32 bytes | `as_bytes` | `from_bytes` |
/// | [`Timestamp`]: microseconds since 1970, never negative | `as_micros` | `from_micros` |
/// | [`Revision`]: from 1 | `number` | `from_number` |
/// | [`Tag`]: text, not empty | `as_str` | `from_stored` |
/// | [`Owner`]: 1 to 100 ASCII characters; [`Visibility`] | `as_str` | `parse` |
/// | each [`TextField`]: one line, or none | [`PostSummary::text`] | [`PostSummary::with_text`] |
///
/// The host's [`Limits`](crate::Limits) bound the length of texts: by default, a body has at most 100,000
/// characters, which are up to 400,000 bytes, and a post has at most 20 tags. For an engine that blocks,
/// use `tokio::task::spawn_blocking` for reads and one thread for writes. If several writes fail together,
/// share their error as an `Arc<dyn Error + Send + Sync>`.
#[async_trait]
#[auto_impl(Arc, Box)]
pub trait Store: Send + Sync + 'static {
    /// Makes a write. If it is applied and durable listeners are registered, adds the change for each of them in the
    /// same transaction, as [`Outbox`] says. A store without an outbox ignores the change.
    ///
    /// Posts that are inserted, updated or deleted and keys that are inserted or revoked can come with a change, whose
    /// subject is their identifier. Other writes come without one, and so do imports and new edit tokens.
    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError>;

    /// The post or tombstone that has this identifier or edit token, or `None`.
    async fn get_post(
        &self,
        by: PostKey,
        freshness: Freshness,
    ) -> Result<Option<Entry>, StoreError>;

    /// One page of a list, or of what a search finds in it, and the number of posts on all its pages.
    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError>;

    /// For each of these times, how many posts of a list, or of those with a tag, have a [`Place`] of this time or a
    /// later one. All are of one moment. The cost of each should not depend on the number of posts.
    async fn count_since(
        &self,
        list: List,
        tag: Option<Tag>,
        times: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError>;

    /// The posts that are due first, at most `limit` of them. They may be due in the future, and remain until they are
    /// updated or deleted. The cost should not depend on the number of other posts: each service asks once a
    /// minute, and within a second after a change that [`changes`](Self::changes) tells of.
    async fn list_due(&self, limit: u32) -> Result<Vec<Due>, StoreError>;

    /// The tags of the public lists, those with the most posts first; if two have equally many, the lesser
    /// tag by its bytes first. At most `limit` of them. The cost should not depend on the number of posts.
    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError>;

    /// The posts and tombstones whose identifiers come after this one, or the first ones. At most `limit`
    /// of them, and fewer only at the end.
    async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError>;

    /// The key with this secret, or `None` if no key in force has it.
    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError>;

    /// The keys in force whose identifiers come after this one, or the first ones. At most `limit` of them,
    /// and fewer only at the end.
    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError>;

    /// The bars whose owners' hashes come after this one by their bytes, or the first ones. At most `limit` of them,
    /// and fewer only at the end. Those that [`Write::Unbar`] ended are among them.
    async fn walk_bars(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> Result<Vec<Bar>, StoreError>;

    /// The installation's secret. If there is none, stores the candidate and returns it. A service calls
    /// this once, when it first needs the secret.
    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError>;

    /// Returns as soon as the store can serve reads, for `GET /readyz`. The caller may give up. A store that
    /// knows that it cannot write returns an error. A store that reads from replicas reports their states.
    async fn health(&self) -> Result<Health, StoreError>;

    /// The store's outbox, if it can store changes for durable listeners. A store that wraps another one returns the
    /// outbox of that one, if its own writes pass the change on.
    fn outbox(&self) -> Option<&dyn Outbox>;

    /// The store's index, if it can search. Then the words of posts come with their writes: see [`SearchIndex`]. A
    /// store that wraps another one returns the index of that one, if its own writes pass the words on.
    fn search_index(&self) -> Option<&dyn SearchIndex>;

    /// What the store tells of changes, so that a service may use cached responses. `None` if it tells nothing: then
    /// the service asks the store at each read. A store that wraps another one returns what that returns, unless it
    /// shows something that the other one does not tell of.
    fn changes(&self) -> Option<Changes>;

    /// What the store measures, for the host's metrics: [`StoreStats::default`] if nothing. It costs no call to the
    /// database.
    fn stats(&self) -> StoreStats;
}

/// By what a post is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostKey {
    /// Its identifier. There is nothing if that was never used.
    Id(PostId),
    /// The edit token that the post has now, or had last.
    EditToken(SecretHash),
}

/// A post, and when it is [due](crate::PostSummary::due_at).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// When it is due.
    pub at: Timestamp,
    /// Identifies the post.
    pub id: PostId,
}

/// How old what a read returns may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It may be behind the changes of other processes, within the store's bound: for readers.
    Bounded,
    /// It is never behind any change: a stale read could reject an edit token or an `If-Match` that is valid. Once such
    /// a read has returned, bounded reads of the post return nothing older in this process.
    Current,
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
