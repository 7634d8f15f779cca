//! The counters and queues that the pages alone have.

use crate::limits::queue::{MAX_REQUESTS, Queue};
use crate::limits::rate::RateLimits;
use crate::limits::rate_limiter::{ClientCounter, RateLimiter, Requester};
use crate::post::PostId;
use crate::problem::Problem;

/// How many forms of one client wait to be merged. Each holds a form and two states of its post: 2 MB at most.
const MAX_CONFLICTS: usize = 4;

pub(crate) struct PageQueues {
    /// Forms of posts that another user has changed since the form was opened.
    pub(crate) conflicts: Queue,
    /// Each feed has up to 2 MiB of HTML.
    pub(crate) feeds: Queue,
    /// Each file has up to 50,000 addresses, for which a store is asked 50 times.
    pub(crate) sitemaps: Queue,
}

impl Default for PageQueues {
    fn default() -> Self {
        Self {
            conflicts: Queue::new(1, MAX_CONFLICTS),
            feeds: Queue::new(1, MAX_REQUESTS),
            sitemaps: Queue::new(1, MAX_REQUESTS),
        }
    }
}

pub(crate) struct PageCounters {
    /// The limits that the documents show.
    pub(crate) limits: RateLimits,
    /// Posts that visitors of `/write` want to publish without an API key.
    pub(crate) creations: ClientCounter,
    pub(crate) previews: ClientCounter,
    /// Edit pages that are opened, which renders the post as a preview does.
    pub(crate) edit_pages: ClientCounter,
}

impl PageCounters {
    pub(super) fn new(limits: RateLimits) -> Self {
        Self {
            creations: ClientCounter::new(limits.creations),
            previews: ClientCounter::new(limits.previews),
            edit_pages: ClientCounter::new(limits.previews),
            limits,
        }
    }
}

impl ClientCounter {
    /// Refuses a requester that has none left. Counts nothing.
    pub(crate) fn ask(&self, requester: Requester<'_>) -> Result<(), Problem> {
        self.take(requester, false)
    }
}

impl RateLimiter {
    /// Refuses a requester that may neither change a post nor preview one now. Counts nothing.
    pub(crate) fn allow_change_or_preview(
        &self,
        post: PostId,
        requester: Requester<'_>,
    ) -> Result<(), Problem> {
        let preview = self.pages.previews.ask(requester);
        preview.or_else(|_| self.changes.take_one(&post, false))
    }
}
