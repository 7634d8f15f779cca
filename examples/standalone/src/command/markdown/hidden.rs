//! Why Hugo or Jekyll would not publish a file. Such a file becomes a draft.

use std::path::Path;

use jiff::Timestamp;

use super::folder;
use super::front_matter::{self, FrontMatter};
use crate::command::words::words;

words! {
    /// A reason. If there are several, the first one is stated.
    Hidden {
        /// `draft: true`.
        Draft "draft",
        /// `published: false`.
        Unpublished "not published",
        /// The file is below a folder `_drafts`.
        BelowDrafts "below _drafts",
        /// The file is below a section page that hides it.
        Section "in a hidden section",
        /// `expiryDate` has passed.
        Expired "expired",
        /// `date` or `publishDate` has not come yet.
        Future "dated in the future",
        /// The same, and the draft becomes public at that time.
        Later "published later",
    }
}

impl Hidden {
    /// Why a file with this front matter, date and place is hidden, if it is.
    pub(super) fn find(
        front_matter: &FrontMatter,
        date: Option<Timestamp>,
        place: &Path,
        now: Timestamp,
    ) -> Option<Self> {
        let is_expired = front_matter.expires.is_some_and(|at| at <= now);
        let is_future = date.max(front_matter.publishes) > Some(now);
        let reasons = [
            (front_matter.draft, Self::Draft),
            (front_matter.unpublished, Self::Unpublished),
            (is_below_drafts(place), Self::BelowDrafts),
            (is_in_hidden_section(place), Self::Section),
            (is_expired, Self::Expired),
            (is_future, Self::Future),
        ];
        let mut reasons = reasons.into_iter().filter(|(holds, _)| *holds);
        reasons.next().map(|(_, reason)| reason)
    }
}

/// Whether a file is below a folder `_drafts`, wherever the import begins.
fn is_below_drafts(file: &Path) -> bool {
    let mut names = file.ancestors().skip(1).filter_map(Path::file_name);
    names.any(|name| name.eq_ignore_ascii_case("_drafts"))
}

/// Whether a section page above a file hides it: a draft of Zola, or one whose `cascade` says so to Hugo.
fn is_in_hidden_section(file: &Path) -> bool {
    file.ancestors().skip(1).any(|folder| {
        let page = folder::read(&folder.join("_index.md"));
        let Ok(page) = page else { return false };
        front_matter::split(&page).is_ok_and(|(page, _)| page.draft || page.hides_all)
    })
}
