//! Which posts are listed, unlisted or deleted together.

use std::collections::BTreeSet;

use crate::post::{Owner, PostId, PostSummary, Tag, Timestamp, Visibility};

/// A selection of posts, drafts and unlisted ones included: what [`Posts::visit`](crate::Posts::visit),
/// [`unlist_all`](crate::Posts::unlist_all) and [`delete_all`](crate::Posts::delete_all) apply to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct PostSelection {
    pub(super) ids: Option<BTreeSet<PostId>>,
    /// `Some(None)` selects those without an owner.
    pub(super) owner: Option<Option<Owner>>,
    pub(super) tag: Option<Tag>,
    pub(super) are_drafts: bool,
    /// Only drafts that are published later.
    pub(super) is_scheduled: bool,
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
}

impl PostSelection {
    /// All posts. Without an owner, finding posts reads every post of the store.
    pub const fn all() -> Self {
        Self {
            ids: None,
            owner: None,
            tag: None,
            are_drafts: false,
            is_scheduled: false,
            since: None,
            until: None,
        }
    }

    /// All posts of an owner.
    pub fn of_owner(owner: Owner) -> Self {
        Self::all().with_owner(owner)
    }

    /// The posts with these identifiers, as far as they exist.
    pub fn of_ids(ids: impl IntoIterator<Item = PostId>) -> Self {
        let ids = Some(ids.into_iter().collect());
        Self { ids, ..Self::all() }
    }

    /// Only those of this owner.
    pub fn with_owner(self, owner: Owner) -> Self {
        let owner = Some(Some(owner));
        Self { owner, ..self }
    }

    /// Only those that have no owner, such as those that guests wrote in the browser.
    pub fn without_owner(self) -> Self {
        let owner = Some(None);
        Self { owner, ..self }
    }

    /// Only those with this tag.
    pub fn with_tag(self, tag: Tag) -> Self {
        let tag = Some(tag);
        Self { tag, ..self }
    }

    /// Only drafts: those that their writers have not published, and those that the host's
    /// [review](crate::Handbill::with_review) holds.
    pub fn drafts(self) -> Self {
        Self {
            are_drafts: true,
            ..self
        }
    }

    /// Only drafts that are published later.
    pub fn scheduled(self) -> Self {
        Self {
            is_scheduled: true,
            ..self
        }
    }

    /// Only those that were created at this time or later.
    pub fn with_since(self, since: Timestamp) -> Self {
        let since = Some(since);
        Self { since, ..self }
    }

    /// Only those that were created before this time.
    pub fn with_until(self, until: Timestamp) -> Self {
        let until = Some(until);
        Self { until, ..self }
    }

    pub(super) fn has(&self, post: &PostSummary) -> bool {
        self.owner.as_ref().is_none_or(|owner| post.owner == *owner)
            && self.tag.as_ref().is_none_or(|tag| post.tags.contains(tag))
            && (!self.are_drafts || post.visibility == Visibility::Draft)
            && (!self.is_scheduled || post.publish_at.is_some())
            && self.since.is_none_or(|since| post.created_at >= since)
            && self.until.is_none_or(|until| post.created_at < until)
    }
}
