//! Periods of time that a list is limited to.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;

use super::{ParseError, Timestamp};

/// The posts of a list from an instant on, and before another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) from: Option<Timestamp>,
    pub(crate) before: Option<Timestamp>,
}

/// A month of the calendar, in UTC. It is written as `2026-11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Month {
    first_day: Date,
}

impl Period {
    pub(crate) const ALL: Self = Self {
        from: None,
        before: None,
    };

    pub(crate) fn contains(&self, time: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= time) && self.before.is_none_or(|before| time < before)
    }
}

#[cfg(feature = "pages")]
impl Month {
    /// The month that contains an instant.
    pub(crate) fn of(time: Timestamp) -> Self {
        let first_day = time.to_date().first_of_month();
        Self { first_day }
    }

    /// The first instant of the month.
    pub(crate) fn start(self) -> Timestamp {
        let start = self.first_day.to_zoned(jiff::tz::TimeZone::UTC);
        Timestamp::from_micros(start.map_or(i64::MAX, |start| start.timestamp().as_microsecond()))
    }

    pub(crate) fn next(self) -> Self {
        let first_day = self.first_day.saturating_add(jiff::Span::new().months(1));
        Self { first_day }
    }

    pub(crate) fn period(self) -> Period {
        Period {
            from: Some(self.start()),
            before: Some(self.next().start()),
        }
    }
}

impl FromStr for Month {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let day = (text.len() == 7).then(|| format!("{text}-01").parse().ok());
        match day.flatten() {
            Some(first_day) => Ok(Self { first_day }),
            None => Err(ParseError::new("a month is written as 2026-11")),
        }
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:04}-{:02}",
            self.first_day.year(),
            self.first_day.month()
        )
    }
}

#[cfg(feature = "pages")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_from_its_first_instant_to_that_of_the_next() {
        for (text, start, end) in [
            ("2026-11", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"),
            ("2024-02", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"),
            ("1999-12", "1999-12-01T00:00:00Z", "2000-01-01T00:00:00Z"),
        ] {
            let month: Month = text.parse().unwrap();
            assert_eq!(month.to_string(), text);
            let [start, end] = [start, end].map(|time| time.parse().unwrap());
            assert_eq!((month.start(), month.next().start()), (start, end));
            assert_eq!(Month::of(start), month);
            assert!(month.period().contains(start) && !month.period().contains(end));
        }
        for text in [
            "",
            "2026",
            "2026-13",
            "2026-00",
            "2026-1",
            "2026-11-01",
            "11-2026",
            "+026-11",
            "2026:11",
        ] {
            assert!(text.parse::<Month>().is_err(), "{text}");
        }
    }
}
