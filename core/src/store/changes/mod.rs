//! How a service learns of the changes that make its cached responses old.

mod source;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub use self::source::ChangeSource;
use self::source::SourcePoll;
use crate::post::PostId;
use crate::post::time::nanos;

/// The number of marks of posts. Posts that share a mark are read again when one of them changes.
const MARK_COUNT: usize = 4096;

/// Tells the services over a store which of their cached responses may still be used.
///
/// A store returns it from [`Store::changes`](super::Store::changes). All services over the store share it, and a clone
/// is the same. Each service marks its own writes in it, so that readers see these at once. What others change becomes
/// known in one of three ways, which the constructors are named after.
///
/// ```
/// use std::time::Duration;
/// use handbill::store::Changes;
///
/// // A store that listens to its database has one clone, and its task another.
/// let changes = Changes::notified(Duration::from_secs(1));
/// let of_task = changes.clone();
/// of_task.reset();
/// ```
///
/// # What it guarantees
///
/// 1. A read that begins after a write of a service over this store returned never sees what was before it. Nor does it
///    see a post in an older state than a read with [`Freshness::Current`](super::Freshness::Current) has returned: a
///    retry may find that the first attempt was applied.
/// 2. A read sees every change of others that was acknowledged at least the bound before the read began.
///
/// A write whose outcome is unknown, because it failed or its caller went away, counts as a change of others: readers
/// see it within the bound, if it was made.
#[derive(Clone, Debug)]
pub struct Changes(Arc<SharedChanges>);

#[derive(Debug)]
struct SharedChanges {
    detection: ChangeDetection,
    /// The start of [`ElapsedNanos`].
    epoch: Instant,
    /// The maximum age of a cached response that is not confirmed.
    bound: u64,
    /// Since when every change is notified, without a gap.
    notified_since: AtomicU64,
    /// Up to when all changes were notified.
    confirmed_until: AtomicU64,
    /// The number of changes so far.
    generation: AtomicU64,
    lists: ChangeMark,
    posts: Box<[ChangeMark]>,
}

/// How changes of others become known.
#[derive(Debug)]
enum ChangeDetection {
    /// Each is marked before its write returns.
    Marked,
    /// The store notifies of changes to existing posts, and of new posts that have a time.
    Notified,
    /// A source is asked.
    Polled(SourcePoll),
    /// Not at all.
    Unknown,
}

/// The last change of something.
#[derive(Debug, Default)]
struct ChangeMark {
    /// Its generation.
    changed: AtomicU64,
    /// When the current state was read last.
    read: AtomicU64,
}

/// What a response shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// Nothing that is stored.
    Settings,
    /// One post.
    Post(PostId),
    /// Posts of a list, and how many there are.
    Lists,
}

/// The state that a read sees, at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadStamp {
    generation: u64,
    at: ElapsedNanos,
}

/// The latest state for which a response is known to hold.
#[derive(Debug)]
pub(crate) struct ResponseStamp {
    generation: AtomicU64,
    at: AtomicU64,
}

/// Whether a cached response may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usability {
    Valid,
    /// It may if nothing was changed since it was confirmed last.
    IfConfirmed,
    /// Only if the store is asked first.
    No,
}

impl Changes {
    /// Every change of any caller, also a creation, is passed to [`changed`](Self::changed) before its write returns.
    pub fn complete() -> Self {
        Self::new(ChangeDetection::Marked, Duration::MAX)
    }

    /// Changes of existing posts are notified, and become visible within this bound; lists are read each time. A new
    /// post that has a time is best notified, too: otherwise it may be a minute late if the instance that created it
    /// ends. A task that listens to the database calls, in this order:
    ///
    /// 1. [`reset`](Self::reset), once it listens, and again each time it lost the connection and listens again.
    ///    Changes in the gap were not notified, so responses from before this call are never used beyond the bound.
    /// 2. [`changed`](Self::changed), for each change of a post by any instance, including this one. (A change of this
    ///    instance may have been made although its caller saw an error or went away.)
    /// 3. [`confirm_until`](Self::confirm_until), whenever it is certain that all changes acknowledged up to an instant
    ///    were notified. Responses may then be used until the bound has passed since that instant.
    ///
    /// A heartbeat gives the certainty for 3: note the instant, and send a message through the channel that the changes
    /// take. When it arrives, everything that was acknowledged before that instant has arrived. Silence proves nothing,
    /// since a dead connection can go unnoticed for minutes. Without heartbeats, responses are used for no longer than
    /// the bound. With a bound of zero, the store is asked at each read.
    ///
    /// A store that reads from replicas must return the changed post to each read that begins after `changed`, from the
    /// primary if need be. Otherwise the old post would be cached, and confirmed.
    pub fn notified(bound: Duration) -> Self {
        Self::new(ChangeDetection::Notified, bound)
    }

