//! Dates as people and site generators write them.

use handbill::Timestamp;
use jiff::civil::{Date, DateTime, date};
use jiff::fmt::{rfc2822, temporal::Pieces};
use jiff::tz::TimeZone;

/// Parses a date, with or without a time and an offset. Without an offset, it is in UTC. Hugo and Jekyll
/// write RFC 3339, `2024-01-02 03:04:05 +0200`, the same without an offset or seconds, and dates alone; Hugo
/// also reads RFC 2822.
pub(crate) fn parse(text: &str) -> Result<Timestamp, String> {
    timestamp(instant(text)?)
}

/// The instant as the time of a post.
pub(crate) fn timestamp(instant: jiff::Timestamp) -> Result<Timestamp, String> {
    let timestamp = Timestamp::from_micros(instant.as_microsecond());
    // Another one is returned for times out of bounds.
    match timestamp.as_micros() == instant.as_microsecond() {
        true => Ok(timestamp),
        false => Err(format!("{instant} is not in the years 1970 to 9998")),
    }
}

/// Parses a date of any year, as [`parse`] does.
pub(crate) fn instant(text: &str) -> Result<jiff::Timestamp, String> {
    let text = text.trim();
    try_instant(text).ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        format!("“{shown}” is not a date, such as 2026-11-20 or 2026-11-20T10:00:00Z")
    })
}

fn try_instant(text: &str) -> Option<jiff::Timestamp> {
    let joined = without_space_before_offset(text);
    if let Ok(instant) = joined.parse() {
        return Some(instant);
    }
    if is_in_last_days(&joined) {
        return Some(jiff::Timestamp::MAX);
    }
    let local = text.parse::<DateTime>().ok();
    let local = local.or_else(|| Some(text.parse::<Date>().ok()?.into()));
    match local {
        // A date with an offset that is not valid must not lose the offset.
        Some(local) if !has_offset(text) => Some(local.to_zoned(TimeZone::UTC).ok()?.timestamp()),
        _ => rfc2822::DateTimeParser::new().parse_timestamp(text).ok(),
    }
}

/// Whether this is one of the last two days of 9999. They stand for "never", and are not all instants in UTC.
fn is_in_last_days(text: &str) -> bool {
    Pieces::parse(text).is_ok_and(|pieces| pieces.date() >= date(9999, 12, 30))
}

/// `2024-01-02 03:04:05 +0200` is `2024-01-02 03:04:05+0200`. Go adds the name of the zone.
fn without_space_before_offset(text: &str) -> String {
    let mut words = text.split_whitespace();
    let (Some(date), Some(time), Some(offset)) = (words.next(), words.next(), words.next()) else {
        return text.to_owned();
    };
    let is_zone_name = |word: &str| word.chars().all(|letter| letter.is_ascii_uppercase());
    if !words.all(is_zone_name) {
        return text.to_owned();
    }
    match offset {
        "UTC" | "GMT" => format!("{date} {time}Z"),
        offset => format!("{date} {time}{offset}"),
    }
}

fn has_offset(text: &str) -> bool {
    let time = text.get(10..).unwrap_or_default();
    time.contains(['+', '-', 'Z', 'z', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_forms_of_hugo_and_jekyll() {
        for (text, expected) in [
            ("2024-01-02", "2024-01-02T00:00:00.000Z"),
            ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05.000Z"),
            ("2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05.678Z"),
            ("2024-01-02T03:04:05+02:00", "2024-01-02T01:04:05.000Z"),
            ("2024-01-02T03:04:05+0200", "2024-01-02T01:04:05.000Z"),
            ("2024-01-02t03:04:05z", "2024-01-02T03:04:05.000Z"),
            ("2024-01-02T03:04:05", "2024-01-02T03:04:05.000Z"),
            ("2024-01-02T03:04", "2024-01-02T03:04:00.000Z"),
            ("2024-01-02 03:04:05", "2024-01-02T03:04:05.000Z"),
            ("2024-01-02 03:04", "2024-01-02T03:04:00.000Z"),
            ("2024-01-02 03:04:05Z", "2024-01-02T03:04:05.000Z"),
            ("2024-01-02 03:04:05 +0200", "2024-01-02T01:04:05.000Z"),
            ("2024-01-02 03:04:05 -07:00", "2024-01-02T10:04:05.000Z"),
            (
                "2024-01-02 03:04:05.5 -0700 MST",
                "2024-01-02T10:04:05.500Z",
            ),
            ("2024-01-02 03:04 +0200", "2024-01-02T01:04:00.000Z"),
            ("2024-01-02 03:04:05 UTC", "2024-01-02T03:04:05.000Z"),
            ("2024-01-02 03:04:05 +0000 UTC", "2024-01-02T03:04:05.000Z"),
            (" 2024-01-02\n", "2024-01-02T00:00:00.000Z"),
            (
                "Tue, 02 Jan 2024 03:04:05 +0200",
                "2024-01-02T01:04:05.000Z",
            ),
            ("2 Jan 2024 03:04:05 GMT", "2024-01-02T03:04:05.000Z"),
            ("1970-01-01", "1970-01-01T00:00:00.000Z"),
        ] {
            let parsed = parse(text).map(Timestamp::to_rfc3339);
            assert_eq!(parsed.as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_end_of_9999_is_later_than_every_other_date() {
        for text in ["9999-12-31", "9999-12-31 23:59:59", "9999-12-31T23:59:59Z"] {
            assert_eq!(instant(text), Ok(jiff::Timestamp::MAX), "{text}");
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(instant("9999-12-32").is_err());
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in [
            "",
            "soon",
            "2024",
            "2024-13-01",
            "2024-02-30",
            "02/01/2024",
            "07:32:00",
            "2024-01-02 25:00:00",
            "2024-01-02 03:04:05 +9900",
            "2024-01-02 03:04:05 someday",
            "1969-12-31",
            "-9999-01-01",
            "99999-01-01",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
