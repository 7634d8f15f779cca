//! How much is measured, and for how long.

use std::time::Duration;

/// The size of a run.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    /// Posts that are written before anything is deleted.
    pub(crate) posts: u64,
    /// How often each subject has its turn.
    pub(crate) rounds: usize,
    /// Load before the first round, which is not measured.
    pub(crate) warm_up: Duration,
    /// How long a subject is under load in each round.
    pub(crate) window: Duration,
    /// The same where latencies are measured: the 99th percentile needs many requests.
    pub(crate) latency_window: Duration,
    /// How long the program is under load before its memory is read.
    pub(crate) memory_window: Duration,
    /// How long a client is measured alone and beside each kind of hostile clients.
    pub(crate) hostile_window: Duration,
    /// Requests that one client sends in a row where the time of each is taken.
    pub(crate) timed_requests: usize,
    /// How often the program is started.
    pub(crate) starts: usize,
}

impl Plan {
    /// A run whose figures count.
    pub(crate) const FULL: Self = Self {
        posts: 1_000_000,
        rounds: 5,
        warm_up: Duration::from_millis(300),
        window: Duration::from_millis(800),
        latency_window: Duration::from_secs(2),
        memory_window: Duration::from_secs(4),
        hostile_window: Duration::from_secs(4),
        timed_requests: 2_000,
        starts: 5,
    };

    /// A run that shows that everything works. Its figures mean nothing.
    pub(crate) const QUICK: Self = Self {
        posts: 20_000,
        rounds: 3,
        warm_up: Duration::from_millis(20),
        window: Duration::from_millis(50),
        latency_window: Duration::from_millis(100),
        memory_window: Duration::from_millis(200),
        hostile_window: Duration::from_millis(200),
        timed_requests: 100,
        starts: 3,
    };

    /// `a million` or another number of posts, for a sentence.
    pub(crate) fn posts_in_words(&self) -> String {
        match self.posts {
            1_000_000 => "a million".to_owned(),
            posts => posts.to_string(),
        }
    }
}
