//! The two forms of the tests: the short one of the suite, and the long one of `tests/faults.sh`.

use std::time::Duration;

pub(crate) struct Form {
    /// The number of clients that write at the same time.
    pub(crate) clients: u64,
    /// Changes that must be acknowledged before a fault, and again after it.
    pub(crate) load: u64,
    /// How often instances are killed.
    pub(crate) kills: u32,
    /// How often other short faults happen.
    pub(crate) rounds: u32,
    /// How often the primary is killed.
    pub(crate) failovers: u32,
    /// The minimum duration of long faults.
    pub(crate) lasting: Duration,
}

pub(crate) fn form() -> Form {
    let kills = |default| {
        std::env::var("HANDBILL_KILLS").map_or(default, |kills| {
            kills.parse().expect("HANDBILL_KILLS is a number")
        })
    };
    if std::env::var_os("HANDBILL_FAULTS").is_some_and(|form| form == "long") {
        return Form {
            clients: 32,
            load: 2_000,
            kills: kills(100),
            rounds: 10,
            failovers: 3,
            lasting: Duration::from_secs(60),
        };
    }
    Form {
        clients: 8,
        load: 100,
        kills: kills(3),
        rounds: 2,
        failovers: 1,
        lasting: Duration::ZERO,
    }
}
