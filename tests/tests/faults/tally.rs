//! What the fleet counts, all clients together.

use std::time::{Duration, Instant};

use super::instances::INSTANCES;

/// Faults of the service are kept in words, as many as anyone reads.
const MOST_WORDS: usize = 10;

#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Changes acknowledged, by instance.
    pub(crate) acknowledged: [u64; INSTANCES],
    /// Reads answered with what was asked for, by instance.
    pub(crate) read: [u64; INSTANCES],
    /// Requests answered with 503, by instance.
    pub(crate) refused: [u64; INSTANCES],
    /// Requests whose connection ended before the answer came.
    pub(crate) cut: u64,
    /// The longest that any answer took.
    pub(crate) slowest: Duration,
    /// The longest time without a change acknowledged.
    pub(crate) longest_silence: Duration,
    last_acknowledged: Instant,
    /// Acknowledged, and not there (or older) when it was looked for.
    pub(crate) lost: u64,
    /// There more than once, or without anyone having asked for it.
    pub(crate) doubled: u64,
    /// Answers that are never right.
    pub(crate) wrong: u64,
    /// What was lost, doubled and wrong, in words.
    pub(crate) words: Vec<String>,
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self {
            acknowledged: [0; INSTANCES],
            read: [0; INSTANCES],
            refused: [0; INSTANCES],
            cut: 0,
            slowest: Duration::ZERO,
            longest_silence: Duration::ZERO,
            last_acknowledged: Instant::now(),
            lost: 0,
            doubled: 0,
            wrong: 0,
            words: Vec::new(),
        }
    }

    pub(crate) fn acknowledge(&mut self, instance: usize) {
        self.acknowledged[instance] += 1;
        let silence = self.last_acknowledged.elapsed();
        self.longest_silence = self.longest_silence.max(silence);
        self.last_acknowledged = Instant::now();
    }

    /// The fleet begins anew: that it was silent before is nobody's fault.
    pub(crate) fn begin(&mut self) {
        self.last_acknowledged = Instant::now();
    }

    pub(crate) fn lose(&mut self, words: String) {
        self.lost += 1;
        self.say(words);
    }

    pub(crate) fn double(&mut self, words: String) {
        self.doubled += 1;
        self.say(words);
    }

    pub(crate) fn go_wrong(&mut self, words: String) {
        self.wrong += 1;
        self.say(words);
    }

    fn say(&mut self, words: String) {
        if self.words.len() < MOST_WORDS {
            self.words.push(words);
        }
    }

    pub(crate) fn is_faultless(&self) -> bool {
        (self.lost, self.doubled, self.wrong) == (0, 0, 0)
    }
}
