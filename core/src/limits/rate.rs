//! Rate limits, as the host sets them.

use std::num::NonZeroU32;
use std::time::Duration;

const MEBIBYTE: u32 = 1024 * 1024;

/// A number of requests or bytes per period, and how many of them may arrive at once.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use handbill::Rate;
///
/// // 60 requests per minute: after 10 at once, one per second.
/// let [times, burst] = [60, 10].map(|n| NonZeroU32::new(n).expect("not zero"));
/// let rate = Rate::new(times, Duration::from_secs(60)).with_burst(burst);
/// assert_eq!(rate.burst.get(), 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rate {
    /// The number of requests, or of bytes, per period.
    pub times: NonZeroU32,
    /// The period. Zero counts as one nanosecond.
    pub period: Duration,
    /// How many requests or bytes may arrive at once.
    pub burst: NonZeroU32,
}

impl Rate {
    /// Allows `times` requests or bytes per period. All of them may arrive at once.
    pub const fn new(times: NonZeroU32, period: Duration) -> Self {
        Self {
            times,
            period,
            burst: times,
        }
    }

    /// Sets how many requests or bytes may arrive at once.
    #[must_use]
    pub const fn with_burst(self, burst: NonZeroU32) -> Self {
        Self { burst, ..self }
    }

    pub(crate) const fn saturating_mul(self, factor: NonZeroU32) -> Self {
        Self {
            times: self.times.saturating_mul(factor),
            burst: self.burst.saturating_mul(factor),
            ..self
        }
    }
}

/// The rate limits of the service. `None` means no limit. A request above a limit gets 429 with
/// `Retry-After`.
///
/// A client address is an IPv4 address or an IPv6 network of 64 bits (/64). All networks of an IPv6 /48
/// together have 16 times the limit of one.
///
/// The counters are in memory: each instance of the service has its own, and they start again with the
/// process. Each counter has room for 65,536 networks, keys or posts and then forgets the least used.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use handbill::{Rate, RateLimits};
///
/// let mut rates = RateLimits::default();
/// rates.creations = NonZeroU32::new(5).map(|times| Rate::new(times, Duration::from_secs(3600)));
/// rates.key_requests = None;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimits {
    /// Created posts per API key; on `/write` without a key, per client address. Default: 60 per minute, 30
    /// at once.
    pub creations: Option<Rate>,
    /// Requests for API keys, and posts on `/write` without a key, per client address. Default: 10 per
    /// hour.
    pub key_requests: Option<Rate>,
    /// Wrong API keys and edit tokens per client address. Default: 30 per minute.
    pub wrong_credentials: Option<Rate>,
    /// Changes per post: updates, deletions and replaced edit tokens, over the API and the edit page. A
    /// request counts once its credential is accepted, even if it then fails. Default: 120 per minute.
    pub changes: Option<Rate>,
    /// Previews on `/write` and the edit page per client address, and as many openings of edit pages. Default: 60 per
    /// minute.
    pub previews: Option<Rate>,
    /// Searches of lists, over the API and on pages, per client address. Default: 30 per minute.
    pub searches: Option<Rate>,
    /// Bytes of text (title, body, tags, focus keyword, author and language, in UTF-8) per API key or owner: all of
    /// each post that they create, and by how many bytes each update of such a post makes it longer. A repeated
    /// creation counts again. Posts of guests without a key do not count. Default: 50 MiB per day.
    pub stored_bytes: Option<Rate>,
}

impl Default for RateLimits {
    fn default() -> Self {
        fn rate(times: u32, seconds: u64, burst: u32) -> Option<Rate> {
            let rate = Rate::new(NonZeroU32::new(times)?, Duration::from_secs(seconds));
            Some(rate.with_burst(NonZeroU32::new(burst)?))
        }
        Self {
            creations: rate(60, 60, 30),
            key_requests: rate(10, 3600, 10),
            wrong_credentials: rate(30, 60, 30),
            changes: rate(120, 60, 120),
            previews: rate(60, 60, 60),
            searches: rate(30, 60, 30),
            stored_bytes: rate(50 * MEBIBYTE, 86_400, 50 * MEBIBYTE),
        }
    }
}

impl RateLimits {
    /// No limits.
    pub const fn off() -> Self {
        Self {
            creations: None,
            key_requests: None,
            wrong_credentials: None,
            changes: None,
            previews: None,
            searches: None,
            stored_bytes: None,
        }
    }
}
