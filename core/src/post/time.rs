//! Timestamps, and a clock that never returns the same timestamp twice.

use std::str::FromStr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::fmt::temporal;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ParseError, stored};

const NOT_VALID: ParseError =
    ParseError::new("an instant is written as in RFC 3339, such as 2026-11-20T10:00:00Z");

const MILLI: i64 = 1_000;
const MINUTE: i64 = 60_000_000;
const HOUR: i64 = 60 * MINUTE;

/// An instant in UTC, in whole microseconds since 1970-01-01T00:00:00Z.
///
/// The range is the years 1970 to 9998; values outside it are clamped. The API shows milliseconds.
/// Microseconds distinguish posts that were created within the same millisecond.
///
/// It is read from RFC 3339, with any offset, and made of the system's time:
///
/// ```
/// use std::time::SystemTime;
///
/// use handbill::Timestamp;
///
/// let then: Timestamp = "2026-11-20T11:00:00+01:00".parse()?;
/// assert_eq!(then.to_rfc3339(), "2026-11-20T10:00:00.000Z");
/// assert!("yesterday".parse::<Timestamp>().is_err());
/// let now = Timestamp::from(SystemTime::now());
/// # let _ = now;
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The end of 9998. The last days of 9999 are in the year 10000 somewhere on earth, and can't be printed.
    const LATEST: i64 = 253_370_764_799_999_999;

    /// The instant `micros` microseconds after the Unix epoch.
    pub const fn from_micros(micros: i64) -> Self {
        if micros < 0 {
            Self(0)
        } else if micros > Self::LATEST {
            Self(Self::LATEST)
        } else {
            Self(micros)
        }
    }

    /// Microseconds since the Unix epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The beginning of the hour that contains this instant.
    pub(crate) const fn start_of_hour(self) -> Self {
        Self(self.0 - self.0 % HOUR)
    }

    /// The system's time. Unlike [`Clock::now`], it goes back if the system's clock is set back.
    pub(crate) fn now() -> Self {
        Self::from_micros(jiff::Timestamp::now().as_microsecond())
    }

    /// The beginning of the millisecond that contains this instant.
    pub(crate) const fn start_of_millisecond(self) -> Self {
        Self(self.0 - self.0 % MILLI)
    }

    /// The time since an earlier instant. Zero if that is not earlier.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0 - earlier.0).unwrap_or_default())
    }

    /// So many calendar years later.
    pub(crate) fn years_later(self, years: i64) -> Self {
        let zoned = self.to_jiff().to_zoned(TimeZone::UTC);
        let later = zoned.checked_add(jiff::Span::new().years(years));
        later.map_or(Self(Self::LATEST), |later| {
            Self::from_micros(later.timestamp().as_microsecond())
        })
    }

    /// The earliest instant from `now` on that is later than this one in the milliseconds that clients
    /// see. At the end of the range it is the last one.
    pub(crate) fn next_millisecond_or(self, now: Self) -> Self {
        let next = self.0 - self.0 % MILLI + MILLI;
        Self::from_micros(next.max(now.0))
    }

    /// RFC 3339 in UTC with milliseconds: `2026-11-20T10:00:00.000Z`.
    pub fn to_rfc3339(self) -> String {
        const PRINTER: temporal::DateTimePrinter =
            temporal::DateTimePrinter::new().precision(Some(3));
        PRINTER.timestamp_to_string(&self.to_jiff())
    }

    /// RFC 3339 in UTC to the microsecond, where it is needed: `2026-11-20T10:00:00Z`.
    pub(crate) fn to_precise_rfc3339(self) -> String {
        self.to_jiff().to_string()
    }

    /// An HTTP-date (RFC 9110, section 5.6.7), rounded down to the second.
    pub(crate) fn to_http_date(self) -> String {
        let since = Duration::from_micros(self.0.unsigned_abs());
        httpdate::fmt_http_date(UNIX_EPOCH + since)
    }

    /// From any of the three forms of an HTTP-date.
    pub(crate) fn from_http_date(text: &str) -> Option<Self> {
        httpdate::parse_http_date(text).ok().map(Self::from)
    }

    /// The day in UTC.
    #[cfg(feature = "pages")]
    pub(crate) fn to_date(self) -> jiff::civil::Date {
        self.to_jiff().to_zoned(TimeZone::UTC).date()
    }

    /// Whether the second of this instant is later than the second of the other.
    pub(crate) const fn is_later_second(self, other: Self) -> bool {
        self.0 / 1_000_000 > other.0 / 1_000_000
    }

    pub(crate) fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).unwrap_or_default()
    }
}

/// As the API shows it: RFC 3339 in UTC with milliseconds.
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_rfc3339())
    }
}

/// From RFC 3339, with any offset.
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        stored::from_text(deserializer)
    }
}

/// Times before 1970 become the first instant, and those after 9998 the last one.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}

impl FromStr for Timestamp {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let pieces = temporal::DateTimeParser::new().parse_pieces(text);
        let pieces = pieces.ok().filter(|_| is_rfc3339(text)).ok_or(NOT_VALID)?;
        let offset = pieces.to_numeric_offset().ok_or(NOT_VALID)?;
        let local = pieces.date().to_datetime(pieces.time().unwrap_or_default());
        // What is out of range here is in the last days of 9999.
        let instant = offset.to_timestamp(local).unwrap_or(jiff::Timestamp::MAX);
        match is_possible(text, instant) {
            true => Ok(Self::from_micros(instant.as_microsecond())),
            false => Err(NOT_VALID),
        }
    }
}

