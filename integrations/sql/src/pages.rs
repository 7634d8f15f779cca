//! The statements that read pages of a list, and what they have in common on all databases.
//!
//! Their parameters are the list or its owner, the position, the number of posts, and whether to read bodies; then the
//! tag of an owner's list; then the identifier of a place. The position is the number of posts before a page with a
//! number, or the time of a place.

use handbill::store::{PageSize, PageStart, PostId};

/// Later than every entry of a list, with room for additions.
const MAX_OFFSET: i64 = i64::MAX / 4;

/// The statements for one kind of list.
pub(crate) struct PageStatements {
    numbered: String,
    after: String,
    before: String,
}

impl PageStatements {
    /// `beside` makes the statement for the posts that compare with a place in this way, read in this order.
    pub(crate) fn new(numbered: String, beside: impl Fn(&str, &str) -> String) -> Self {
        Self {
            numbered,
            after: beside("<", "DESC"),
            before: beside(">", "ASC"),
        }
    }

    /// The statement for pages that begin like this.
    pub(crate) fn of(&self, start: PageStart) -> &str {
        match start {
            PageStart::Number(_) => &self.numbered,
            PageStart::After(_) => &self.after,
            PageStart::Before(_) => &self.before,
        }
    }
}

/// The position, and the identifier of a place.
pub(crate) fn position(start: PageStart, per_page: PageSize) -> (i64, Option<PostId>) {
    match start {
        PageStart::Number(number) => {
            let offset = i64::try_from(per_page.offset_of(number)).unwrap_or(MAX_OFFSET);
            (offset.min(MAX_OFFSET), None)
        }
        PageStart::After(place) | PageStart::Before(place) => {
            (place.time.as_micros(), Some(place.id))
        }
    }
}
