//! The authors who have a page of their own, as the host knows them.

use super::callback::{BoxError, Callback};
use crate::post::{Owner, ParseError};

const MAX_SLUG: usize = 100;

/// Finds an author.
pub(crate) type FindAuthor = Callback<AuthorKey, Result<Option<Author>, BoxError>>;

/// An author with a page at `/by/{slug}`, which has the public posts of an owner. See
/// [`Handbill::with_authors`](crate::Handbill::with_authors).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    pub(crate) owner: Owner,
    slug: String,
    name: String,
}

/// Which author the host is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthorKey {
    /// The one whose page has this slug. If the author has another one now, the page's old address leads there.
    Slug(String),
    /// The one of this owner's posts.
    Owner(Owner),
}

impl Author {
    /// The author of this owner's posts. The slug is the end of the page's address, and the name its heading.
    ///
    /// # Errors
    /// If the slug has other characters than letters and digits of ASCII and `-`, `.`, `_`, `~` (RFC 3986, section
    /// 2.3), is longer than 100 of them, or empty, `.` or `..`; or if the name has no visible character.
    pub fn new(owner: Owner, slug: &str, name: &str) -> Result<Self, ParseError> {
        if !is_slug(slug) {
            return Err(ParseError::new(
                "a slug has 1 to 100 letters, digits, and -, ., _ or ~, and is not . or ..",
            ));
        }
        let name = visible_name(name).ok_or(ParseError::new("a name has a visible character"))?;
        let slug = slug.to_owned();
        Ok(Self { owner, slug, name })
    }

    /// The end of the address of the author's page.
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// The heading of the author's page.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Whether an author may have this slug. A browser would take `.` and `..` out of an address.
pub(crate) fn is_slug(text: &str) -> bool {
    let is_unreserved = |c: u8| c.is_ascii_alphanumeric() || b"-._~".contains(&c);
    (1..=MAX_SLUG).contains(&text.len())
        && text.bytes().all(is_unreserved)
        && !matches!(text, "." | "..")
}

/// The name without control and direction characters. `None` if no visible character remains.
pub(super) fn visible_name(name: &str) -> Option<String> {
    let is_allowed = |c: &char| {
        let is_control = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
        !is_control && !handbill_markdown::is_bidi_override(*c)
    };
    let name: String = name.trim().chars().filter(is_allowed).collect();
    handbill_markdown::has_visible_character(&name).then_some(name)
}
