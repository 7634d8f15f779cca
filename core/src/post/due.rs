//! When a post changes by itself: the time at which a draft becomes public, and the time at which a post is deleted.

use super::{FieldError, FieldFault, Post, PostSummary, Timestamp, Visibility};

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
pub(crate) enum DueAction {
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
        match text.parse::<Timestamp>() {
            Ok(at) => Ok(Some(at.start_of_millisecond())),
            Err(_) => Err(self.refused("a time with an offset, such as 2026-11-20T10:00:00Z")),
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
    let rule = "only a draft is published later; send visibility draft beside it";
    FieldError::new(DueField::PublishAt.name(), FieldFault::Conflicts, rule)
}

impl PostSummary {
    /// Refuses invalid times, as far as they differ from those before.
    pub(crate) fn check_times(&self, before: Option<&Self>) -> Result<(), Vec<FieldError>> {
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
        match faults.is_empty() {
            true => Ok(()),
            false => Err(faults),
        }
    }

    /// What is to be done with the post now. What expired before it was published is deleted.
    pub(crate) fn due(&self, now: Timestamp) -> Option<DueAction> {
        let has_come = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        if has_come(self.expires_at) {
            return Some(DueAction::Delete);
        }
        has_come(self.publish_at).then_some(DueAction::Publish)
    }
}

impl Post {
    /// The post after its time of publication has come, in its next revision. A post that was public before keeps its
    /// place in lists. A held post stays a draft. If an instance of an earlier version has published or unlisted it
    /// meanwhile, only the time is cleared.
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
