use std::error::Error;
use std::fmt;
use std::str::FromStr;

use unicode_normalization::UnicodeNormalization;

use crate::field::{self, FieldError};

/// A normalised tag: Unicode NFC, lowercase, no leading `#`, single spaces, not empty.
///
/// Parsing normalises a text as the service normalises the tags of posts:
///
/// ```
/// use handbill::Tag;
///
/// let tag: Tag = " #Rust ".parse()?;
/// assert_eq!(tag.as_str(), "rust");
/// # Ok::<_, handbill::EmptyTag>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

impl Tag {
    /// The tag that a person means, or none if nothing is left of it.
    pub(crate) fn parse(text: &str, max: usize) -> Result<Option<Self>, FieldError> {
        let Some(tag) = Self::normalised(text) else {
            return Ok(None);
        };
        field::visible("tags", &tag.0)?;
        field::at_most("tags", &tag.0, max)?;
        Ok(Some(tag))
    }

    fn normalised(text: &str) -> Option<Self> {
        Some(Self(Self::normalise(text))).filter(|Self(tag)| !tag.is_empty())
    }

    /// A tag as it was stored.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The tag's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn normalise(text: &str) -> String {
        let text = text.trim();
        if text.bytes().all(|byte| byte.is_ascii_graphic()) {
            // It has no white space inside, and is composed as it is.
            return text.trim_start_matches('#').to_ascii_lowercase();
        }
        let composed: String = text.nfc().collect();
        let spaced = composed.split_whitespace().collect::<Vec<_>>().join(" ");
        let bare = spaced.trim_start_matches(['#', ' ']);
        // Lowercasing can take a composed character apart (U+0130), hence once more.
        bare.to_lowercase().nfc().collect()
    }
}

impl FromStr for Tag {
    type Err = EmptyTag;

    fn from_str(text: &str) -> Result<Self, EmptyTag> {
        Self::normalised(text).ok_or(EmptyTag)
    }
}

/// Nothing is left of the text once it is normalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyTag;

impl fmt::Display for EmptyTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tag needs at least one character besides `#` and white space")
    }
}

impl Error for EmptyTag {}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_tag_is_normalised() {
        for (raw, tag) in [
            ("  #Rust ", "rust"),
            ("## # Web  \t Apps", "web apps"),
            ("E\u{301}te\u{301}", "été"),
            ("C#", "c#"),
            (" ##C#\n", "c#"),
            ("#", ""),
            ("# ", ""),
        ] {
            assert_eq!(Tag::normalise(raw), tag);
        }
    }

    proptest! {
        #[test]
        fn what_was_normalised_stays_as_it_is(raw in "[\\PC #\\t]{0,60}") {
            let once = Tag::normalise(&raw);
            prop_assert_eq!(Tag::normalise(&once), once);
        }
    }
}
