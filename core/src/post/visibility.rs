use std::fmt;
use std::str::FromStr;

use super::ParseError;
use serde::{Deserialize, Serialize};

const NOT_VALID: ParseError = ParseError::new("a visibility is public, unlisted or draft");

/// Who can find and read a post.
///
/// ```
/// use handbill::{Draft, Visibility};
///
/// let draft = Draft::new().body("Not finished yet.").visibility(Visibility::Draft);
/// assert_eq!("unlisted".parse(), Ok(Visibility::Unlisted));
/// # let _ = draft;
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Visibility {
    /// Everyone. The post is in lists, tags, feeds and the sitemap.
    #[default]
    Public,
    /// Everyone who has its address. The post is in no list and no feed, and search engines are asked not
    /// to index it.
    Unlisted,
    /// Clients with its edit token or a key of its owner. To others there is no such post.
    Draft,
}

impl Visibility {
    /// All of them, the most visible first.
    pub const ALL: [Self; 3] = [Self::Public, Self::Unlisted, Self::Draft];

    /// The name that clients send and read: `public`, `unlisted` or `draft`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
            Self::Draft => "draft",
        }
    }
}

impl FromStr for Visibility {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut all = Self::ALL.into_iter();
        all.find(|visibility| visibility.as_str() == text)
            .ok_or(NOT_VALID)
    }
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
