//! How far a server has come: a position in a history.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Positions that are remembered until a replica has come to them: one a second for an hour.
const MOST_REMEMBERED: usize = 3600;

/// A place in the log that a primary writes and its standbys replay, counted in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LogPosition(u64);

impl LogPosition {
    /// Reads what PostgreSQL shows: the upper and the lower 32 bits in hexadecimal digits, `16/B374D848`.
    pub(super) fn parse(shown: &str) -> Option<Self> {
        let (upper, lower) = shown.split_once('/')?;
        let upper = u32::from_str_radix(upper, 16).ok()?;
        let lower = u32::from_str_radix(lower, 16).ok()?;
        Some(Self(u64::from(upper) << 32 | u64::from(lower)))
    }

    /// How many bytes it is behind another one.
    pub(super) fn bytes_behind(self, other: Self) -> u64 {
        other.0.saturating_sub(self.0)
    }
}

/// How far a server has come, and in which history.
///
/// Positions of two histories say nothing about each other: after a standby was promoted, the old
/// primary or a standby that still follows it may have come further than the new one, by what is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// The mark that an instance left in the history, at random.
    pub(super) history: i64,
    pub(super) log: LogPosition,
}

impl Position {
    /// Whether all that is in the other one is in this.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.history == other.history && self.log >= other.log
    }
}

/// How long a replica is behind: since when the primary has been seen at positions that the replica
/// has not come to.
///
/// (The time of the last transaction replayed, which a standby knows, says nothing while nobody
/// writes, and too little where the log comes late.)
#[derive(Debug, Default)]
pub(super) struct Lag {
    ahead: VecDeque<(Position, Instant)>,
}

impl Lag {
    /// The primary was at this position, no later than this.
    pub(super) fn primary_at(&mut self, position: Position, at: Instant) {
        let news = match self.ahead.back() {
            None => true,
            Some((last, _)) if last.history != position.history => {
                self.ahead.clear();
                true
            }
            Some((last, _)) => position.log > last.log,
        };
        // What came first tells the most.
        if news && self.ahead.len() < MOST_REMEMBERED {
            self.ahead.push_back((position, at));
        }
    }

    /// The replica has come to this position.
    pub(super) fn replica_at(&mut self, position: Position) {
        while let Some((first, _)) = self.ahead.front()
            && position.covers(first)
        {
            self.ahead.pop_front();
        }
    }

    pub(super) fn at(&self, now: Instant) -> Duration {
        let since = self.ahead.front().map(|(_, since)| *since);
        since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(history: i64, shown: &str) -> Position {
        Position {
            history,
            log: LogPosition::parse(shown).unwrap(),
        }
    }

    #[test]
    fn positions_are_read_and_ordered_as_numbers() {
        let positions = [
            "0/0",
            "0/9",
            "0/10",
            "0/FFFFFFFF",
            "1/0",
            "9/1",
            "10/0",
            "FFFFFFFF/FFFFFFFF",
        ];
        let parsed = positions.map(|shown| LogPosition::parse(shown).unwrap());
        assert!(parsed.is_sorted());
        assert_eq!(parsed[7], LogPosition(u64::MAX));
        assert_eq!(parsed[2].bytes_behind(parsed[4]), 0xffff_fff0);
        assert_eq!(parsed[4].bytes_behind(parsed[2]), 0);
        for shown in [
            "",
            "0",
            "/",
            "0/",
            "/0",
            "0/0/0",
            "0/G",
            "-1/0",
            "100000000/0",
            "0/ 1",
        ] {
            assert_eq!(LogPosition::parse(shown), None, "{shown:?}");
        }
    }

    #[test]
    fn a_position_covers_what_is_before_it_in_its_own_history() {
        assert!(at(1, "0/20").covers(&at(1, "0/20")));
        assert!(at(1, "1/0").covers(&at(1, "0/20")));
        assert!(!at(1, "0/1F").covers(&at(1, "0/20")));
        assert!(!at(2, "1/0").covers(&at(1, "0/20")));
    }

    #[test]
    fn lag_begins_when_the_primary_was_first_seen_ahead() {
        let start = Instant::now();
        let second = |number| start + Duration::from_secs(number);
        let mut lag = Lag::default();
        assert_eq!(lag.at(second(9)), Duration::ZERO);
        lag.primary_at(at(1, "0/10"), second(0));
        lag.primary_at(at(1, "0/10"), second(1));
        lag.primary_at(at(1, "0/20"), second(2));
        assert_eq!(lag.at(second(3)), Duration::from_secs(3));
        lag.replica_at(at(1, "0/18"));
        assert_eq!(lag.at(second(3)), Duration::from_secs(1));
        lag.replica_at(at(1, "0/20"));
        assert_eq!(lag.at(second(3)), Duration::ZERO);
    }

    #[test]
    fn another_history_begins_anew() {
        let now = Instant::now();
        let mut lag = Lag::default();
        lag.primary_at(at(1, "0/10"), now);
        lag.replica_at(at(2, "9/0"));
        let later = now + Duration::from_secs(1);
        assert_eq!(lag.at(later), Duration::from_secs(1));
        lag.primary_at(at(2, "0/8"), later);
        assert_eq!(lag.at(later), Duration::ZERO);
        lag.replica_at(at(2, "0/8"));
        assert_eq!(lag.at(later + Duration::from_secs(1)), Duration::ZERO);
    }
}
