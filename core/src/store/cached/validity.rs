//! How long what was read may be used.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An instant, in nanoseconds since the cache was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(u64);

/// Up to which age answers are used, and what is known to have been heard of.
#[derive(Debug)]
pub(super) struct Validity {
    made: Instant,
    bound: u64,
    /// Since when changes are heard of without a gap.
    listening_since: AtomicU64,
    /// Up to when all changes were heard of.
    confirmed_until: AtomicU64,
}

/// No instant comes after it.
const NEVER: u64 = u64::MAX;

impl Validity {
    pub(super) fn new(bound: Duration) -> Self {
        Self {
            made: now(),
            bound: nanos(bound),
            listening_since: AtomicU64::new(NEVER),
            confirmed_until: AtomicU64::new(0),
        }
    }

    /// Whether no answer may ever be used again.
    pub(super) fn is_nil(&self) -> bool {
        self.bound == 0
    }

    pub(super) fn now(&self) -> Moment {
        self.moment(now())
    }

    fn moment(&self, at: Instant) -> Moment {
        Moment(nanos(at.saturating_duration_since(self.made)))
    }

    /// Whether what the store was asked for at `asked_at` may answer a read that begins `now`.
    pub(super) fn holds(&self, asked_at: Moment, now: Moment) -> bool {
        // In this order: whoever sees that something was heard sees since when there was listening
        // for it, and renews nothing from before a gap.
        let confirmed_until = self.confirmed_until.load(Ordering::Acquire);
        let listening_since = self.listening_since.load(Ordering::Acquire);
        let known_to_hold_at = if asked_at.0 > listening_since {
            asked_at.0.max(confirmed_until)
        } else {
            asked_at.0
        };
        known_to_hold_at.saturating_add(self.bound) > now.0
    }

    pub(super) fn reset(&self) {
        self.listening_since.store(self.now().0, Ordering::Release);
    }

    pub(super) fn confirm_until(&self, at: Instant) {
        self.confirmed_until
            .fetch_max(self.moment(at).0, Ordering::Release);
    }
}

/// Tokio's clock is the system's, and can be stopped by tests.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(NEVER)
}
