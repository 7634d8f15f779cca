//! Versions of a post, and which of them a change is for.

use super::{PostSummary, Revision, Timestamp};

/// A version of a post.
///
/// An identifier is used once, so it has one first revision. Later revisions may exist twice, if a backup was
/// restored in between. The time of the change tells these apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    revision: Revision,
    /// `None` for the first revision.
    changed_at: Option<Timestamp>,
}

/// What must hold of a post for a change to it.
#[derive(Clone, Debug)]
pub(crate) struct Precondition {
    pub(crate) revision: Option<Revision>,
    pub(crate) one_of: Option<Versions>,
    pub(crate) none_of: Option<Versions>,
    /// It was not changed after the second of this time.
    pub(crate) unmodified_since: Option<Timestamp>,
}

/// Some or all versions of a post.
#[derive(Clone, Debug)]
pub(crate) enum Versions {
    All,
    Listed(Vec<Version>),
}

impl Version {
    pub(crate) const FIRST: Self = Self {
        revision: Revision::FIRST,
        changed_at: None,
    };

    pub(crate) fn new(revision: Revision, changed_at: Timestamp) -> Self {
        Self {
            revision,
            changed_at: (revision != Revision::FIRST).then_some(changed_at),
        }
    }

    pub(crate) fn of(post: &PostSummary) -> Self {
        Self::new(post.revision, post.updated_at)
    }

    pub(crate) const fn revision(self) -> Revision {
        self.revision
    }

    /// When the post was changed to it. `None` for the first version.
    pub(crate) const fn changed_at(self) -> Option<Timestamp> {
        self.changed_at
    }
}

impl Precondition {
    /// The change is made whatever the post is now.
    pub(crate) const NONE: Self = Self {
        revision: None,
        one_of: None,
        none_of: None,
        unmodified_since: None,
    };

    pub(crate) fn one_of(versions: impl IntoIterator<Item = Version>) -> Self {
        Self {
            one_of: Some(Versions::Listed(versions.into_iter().collect())),
            ..Self::NONE
        }
    }

    pub(crate) fn in_revision(expected: Revision) -> Self {
        Self {
            revision: Some(expected),
            ..Self::NONE
        }
    }

    pub(crate) fn holds(&self, post: &PostSummary) -> bool {
        let version = Version::of(post);
        let contains = |versions: &Versions| match versions {
            Versions::All => true,
            Versions::Listed(versions) => versions.contains(&version),
        };
        let is_unmodified = |since| !post.updated_at.is_later_second(since);
        self.revision
            .is_none_or(|revision| revision == post.revision)
            && self.one_of.as_ref().is_none_or(contains)
            && !self.none_of.as_ref().is_some_and(contains)
            && self.unmodified_since.is_none_or(is_unmodified)
    }
}