    /// Changes become visible within this bound: while reads arrive, the source is asked that often whether anything
    /// was changed, and each second for posts that are due.
    pub fn polled(bound: Duration, source: Arc<dyn ChangeSource>) -> Self {
        let changes = Self::new(ChangeDetection::Polled(SourcePoll::new(source)), bound);
        // So that the first response asks the source; what is read after that can be confirmed.
        changes.reset();
        changes
    }

    /// Changes of others are unknown, and become visible within this bound.
    pub(crate) fn unknown(bound: Duration) -> Self {
        Self::new(ChangeDetection::Unknown, bound)
    }

    fn new(detection: ChangeDetection, bound: Duration) -> Self {
        Self(Arc::new(SharedChanges {
            detection,
            epoch: now(),
            bound: nanos(bound),
            notified_since: AtomicU64::new(NEVER),
            confirmed_until: AtomicU64::new(0),
            generation: AtomicU64::new(0),
            lists: ChangeMark::default(),
            posts: (0..MARK_COUNT).map(|_| ChangeMark::default()).collect(),
        }))
    }

    /// From now on every change is notified. Responses that were made earlier are not confirmed.
    pub fn reset(&self) {
        self.0.reset();
    }

    /// This post was created, changed or deleted. Responses that show it, or lists, are made again.
    pub fn changed(&self, id: PostId) {
        let generation = self.0.generation.fetch_add(1, Ordering::AcqRel) + 1;
        for mark in [self.mark_of(id), &self.0.lists] {
            mark.changed.fetch_max(generation, Ordering::AcqRel);
        }
    }

    /// All changes acknowledged before this instant, which has passed, were notified since [`reset`](Self::reset). An
    /// instant before an earlier call's does nothing.
    pub fn confirm_until(&self, at: Instant) {
        self.0.confirm(self.0.elapsed_at(at));
    }

    /// The current state of a post was read. Later reads must not see an older one.
    pub(crate) fn current_was_read(&self, id: PostId) {
        let ElapsedNanos(now) = self.0.now();
        for mark in [self.mark_of(id), &self.0.lists] {
            mark.read.fetch_max(now, Ordering::AcqRel);
        }
    }

    /// Marks the post as changed when the returned value is dropped: after the write, whatever its outcome, and also if
    /// its caller goes away.
    pub(crate) fn changed_on_drop(&self, id: PostId) -> ChangedOnDrop<'_> {
        ChangedOnDrop { changes: self, id }
    }

    /// The state that a read which begins now sees, at least.
    pub(crate) fn stamp(&self) -> ReadStamp {
        ReadStamp {
            generation: self.0.generation.load(Ordering::Acquire),
            at: self.0.now(),
        }
    }

    /// Whether a response with this subject may be used for a read that begins `now`.
    pub(crate) fn usability(
        &self,
        stamp: &ResponseStamp,
        subject: Subject,
        now: ReadStamp,
    ) -> Usability {
        let detection = &self.0.detection;
        let mark = match (subject, detection) {
            (Subject::Settings, _) => return Usability::Valid,
            (Subject::Post(id), _) => self.mark_of(id),
            // Most new posts are not notified.
            (Subject::Lists, ChangeDetection::Notified) => return Usability::No,
            (Subject::Lists, _) => &self.0.lists,
        };
        if stamp.generation.load(Ordering::Acquire) < mark.changed.load(Ordering::Acquire) {
            return Usability::No;
        }
        if matches!(detection, ChangeDetection::Marked) {
            return Usability::Valid;
        }
        let last_read_at = ElapsedNanos(mark.read.load(Ordering::Acquire));
        let at = ElapsedNanos(stamp.at.load(Ordering::Acquire));
        if self.0.is_valid_for(at, last_read_at, now.at) {
            return Usability::Valid;
        }
        match detection {
            ChangeDetection::Polled(_) if self.0.can_be_confirmed(at) => Usability::IfConfirmed,
            _ => Usability::No,
        }
    }

    /// A number that grows with each change that is known of here. A source is asked each time. `None` if it fails.
    pub(crate) async fn state(&self) -> Option<u64> {
        match &self.0.detection {
            ChangeDetection::Polled(poll) => poll.state().await,
            _ => Some(self.0.generation.load(Ordering::Acquire)),
        }
    }

    /// Asks the source, if there is one, whether anything was changed.
    pub(crate) async fn confirm(&self) {
        if let ChangeDetection::Polled(poll) = &self.0.detection {
            poll.check(&self.0).await;
        }
    }

    fn mark_of(&self, id: PostId) -> &ChangeMark {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        &self.0.posts[hasher.finish() as usize % MARK_COUNT]
    }
}

