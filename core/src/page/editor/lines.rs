//! The lines of a text: where they are, and what a form remembers of those that its user opened.

use std::iter;
use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::post::hex;

/// A longer text is not merged, so that its form does not become much longer than the text.
const MAX_LINES: usize = 5_000;

/// The beginning of a line's SHA-256.
pub(super) type LineHash = [u8; 6];

/// The lines of the text that a user opened, by their hashes.
#[derive(Clone)]
pub(super) struct OpenedLines(Vec<LineHash>);

/// A text in lines, each of which ends with a line feed.
pub(super) struct Lines {
    text: String,
    /// Where the lines begin, and where the last one ends.
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text, whatever they end with. It has one at least.
    pub(super) fn of(text: &str) -> Self {
        let mut text = with_line_feeds(text);
        text.push('\n');
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        let starts = iter::once(0).chain(ends).collect();
        Self { text, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where these lines are in the text, with their ends.
    pub(super) fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.starts[lines.start]..self.starts[lines.end]
    }

    pub(super) fn text(&self, bytes: &Range<usize>) -> &str {
        &self.text[bytes.clone()]
    }

    /// These lines, without their ends.
    pub(super) fn iter(&self, lines: &Range<usize>) -> impl DoubleEndedIterator<Item = &str> {
        self.text(&self.bytes(lines)).split_terminator('\n')
    }

    /// These lines without the last one, if that is empty: it is only the end of the line before.
    pub(super) fn without_empty_end(&self, lines: &Range<usize>) -> Range<usize> {
        let is_empty = self.iter(lines).next_back() == Some("");
        lines.start..lines.end - usize::from(is_empty)
    }
}

impl OpenedLines {
    /// The lines of a text. `None` if there are too many.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = with_line_feeds(text);
        let lines = text.split('\n').take(MAX_LINES + 1);
        let hashes: Vec<_> = lines.map(hash).collect();
        (hashes.len() <= MAX_LINES).then_some(Self(hashes))
    }

    /// Reads a field of the form, as [`OpenedLines::to_field`] makes it.
    pub(super) fn parse(field: &str) -> Option<Self> {
        let hashes = field.split('-').map(hex::decode);
        hashes.collect::<Option<_>>().map(Self)
    }

    pub(super) fn hashes(&self) -> &[LineHash] {
        &self.0
    }

    pub(super) fn to_field(&self) -> String {
        let hashes: Vec<_> = self.0.iter().map(|hash| hex::encode(hash)).collect();
        hashes.join("-")
    }
}

pub(super) fn hash(line: &str) -> LineHash {
    let hash: [u8; 32] = Sha256::digest(line).into();
    std::array::from_fn(|place| hash[place])
}

/// Normalises line breaks to LF (HTML, "normalize newlines").
pub(super) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_other_forms_are_not_lines() {
        for field in ["0123456789ab", "0123456789ab-0123456789ab"] {
            assert_eq!(OpenedLines::parse(field).unwrap().to_field(), field);
        }
        for field in ["", "x", "0123456789ab-", "0123456789"] {
            assert!(OpenedLines::parse(field).is_none(), "{field}");
        }
        assert!(OpenedLines::of(&"\n".repeat(MAX_LINES)).is_none());
    }
}
