//! The outbox of a store: changes that wait until they are delivered to the durable listeners.

use std::time::Duration;

use async_trait::async_trait;

use super::StoreError;
use crate::post::Timestamp;

/// Stores changes for durable listeners in the transactions that make them (a *transactional outbox*).
///
/// A store that returns itself from [`Store::outbox`](super::Store::outbox) can have durable listeners
/// ([`Handbill::with_durable_listener`](crate::Handbill::with_durable_listener)). Their changes come with the writes:
/// see [`Store::write`](super::Store::write).
///
/// # Contract
///
/// 1. **Both or neither.** A write that is applied adds its change for each listener in the same transaction, due at
///    once. One that conflicts, finds nothing or fails adds none. A listener misses no change of a write that began
///    after [`add_listener`](Self::add_listener) had returned, in whichever process.
/// 2. **One number for a change**, the same for all listeners, greater than that of each write that had returned before
///    this one began, and never used again.
/// 3. **Changes of one subject wait for each other.** [`due_changes`](Self::due_changes) returns of each subject the
///    waiting change with the lowest number, if it is due, and no other.
/// 4. **A listener is leased to one instance at a time**, by the store's own clock, which is that of all its processes.
/// 5. Everything but [`lease_listener`](Self::lease_listener) survives a crash, like all writes.
///
/// The names of listeners have 1 to 100 visible ASCII characters. `store_checks!` of the crate `handbill-testing`
/// checks a store's outbox, too, as far as one process can see it.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Adds a listener, which gets the changes from now on. Does nothing if there is one of this name.
    async fn add_listener(&self, name: &str) -> Result<(), StoreError>;

    /// Removes a listener and the changes that wait for it. Returns whether there was one.
    async fn remove_listener(&self, name: &str) -> Result<bool, StoreError>;

    /// All listeners, in the order of their names.
    async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError>;

    /// Leases a listener to an instance for so long, which then delivers its changes. Returns false, and changes
    /// nothing, if there is no such listener, or it is leased to another one. A time of zero ends a lease. A lease that
    /// ends more than [`MAX_LEASE`] ahead is expired: the clock was set back.
    async fn lease_listener(
        &self,
        name: &str,
        instance: &str,
        time: Duration,
    ) -> Result<bool, StoreError>;

    /// Of each subject the first change that waits for a listener, if it is due at this time: those with the lowest
    /// numbers first, at most `limit` of them. A change whose due time is more than [`MAX_PAUSE`] after `now` counts as
    /// due: a clock was set back.
    async fn due_changes(
        &self,
        name: &str,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<DueChange>, StoreError>;

    /// Removes the changes with the numbers `done` from those that wait for a listener, and makes each of `again` due
    /// at its time, with one attempt more. Ignores numbers that do not wait. The failure of the last one in `again` is
    /// the last failure of the listener from then on, whatever succeeds later.
    async fn settle(&self, name: &str, done: &[u64], again: &[Retry]) -> Result<(), StoreError>;
}

/// The longest lease of a listener: a minute.
pub const MAX_LEASE: Duration = Duration::from_secs(60);
/// The longest time until a change is tried again: a day.
pub const MAX_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// A change that waits for a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueChange {
    /// Its number.
    pub number: u64,
    /// How often it was tried.
    pub attempts: u32,
    /// What [`NewChange::to_text`](super::NewChange::to_text) returned.
    pub text: String,
}

/// A change that a listener failed at, and gets again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The number of the change.
    pub number: u64,
    /// When it is due.
    pub due: Timestamp,
    /// What failed.
    pub failure: ListenerFailure,
}

/// Why a listener failed, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerFailure {
    /// The time of the failure.
    pub at: Timestamp,
    /// The error of the listener, of at most 500 bytes.
    pub error: String,
}

/// A durable listener, and what waits for it.
///
/// ```
/// # use handbill::{Draft, Handbill, MemoryStore};
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?
/// #     .with_durable_listener("webhook", |_| async { Err("the other side is down".into()) })?;
/// # handbill.posts().create(Draft::new().body("A post.")).await?;
/// for listener in handbill.durable_listeners().await? {
///     println!("{}: {} changes wait, since {:?}", listener.name, listener.waiting, listener.oldest);
/// #   assert_eq!(listener.waiting, 1);
/// }
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(example()).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListenerState {
    /// The name.
    pub name: String,
    /// How many changes wait.
    pub waiting: u64,
    /// When the first of them was made.
    pub oldest: Option<Timestamp>,
    /// The number of the last of them.
    pub last: Option<u64>,
    /// What the listener last failed with. Later successes leave it as it is.
    pub last_failure: Option<ListenerFailure>,
}

impl ListenerState {
    /// A listener for which nothing waits.
    pub const fn new(name: String) -> Self {
        Self {
            name,
            waiting: 0,
            oldest: None,
            last: None,
            last_failure: None,
        }
    }

    /// Sets how many changes wait, when the first of them was made, and the number of the last one.
    #[must_use]
    pub fn with_waiting(mut self, waiting: u64, oldest: Timestamp, last: u64) -> Self {
        self.waiting = waiting;
        self.oldest = Some(oldest);
        self.last = Some(last);
        self
    }

    /// Sets what the listener last failed with.
    #[must_use]
    pub fn with_last_failure(mut self, failure: Option<ListenerFailure>) -> Self {
        self.last_failure = failure;
        self
    }
}
