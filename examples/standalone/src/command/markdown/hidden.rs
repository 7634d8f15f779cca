//! Why Hugo or Jekyll would not publish a file. Such a file becomes a draft.

use std::fmt;

use jiff::Timestamp;

use super::front_matter::FrontMatter;

/// A reason. If there are several, the first one is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hidden {
    /// `draft: true`.
    Draft,
    /// `published: false`.
    Unpublished,
    /// The file is below a folder `_drafts`.
    BelowDrafts,
    /// `expiryDate` has passed.
    Expired,
    /// `date` or `publishDate` has not come yet.
    Future,
    /// The same, and the draft becomes public at that time.
    Later,
}

impl Hidden {
    /// Why a file with this front matter, date and place is hidden, if it is.
    pub(super) fn find(
        front_matter: &FrontMatter,
        date: Option<Timestamp>,
        is_below_drafts: bool,
        now: Timestamp,
    ) -> Option<Self> {
        let is_future = |date: Option<Timestamp>| date.is_some_and(|date| date > now);
        let reasons = [
            (front_matter.draft, Self::Draft),
            (front_matter.unpublished, Self::Unpublished),
            (is_below_drafts, Self::BelowDrafts),
            (
                front_matter.expires.is_some_and(|at| at <= now),
                Self::Expired,
            ),
            (
                is_future(date) || is_future(front_matter.publishes),
                Self::Future,
            ),
        ];
        let mut reasons = reasons.into_iter().filter(|(holds, _)| *holds);
        reasons.next().map(|(_, reason)| reason)
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Draft => "draft",
            Self::Unpublished => "not published",
            Self::BelowDrafts => "below _drafts",
            Self::Expired => "expired",
            Self::Future => "dated in the future",
            Self::Later => "published later",
        })
    }
}
