use std::fmt;

use unicode_normalization::UnicodeNormalization;

use crate::field::{self, FieldError};

/// A normalised tag: Unicode NFC, lowercase, no leading `#`, single spaces, not empty.
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

    /// The tag that a person means, as posts carry it, or none if nothing is left of it.
    ///
    /// ```
    /// use handbill::{PageRequest, Tag};
    ///
    /// let tag = Tag::normalised(" #Rust ");
    /// assert_eq!(tag.as_ref().map(Tag::as_str), Some("rust"));
    /// let first_page = PageRequest::new(1, 20).map(|page| page.with_tag(tag));
    /// ```
    pub fn normalised(text: &str) -> Option<Self> {
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
