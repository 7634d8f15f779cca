//! The statements that read pages of a list and count it, and what they have in common on all databases.
//!
//! The parameters of pages are the list or its owner, the position, the number of posts, and whether to read bodies;
//! then the tag of an owner's list; then the identifier of a place. The position is the number of posts before a page
//! with a number, or the time of a place. To count, they are the list or its owner, the times, and the tag of an
//! owner's list.

use handbill::store::{PageStart, PostId};

/// Later than every entry of a list, with room for additions.
const MAX_OFFSET: i64 = i64::MAX / 4;

/// The statements for one kind of list.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) struct PageStatements {
    numbered: String,
    after: String,
    before: String,
    since: String,
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl PageStatements {
    /// `since` counts the posts since each of several times. `beside` makes the statement for the posts that compare
    /// with a place in this way, read in this order.
    pub(crate) fn new(
        numbered: String,
        since: String,
        beside: impl Fn(&str, &str) -> String,
    ) -> Self {
        Self {
            numbered,
            since,
            after: beside("<", "DESC"),
            before: beside(">", "ASC"),
        }
    }

    /// The statement that counts.
    pub(crate) fn since(&self) -> &str {
        &self.since
    }

    /// The statement for pages that begin like this.
    pub(crate) fn of(&self, start: PageStart) -> &str {
        match start {
            PageStart::Skip(_) => &self.numbered,
            PageStart::After(_) => &self.after,
            PageStart::Before(_) => &self.before,
        }
    }
}

/// The position, and the identifier of a place.
pub(crate) fn position(start: PageStart) -> (i64, Option<PostId>) {
    match start {
        PageStart::Skip(posts) => {
            let offset = i64::try_from(posts).unwrap_or(MAX_OFFSET);
            (offset.min(MAX_OFFSET), None)
        }
        PageStart::After(place) | PageStart::Before(place) => {
            (place.time.as_micros(), Some(place.id))
        }
    }
}
