//! How long a cached value may be used.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An instant, in nanoseconds since a value was made, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(super) u64);

impl Moment {
    /// Before all others.
    pub(super) const FIRST: Self = Self(0);

    pub(super) fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(nanos(time)))
    }
}

/// The maximum age of a cache entry, and the time up to which all change notifications were received.
#[derive(Debug)]
pub(super) struct Validity {
    epoch: Instant,
    bound: u64,
    /// Since when every change is notified, without a gap.
    notified_since: AtomicU64,
    /// Up to when all changes were notified.
    confirmed_until: AtomicU64,
}

/// Later than every other moment.
const NEVER: u64 = u64::MAX;

impl Validity {
    pub(super) fn new(bound: Duration) -> Self {
        Self {
            epoch: now(),
            bound: nanos(bound),
            notified_since: AtomicU64::new(NEVER),
            confirmed_until: AtomicU64::new(0),
        }
    }

    pub(super) fn now(&self) -> Moment {
        self.moment(now())
    }

    fn moment(&self, at: Instant) -> Moment {
        Moment(nanos(at.saturating_duration_since(self.epoch)).saturating_add(1))
    }

    /// Whether what the store was asked for at `requested_at` may be returned to a read that begins `now`, and must
    /// not be from before `since` ended, which is why the same moment is not enough.
    pub(super) fn is_valid_for(&self, requested_at: Moment, since: Moment, now: Moment) -> bool {
        // In this order: a read that sees a confirmation also sees the reset before it, and confirms
        // nothing from before a gap.
        let confirmed_until = self.confirmed_until.load(Ordering::Acquire);
        let known_to_hold_at = if self.can_be_confirmed(requested_at) {
            requested_at.0.max(confirmed_until)
        } else {
            requested_at.0
        };
        known_to_hold_at > since.0 && known_to_hold_at.saturating_add(self.bound) > now.0
    }

    /// Whether a confirmation extends the use of what the store was asked for at `requested_at`.
    pub(super) fn can_be_confirmed(&self, requested_at: Moment) -> bool {
        requested_at.0 > self.notified_since.load(Ordering::Acquire)
    }

    pub(super) fn reset(&self) {
        self.notified_since.store(self.now().0, Ordering::Release);
    }

    pub(super) fn confirm_until(&self, at: Instant) {
        self.confirm(self.moment(at));
    }

    pub(super) fn confirm(&self, at: Moment) {
        self.confirmed_until.fetch_max(at.0, Ordering::Release);
    }
}

/// Tokio's clock is the system's, and can be stopped by tests.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(NEVER)
}
