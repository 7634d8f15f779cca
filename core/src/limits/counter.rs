//! Counting against a rate, for each client, key or post.

use std::convert::Infallible;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;

use crate::limits::rate::Rate;
use crate::post::time::nanos;
use crate::problem::{Code, Problem};

/// The maximum number of keys. Beyond it, the least used are forgotten, so memory is bounded whatever the number
/// of clients: about 120 bytes for each.
const MAX_KEYS: usize = 65_536;

/// Counts by the generic cell rate algorithm (GCRA): what is stored of a key is the time when all of its burst will be
/// free again. Each request or byte moves that time by the interval at which the rate allows them, and is refused if it
/// would be further away than the burst reaches.
pub(crate) struct Counter<K> {
    limit: Option<CounterRate>,
    epoch: Instant,
    free_at: Cache<K, Arc<AtomicU64>>,
}

/// All times are in nanoseconds, those of keys since the counter was made.
#[derive(Clone, Copy)]
struct CounterRate {
    interval: u64,
    burst: u64,
}

impl<K: Clone + Eq + Hash> Counter<K> {
    /// Without a rate, everything is allowed.
    pub(crate) fn new(rate: Option<Rate>) -> Self {
        let limit = rate.map(|rate| {
            let interval = nanos(rate.period / rate.times.get()).max(1);
            let burst = interval.saturating_mul(rate.burst.get().into());
            CounterRate { interval, burst }
        });
        Self {
            limit,
            epoch: Instant::now(),
            free_at: Cache::new(MAX_KEYS),
        }
    }

    /// Counts one request.
    pub(crate) fn count(&self, key: &K) -> Result<(), Problem> {
        self.take_one(key, true)
    }

    /// Counts a number of bytes: if they are too many, none of them.
    pub(crate) fn count_bytes(&self, key: &K, bytes: usize) -> Result<(), Problem> {
        if bytes == 0 {
            return Ok(());
        }
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.take(key, bytes, true).map_err(too_many)
    }

    /// Takes one, or with `counts` false asks whether there is one.
    pub(super) fn take_one(&self, key: &K, counts: bool) -> Result<(), Problem> {
        self.take(key, 1, counts).map_err(too_many)
    }

    /// An error says how long to wait.
    fn take(&self, key: &K, number: u64, counts: bool) -> Result<(), Duration> {
        let Some(CounterRate { interval, burst }) = self.limit else {
            return Ok(());
        };
        let taken = interval.saturating_mul(number);
        if taken > burst {
            // They are more than the rate ever allows at once.
            return Err(Duration::from_nanos(burst));
        }
        let now = nanos(self.epoch.elapsed());
        let until = |free_at: u64| free_at.max(now).saturating_add(taken);
        let latest = now.saturating_add(burst);
        let Ok(free_at) = self
            .free_at
            .get_or_insert_with(key, || Ok::<_, Infallible>(Arc::default()));
        let outcome = free_at.fetch_update(Ordering::AcqRel, Ordering::Acquire, |free_at| {
            let allowed = until(free_at) <= latest;
            allowed.then(|| if counts { until(free_at) } else { free_at })
        });
        let wait = |free_at| Duration::from_nanos(until(free_at) - latest);
        outcome.map(drop).map_err(wait)
    }
}

fn too_many(wait: Duration) -> Problem {
    let detail = "Wait for the number of seconds in Retry-After, then try again.";
    Problem::new(Code::TooManyRequests, detail).with_retry_after(wait)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn take(counter: &Counter<usize>, key: usize, number: u64) -> Result<(), Duration> {
        counter.take(&key, number, true)
    }

    fn per_minute(times: u32, burst: u32) -> Counter<usize> {
        let [times, burst] = [times, burst].map(|number| NonZeroU32::new(number).unwrap());
        let rate = Rate::new(times, Duration::from_secs(60)).with_burst(burst);
        Counter::new(Some(rate))
    }

    #[test]
    fn a_burst_is_allowed_at_once_and_then_one_at_a_time() {
        let counter = per_minute(60, 3);
        for _ in 0..3 {
            assert_eq!(take(&counter, 1, 1), Ok(()));
        }
        let wait = take(&counter, 1, 1).unwrap_err();
        assert!(wait <= Duration::from_secs(1), "{wait:?}");
        let wait = take(&counter, 1, 3).unwrap_err();
        assert!(wait > Duration::from_secs(2), "{wait:?}");
        assert_eq!(take(&counter, 2, 3), Ok(()));
        assert_eq!(take(&counter, 3, 4), Err(Duration::from_secs(3)));
        assert_eq!(take(&counter, 3, 3), Ok(()));
    }

    #[test]
    fn a_counter_holds_a_bounded_number_of_keys() {
        let counter = per_minute(1, 1);
        for key in 0..2 * MAX_KEYS {
            assert_eq!(take(&counter, key, 1), Ok(()));
        }
        assert!(
            take(&counter, 2 * MAX_KEYS - 1, 1).is_err(),
            "recent keys are counted"
        );
        let held = counter.free_at.len();
        assert!(held <= MAX_KEYS, "{held} are held");
    }
}