/// Whether a text has the form of RFC 3339: the parser accepts other forms of ISO 8601, too.
fn is_rfc3339(text: &str) -> bool {
    let Some((time, rest)) = text.split_at_checked(19) else {
        return false;
    };
    let digit = |c: char| c.is_ascii_digit();
    let rest = match rest.strip_prefix('.') {
        Some(fraction) if fraction.starts_with(digit) => fraction.trim_start_matches(digit),
        Some(_) => return false,
        None => rest,
    };
    let shape = |text: &str| text.replace(digit, "0");
    let is_time = shape(time).replace(['t', ' '], "T") == "0000-00-00T00:00:00";
    let is_offset = match &*shape(rest) {
        "Z" | "z" => true,
        // The parser takes offsets of more than a day.
        "+00:00" | "-00:00" => &rest[1..3] < "24",
        _ => false,
    };
    is_time && is_offset
}

/// Leap seconds are at the end of June and of December, in UTC. The parser reads them as the second before.
fn is_possible(text: &str, at: jiff::Timestamp) -> bool {
    text.get(17..19) != Some("60") || {
        let at = at.to_zoned(TimeZone::UTC);
        let is_last = (at.hour(), at.minute(), at.second()) == (23, 59, 59);
        is_last && matches!((at.month(), at.day()), (6, 30) | (12, 31))
    }
}

/// A duration in nanoseconds. One that is too long for them is the longest.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The system's clock, made strictly increasing within one instance of the service. Posts that are
/// created one after the other are listed in that order, even within the same microsecond and when the
/// system's clock is set back.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    last: AtomicI64,
}

impl Clock {
    pub(crate) fn now(&self) -> Timestamp {
        let system = Timestamp::now().0;
        let later = |last: i64| Some(system.max(last + 1));
        let last = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, later)
            .unwrap_or_else(|last| last);
        Timestamp::from_micros(system.max(last + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_returns_an_instant_twice() {
        let clock = Clock::default();
        let instants: Vec<_> = (0..10_000).map(|_| clock.now()).collect();
        assert!(instants.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn instants_are_printed_as_the_contract_says() {
        let instant = Timestamp::from_micros(1_795_168_800_000_999);
        assert_eq!(instant.to_rfc3339(), "2026-11-20T10:00:00.000Z");
        assert_eq!(instant.to_http_date(), "Fri, 20 Nov 2026 10:00:00 GMT");
        for text in [
            "Fri, 20 Nov 2026 10:00:00 GMT",
            "Friday, 20-Nov-26 10:00:00 GMT",
            "Fri Nov 20 10:00:00 2026",
        ] {
            let read_back = Timestamp::from_http_date(text);
            assert_eq!(
                read_back,
                Some(Timestamp::from_micros(1_795_168_800_000_000)),
                "{text}"
            );
        }
        assert_eq!(Timestamp::from_http_date("yesterday"), None);
    }

    #[test]
    fn instants_are_read_and_clamped() {
        let instant = Timestamp::from_micros(1_795_168_800_123_456);
        for text in [
            "2026-11-20T10:00:00.123456Z",
            "2026-11-20T11:00:00.123456+01:00",
            "2026-11-20 04:00:00.123456-06:00",
        ] {
            assert_eq!(text.parse(), Ok(instant), "{text}");
        }
        for text in [
            "",
            "2026-11-20",
            "2026-11-20T10:00:00",
            "20261120T100000Z",
            "2026-11-20T10:00:00,5Z",
            "2026-11-20T10:00:00+01",
            "2026-11-20T10:00:00Z[UTC]",
            "9999-12-32T00:00:00Z",
            "yesterday",
        ] {
            assert_eq!(text.parse::<Timestamp>(), Err(NOT_VALID), "{text}");
        }
        let micros = Duration::from_micros(1_795_168_800_123_456);
        assert_eq!(Timestamp::from(UNIX_EPOCH + micros), instant);
        let early = Timestamp::from(UNIX_EPOCH - micros);
        assert_eq!(early, Timestamp::from_micros(0));
        assert_eq!("1812-02-07T00:00:00Z".parse(), Ok(early));
        let last = Timestamp::from_micros(i64::MAX);
        assert_eq!("9999-12-31T23:59:59Z".parse(), Ok(last));
    }

    #[test]
    fn the_last_instant_is_printed_and_none_comes_after_it() {
        let last = Timestamp::from_micros(i64::MAX);
        assert_eq!(last.to_rfc3339(), "9998-12-31T23:59:59.999Z");
        assert_eq!(last.to_http_date(), "Thu, 31 Dec 9998 23:59:59 GMT");
        assert_eq!(last.next_millisecond_or(last), last);
    }

    #[test]
    fn a_visibly_later_instant_is_later_in_milliseconds() {
        let first = Timestamp::from_micros(1_795_168_800_000_999);
        let next = first.next_millisecond_or(first);
        assert!(next.to_rfc3339() > first.to_rfc3339());
    }
}
