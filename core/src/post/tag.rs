use std::str::FromStr;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::{FieldError, ParseError, field, stored::as_text};

const NFC: ComposingNormalizerBorrowed<'_> = ComposingNormalizerBorrowed::new_nfc();

const NOT_VALID: ParseError =
    ParseError::new("a tag needs at least one visible character besides `#`");

/// A normalised tag: Unicode NFC, lowercase, without leading `#`, with single spaces, and with at least
/// one visible character.
///
/// Parsing, also by serde, normalises the text in the same way as the service normalises the tags of posts:
///
/// ```
/// use handbill::Tag;
///
/// let tag: Tag = " #Rust ".parse()?;
/// assert_eq!(tag.as_str(), "rust");
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(String);

/// A tag, and how many public posts have it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TagCount {
    /// The tag.
    pub tag: Tag,
    /// The number of public posts that have it, at least 1.
    pub posts: u64,
}

impl TagCount {
    /// A tag that so many public posts have.
    pub const fn new(tag: Tag, posts: u64) -> Self {
        Self { tag, posts }
    }
}

/// The commas of all scripts. Unicode has no property for them: these are punctuation and have the word in their names.
pub(crate) const COMMAS: &str = ",\u{55D}\u{60C}\u{7F8}\u{1363}\u{1802}\u{1808}\u{2E32}\u{2E34}\u{2E41}\u{2E49}\
    \u{2E4C}\u{3001}\u{A4FE}\u{A60D}\u{A6F5}\u{FE10}\u{FE11}\u{FE50}\u{FE51}\u{FF0C}\u{FF64}\u{1144D}\u{1145A}\
    \u{16E97}\u{1DA87}";

pub(crate) fn is_comma(character: char) -> bool {
    COMMAS.contains(character)
}

impl Tag {
    /// The tags in a text that parts them by commas, before normalisation. Each comma of any script counts.
    ///
    /// ```
    /// let tags: Vec<_> = handbill::Tag::split("news,新聞、أخبار").collect();
    /// assert_eq!(tags, ["news", "新聞", "أخبار"]);
    /// ```
    pub fn split(text: &str) -> impl Iterator<Item = &str> {
        text.split(is_comma)
    }

    /// Normalises and validates a tag. `None` if the normalised text is empty.
    pub(crate) fn parse(text: &str, max: usize) -> Result<Option<Self>, FieldError> {
        Self(Self::normalise(text)).check(max)
    }

    /// Validates a normalised tag. `None` if it is empty.
    pub(crate) fn check(self, max: usize) -> Result<Option<Self>, FieldError> {
        field::expect_one_line("tags", &self.0)?;
        if !handbill_markdown::has_visible_character(&self.0) {
            return Ok(None);
        }
        field::at_most("tags", &self.0, max)?;
        Ok(Some(self))
    }

    /// Restores a stored tag, without normalising it again.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The tag's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn normalise(text: &str) -> String {
        let composed = NFC.normalize(text);
        let words: Vec<&str> = composed.split_whitespace().collect();
        let text = words.join(" ");
        let text = text.trim_start_matches(['#', ' ']);
        // Lowercasing can decompose a character (U+0130), so it is followed by a second composition.
        NFC.normalize(&text.to_lowercase()).into_owned()
    }
}

impl FromStr for Tag {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let tag = Self::normalise(text);
        if !handbill_markdown::has_visible_character(&tag) {
            return Err(NOT_VALID);
        }
        Ok(Self(tag))
    }
}

as_text!(Tag);

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
        fn normalising_a_normalised_tag_changes_nothing(raw in "[\\PC #\\t]{0,60}") {
            let once = Tag::normalise(&raw);
            prop_assert_eq!(Tag::normalise(&once), once);
        }
    }
}
