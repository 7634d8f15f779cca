//! Dates as people and site generators write them.

use handbill::Timestamp;
use jiff::civil::date;
use jiff::fmt::{rfc2822, strtime::BrokenDownTime, temporal::Pieces};
use jiff::tz::TimeZone;

/// Parses a date, with or without a time and an offset. Without an offset, it is in UTC. It may be written as YAML 1.1,
/// Jekyll and Hugo read it: in digits, as in `2024-1-2 3:04 +0200`, as in RFC 2822, or with the name of the month.
pub(crate) fn parse(text: &str) -> Result<Timestamp, String> {
    timestamp(instant(text)?)
}

/// The instant as the time of a post.
pub(crate) fn timestamp(instant: jiff::Timestamp) -> Result<Timestamp, String> {
    let timestamp = Timestamp::from_micros(instant.as_microsecond());
    // Another one is returned for times out of bounds.
    let is_same = timestamp.as_micros() == instant.as_microsecond();
    let fault = || format!("{instant} is not in the years 1970 to 9998");
    is_same.then_some(timestamp).ok_or_else(fault)
}

/// Parses a date of any year, as [`parse`] does.
pub(crate) fn instant(text: &str) -> Result<jiff::Timestamp, String> {
    let text = text.trim();
    try_instant(text).ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        format!("“{shown}” is not a date, such as 2026-11-20 or 2026-11-20T10:00:00Z")
    })
}

/// Dates in words, as Hugo and JavaScript read them.
const IN_WORDS: [&str; 8] = [
    "%B %d, %Y",
    "%B %d %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%b %d %Y",
    "%d %b %Y",
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %Y",
];

fn try_instant(text: &str) -> Option<jiff::Timestamp> {
    let written = in_digits(text).unwrap_or_else(|| text.to_owned());
    if let Ok(instant) = written.parse() {
        return Some(instant);
    }
    if is_in_last_days(&written) {
        return Some(jiff::Timestamp::MAX);
    }
    if let Ok(instant) = rfc2822::DateTimeParser::new().parse_timestamp(text) {
        return Some(instant);
    }
    IN_WORDS.iter().find_map(|format| {
        let parsed = BrokenDownTime::parse(format, text).ok()?;
        let time = parsed.to_time().unwrap_or_default();
        let date = parsed.to_date().ok()?.to_datetime(time);
        Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
    })
}

/// Whether this is one of the last two days of 9999. They stand for "never", and are not all instants in UTC.
fn is_in_last_days(text: &str) -> bool {
    Pieces::parse(text).is_ok_and(|pieces| pieces.date() >= date(9999, 12, 30))
}

/// A date in digits as RFC 3339 has it. YAML 1.1, Ruby and Go leave out leading zeros, the time, its seconds and the
/// offset, have spaces before the offset, or end with the name of the zone. `None` if it is something else.
fn in_digits(text: &str) -> Option<String> {
    let (date, rest) = text.split_at(text.find(['T', 't', ' ', '\t']).unwrap_or(text.len()));
    let separator = if date.contains('/') { '/' } else { '-' };
    let mut parts = date.split(separator).map(|part| part.parse::<u32>());
    let (year, month, day) = (parts.next()?, parts.next()?.ok()?, parts.next()?.ok()?);
    if parts.next().is_some() || date.find(separator) != Some(4) {
        return None;
    }
    let date = format!("{:04}-{month:02}-{day:02}", year.ok()?);
    let rest = rest.trim_start_matches(['T', 't', ' ', '\t']);
    if rest.is_empty() {
        return Some(format!("{date}T00:00:00Z"));
    }
    let is_of_time = |letter: char| letter.is_ascii_digit() || matches!(letter, ':' | '.' | ',');
    let end = rest.find(|letter| !is_of_time(letter));
    let (time, zone) = rest.split_at(end.unwrap_or(rest.len()));
    let mut parts = time.splitn(3, ':');
    let (hour, minute) = (parts.next()?.parse::<u32>().ok()?, parts.next()?);
    let second = parts.next().unwrap_or("00");
    let is_short = second.find(['.', ',']).unwrap_or(second.len()) == 1;
    let (zero, offset) = (if is_short { "0" } else { "" }, offset(zone)?);
    Some(format!(
        "{date}T{hour:02}:{minute:0>2}:{zero}{second}{offset}"
    ))
}

/// An offset as RFC 3339 has it: of `-5`, `+0200`, `+0200 CEST`, `UTC` or nothing.
fn offset(zone: &str) -> Option<String> {
    let mut words = zone.split_whitespace();
    let offset = words.next().unwrap_or("Z");
    let is_name = |word: &str| word.chars().all(|letter| letter.is_ascii_uppercase());
    if !words.all(is_name) {
        return None;
    }
    let (sign, digits) = match offset {
        "Z" | "z" | "UTC" | "GMT" => return Some("Z".to_owned()),
        // The rest may be the name of a place, which only the library knows.
        offset if offset.contains('[') => return Some(offset.to_owned()),
        offset => offset.split_at_checked(1)?,
    };
    let digits = digits.replace(':', "");
    let is_number = digits.chars().all(|letter| letter.is_ascii_digit());
    let (hours, minutes) = match digits.len() {
        1 | 2 => (&*digits, "00"),
        3 | 4 if is_number => digits.split_at(digits.len() - 2),
        _ => return None,
    };
    let is_offset = matches!(sign, "+" | "-") && is_number;
    is_offset.then(|| format!("{sign}{hours:0>2}:{minutes}"))
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
            ("2014-10-1 12:00:00", "2014-10-01T12:00:00.000Z"),
            ("2013-01-09 9:15:00", "2013-01-09T09:15:00.000Z"),
            ("2013-1-9 9:15", "2013-01-09T09:15:00.000Z"),
            ("2001-12-14 21:59:43.10 -5", "2001-12-15T02:59:43.100Z"),
            ("2001-12-14t21:59:43.10-05:00", "2001-12-15T02:59:43.100Z"),
            ("2001-12-14 21:59:43 +530", "2001-12-14T16:29:43.000Z"),
            ("2024-1-2", "2024-01-02T00:00:00.000Z"),
            ("2024/01/02 3:04:05", "2024-01-02T03:04:05.000Z"),
            ("2024-01-02\t3:04 Z", "2024-01-02T03:04:00.000Z"),
            ("January 2, 2024", "2024-01-02T00:00:00.000Z"),
            ("Jan 02 2024", "2024-01-02T00:00:00.000Z"),
            ("2 Jan 2024", "2024-01-02T00:00:00.000Z"),
            ("Tue Jan  2 03:04:05 2024", "2024-01-02T03:04:05.000Z"),
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
            "2024-0-1",
            "2024-1-2-3",
            "2024-01/02",
            "2024-01-02 3",
            "2024-01-02 3:04 pm",
            "2024-01-02 3:04 +",
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
