//! The counts of the whole fleet.

use std::time::{Duration, Instant};

/// How many faults of the service are described.
const MOST_WORDS: usize = 10;

#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Acknowledged changes, per instance.
    pub(crate) acknowledged: Vec<u64>,
    /// Successful reads, per instance.
    pub(crate) read: Vec<u64>,
    /// Requests with the response 503, per instance.
    pub(crate) refused: Vec<u64>,
    /// Requests whose connection ended before the response did.
    pub(crate) cut: u64,
    /// The longest time until a response.
    pub(crate) slowest: Duration,
    /// The longest time without an acknowledged change.
    pub(crate) longest_silence: Duration,
    last_acknowledged: Instant,
    /// Acknowledged, but missing or older when it was read.
    pub(crate) lost: u64,
    /// Present more than once, or never requested.
    pub(crate) doubled: u64,
    /// Responses that are never right.
    pub(crate) wrong: u64,
    /// Descriptions of what was lost, doubled or wrong.
    pub(crate) words: Vec<String>,
}

impl Tally {
    pub(crate) fn new(instances: usize) -> Self {
        Self {
            acknowledged: vec![0; instances],
            read: vec![0; instances],
            refused: vec![0; instances],
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

    /// The fleet starts again; its pause before that does not count.
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
