//! When a post changes by itself: the time at which a draft becomes public, and the time at which a post is deleted.

use jiff::tz::TimeZone;

use super::{Post, PostSummary, Visibility};
use crate::post::field::{FieldError, FieldFault};
use crate::post::time::Timestamp;

/// A field with such a time. Everything that reads, writes or shows the times goes over [`ALL`](Self::ALL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DueField {
    PublishAt,
    ExpiresAt,
}

/// A value for each of them, `field as usize` being its place.
pub(crate) type PerDueField<T> = [T; DueField::ALL.len()];

/// What a post does at its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DueChange {
    Publish,
    Delete,
}

/// How far ahead a post is deleted, at least.
const MINUTE: i64 = 60_000_000;
/// How far ahead both times are, at most.
const MAX_YEARS: i64 = 10;

impl DueField {
    pub(crate) const ALL: &'static [Self] = &[Self::PublishAt, Self::ExpiresAt];

    /// Its name everywhere: in JSON, forms, archives and columns.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::PublishAt => "publish_at",
            Self::ExpiresAt => "expires_at",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|field| field.name() == name)
    }

    pub(crate) fn of(self, post: &PostSummary) -> Option<Timestamp> {
        match self {
            Self::PublishAt => post.publish_at,
            Self::ExpiresAt => post.expires_at,
        }
    }

    pub(crate) fn set(self, post: &mut PostSummary, at: Option<Timestamp>) {
        match self {
            Self::PublishAt => post.publish_at = at,
            Self::ExpiresAt => post.expires_at = at,
        }
    }

    /// Parses RFC 3339, to the millisecond, as it is shown. An empty text is `None`.
    pub(crate) fn parse(self, text: &str) -> Result<Option<Timestamp>, FieldError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let at = is_rfc3339(text).then(|| text.parse::<Timestamp>().ok());
        let at = at.flatten().filter(|at| is_possible(text, *at));
        match at {
            Some(at) => Ok(Some(at.start_of_millisecond())),
            None => Err(self.refused("a time with an offset, such as 2026-11-20T10:00:00Z")),
        }
    }

    /// Refuses a time that is too early or too late for a client to set it now.
    pub(crate) fn check(self, at: Timestamp, now: Timestamp) -> Result<(), FieldError> {
        let (is_early, rule) = match self {
            Self::PublishAt => (at <= now, "in the future"),
            Self::ExpiresAt => (
                at.as_micros() < now.as_micros().saturating_add(MINUTE),
                "at least a minute ahead",
            ),
        };
        match is_early || at > now.years_later(MAX_YEARS) {
            true => Err(self.refused(&format!("a time {rule}, at most {MAX_YEARS} years ahead"))),
            false => Ok(()),
        }
    }

    fn refused(self, rule: &str) -> FieldError {
        FieldError::new(self.name(), FieldFault::UnknownValue, rule)
    }
}

/// A draft alone can be published later.
pub(crate) fn conflicts() -> FieldError {
    let rule = "only a draft is published later; leave out visibility, or send draft";
    FieldError::new(DueField::PublishAt.name(), FieldFault::Conflicts, rule)
}

impl PostSummary {
    /// What is wrong with the times, as far as they differ from those before.
    pub(crate) fn time_faults(&self, before: Option<&Self>) -> Vec<FieldError> {
        let now = Timestamp::now();
        let faults = DueField::ALL.iter().filter_map(|field| {
            let at = field.of(self)?;
            let is_new = before.and_then(|before| field.of(before)) != Some(at);
            is_new.then(|| field.check(at, now).err()).flatten()
        });
        let mut faults: Vec<_> = faults.collect();
        if self.publish_at.is_some() && self.visibility != Visibility::Draft {
            faults.push(conflicts());
        }
        faults
    }

    /// What is to be done with the post now. What expired before it was published is deleted.
    pub(crate) fn due(&self, now: Timestamp) -> Option<DueChange> {
        let has_come = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        if has_come(self.expires_at) {
            return Some(DueChange::Delete);
        }
        has_come(self.publish_at).then_some(DueChange::Publish)
    }
}

impl Post {
    /// The post after its time of publication has come, in its next revision. A post that was public before keeps its
    /// place in lists. One that is held stays a draft, and one that an instance of an earlier version has shown or
    /// unlisted does not change.
    pub(crate) fn published(&self, is_held: bool, now: Timestamp) -> Self {
        let mut post = self.clone();
        let at = post.summary.publish_at.take();
        if !is_held && self.summary.visibility == Visibility::Draft {
            post.summary.published_at = post.summary.published_at.or(at);
            post.summary.visibility = Visibility::Public;
        }
        post.summary.revision = self.summary.revision.next();
        post.summary.updated_at = self.summary.updated_at.next_millisecond_or(now);
        post
    }
}

/// Whether a text has the form of RFC 3339: the parser accepts other forms of ISO 8601, too.
fn is_rfc3339(text: &str) -> bool {
    let Some((time, rest)) = text.split_at_checked(19) else {
        return false;
    };
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => {
            let digits = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if digits.len() == fraction.len() {
                return false;
            }
            digits
        }
        None => rest,
    };
    let is_like = |text: &str, pattern: &str| {
        text.len() == pattern.len()
            && text
                .bytes()
                .zip(pattern.bytes())
                .all(|(byte, like)| match like {
                    b'0' => byte.is_ascii_digit(),
                    b'T' => matches!(byte, b'T' | b't' | b' '),
                    b'+' => matches!(byte, b'+' | b'-'),
                    b'Z' => matches!(byte, b'Z' | b'z'),
                    like => byte == like,
                })
    };
    // The parser takes offsets of more than a day.
    let is_offset = is_like(rest, "+00:00") && &rest[1..3] < "24";
    is_like(time, "0000-00-00T00:00:00") && (is_like(rest, "Z") || is_offset)
}

/// Leap seconds are at the end of June and of December, in UTC. The parser reads them as the second before.
fn is_possible(text: &str, at: Timestamp) -> bool {
    text.get(17..19) != Some("60") || {
        let at = at.to_jiff().to_zoned(TimeZone::UTC);
        let is_last = (at.hour(), at.minute(), at.second()) == (23, 59, 59);
        is_last && matches!((at.month(), at.day()), (6, 30) | (12, 31))
    }
}
