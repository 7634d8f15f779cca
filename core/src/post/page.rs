use std::num::NonZeroU64;
use std::sync::Arc;

use super::{PostSummary, Tag};

/// Posts on a page at the most, where a client asks for it.
pub const MAX_PER_PAGE: u32 = 50;

/// Which page of the list of posts is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PageRequest {
    page: u64,
    per_page: u32,
    tag: Option<Tag>,
    bodies: bool,
}

impl PageRequest {
    /// Posts on a page where the core itself goes through a list.
    pub(crate) const LARGE: u32 = 1000;

    /// Page `page`, counted from 1, of pages of `per_page` posts each; none if `page` is 0 or
    /// `per_page` is not between 1 and [`MAX_PER_PAGE`].
    pub fn new(page: u64, per_page: u32) -> Option<Self> {
        let in_bounds = page >= 1 && (1..=MAX_PER_PAGE).contains(&per_page);
        in_bounds.then_some(Self {
            page,
            per_page,
            tag: None,
            bodies: false,
        })
    }

    /// Page `page`, counted from 1, of pages of [`Self::LARGE`] posts each.
    pub(crate) fn large(page: NonZeroU64) -> Self {
        Self {
            page: page.get(),
            per_page: Self::LARGE,
            tag: None,
            bodies: false,
        }
    }

    /// Only posts that carry this tag.
    pub fn with_tag(self, tag: Option<Tag>) -> Self {
        Self { tag, ..self }
    }

    /// Whether the posts' bodies are wanted too.
    pub fn with_bodies(self, bodies: bool) -> Self {
        Self { bodies, ..self }
    }

    /// The page's number, from 1.
    pub fn page(&self) -> u64 {
        self.page
    }

    /// Posts on a page: 1 to [`MAX_PER_PAGE`] where a client asks for it, up to 1,000 where the core
    /// goes through a list itself.
    pub fn per_page(&self) -> u32 {
        self.per_page
    }

    /// The tag that the posts must carry, if any.
    pub fn tag(&self) -> Option<&Tag> {
        self.tag.as_ref()
    }

    /// Whether the posts' bodies are wanted too.
    pub fn bodies(&self) -> bool {
        self.bodies
    }

    /// How many posts stand before this page; the greatest number there is where that is not enough.
    pub fn offset(&self) -> u64 {
        (self.page - 1).saturating_mul(u64::from(self.per_page))
    }

    /// The number of pages that so many posts fill.
    pub fn pages_of(&self, total: u64) -> u64 {
        total.div_ceil(u64::from(self.per_page))
    }
}

/// One page of posts, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostPage {
    /// The posts of this page; with their bodies where those were asked for. Shared, so that a store
    /// may remember a page.
    pub posts: Arc<[(PostSummary, Option<String>)]>,
    /// How many posts there are on all pages together.
    pub total: u64,
}