impl ReadStamp {
    /// The instant that is so much later.
    pub(crate) fn after(self, time: Duration) -> ElapsedNanos {
        self.at.after(time)
    }

    pub(crate) fn is_before(self, instant: ElapsedNanos) -> bool {
        self.at < instant
    }
}

impl ResponseStamp {
    pub(crate) fn at(stamp: ReadStamp) -> Self {
        Self {
            generation: AtomicU64::new(stamp.generation),
            at: AtomicU64::new(stamp.at.0),
        }
    }

    /// It holds for this state, too. Each of both numbers is true by itself, so readers may see one without the other.
    pub(crate) fn also_at(&self, stamp: ReadStamp) {
        self.generation
            .fetch_max(stamp.generation, Ordering::AcqRel);
        self.at.fetch_max(stamp.at.0, Ordering::AcqRel);
    }
}

/// See [`Changes::changed_on_drop`].
pub(crate) struct ChangedOnDrop<'a> {
    changes: &'a Changes,
    id: PostId,
}

impl Drop for ChangedOnDrop<'_> {
    fn drop(&mut self) {
        self.changes.changed(self.id);
    }
}

/// An instant, in nanoseconds since the [`Changes`] were made, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ElapsedNanos(u64);

impl ElapsedNanos {
    /// Before all others.
    pub(super) const FIRST: Self = Self(0);

    pub(super) fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(nanos(time)))
    }
}

/// Later than every other instant.
const NEVER: u64 = u64::MAX;

impl SharedChanges {
    fn now(&self) -> ElapsedNanos {
        self.elapsed_at(now())
    }

    fn elapsed_at(&self, at: Instant) -> ElapsedNanos {
        ElapsedNanos(nanos(at.saturating_duration_since(self.epoch)).saturating_add(1))
    }

    /// Whether a result that was requested at `requested_at` may be returned to a read that begins `now`. The result
    /// must be newer than `last_read_at`: the same instant is not enough.
    fn is_valid_for(
        &self,
        requested_at: ElapsedNanos,
        last_read_at: ElapsedNanos,
        now: ElapsedNanos,
    ) -> bool {
        // In this order: a read that sees a confirmation also sees the reset before it, and confirms
        // nothing from before a gap.
        let confirmed_until = self.confirmed_until.load(Ordering::Acquire);
        let known_to_hold_at = if self.can_be_confirmed(requested_at) {
            requested_at.0.max(confirmed_until)
        } else {
            requested_at.0
        };
        known_to_hold_at > last_read_at.0 && known_to_hold_at.saturating_add(self.bound) > now.0
    }

    /// Whether a confirmation extends the use of what the store was asked for at `requested_at`.
    fn can_be_confirmed(&self, requested_at: ElapsedNanos) -> bool {
        requested_at.0 > self.notified_since.load(Ordering::Acquire)
    }

    fn reset(&self) {
        self.notified_since.store(self.now().0, Ordering::Release);
    }

    fn confirm(&self, at: ElapsedNanos) {
        self.confirmed_until.fetch_max(at.0, Ordering::Release);
    }
}

/// Tokio's clock is the system's, and can be stopped by tests.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
