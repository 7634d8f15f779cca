//! The lines of a text: their breaks, and what a form remembers of those that its user opened.

use sha2::{Digest, Sha256};

use crate::hex;

/// A longer text is not merged, so that its form does not become much longer than the text.
const MAX_LINES: usize = 5_000;

/// The beginning of a line's SHA-256.
pub(super) type LineHash = [u8; 6];

/// The lines of the text that a user opened, by their hashes.
#[derive(Clone)]
pub(super) struct OpenedLines(Vec<LineHash>);

impl OpenedLines {
    /// The lines of a text. `None` if there are too many.
    pub(super) fn of(text: &str) -> Option<Self> {
        let hashes: Vec<_> = with_line_feeds(text).split('\n').map(hash).collect();
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
