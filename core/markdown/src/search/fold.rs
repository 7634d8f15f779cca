//! The one form in which texts are compared.

use std::iter;
use std::ops::Range;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory,
    GraphemeClusterBreak, Script,
};
use unicase::UniCase;

use crate::character::is_combining_mark;

const NFC: ComposingNormalizerBorrowed<'_> = ComposingNormalizerBorrowed::new_nfc();
const NFKD: DecomposingNormalizerBorrowed<'_> = DecomposingNormalizerBorrowed::new_nfkd();

/// A text in this form.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible = text.chars().filter(|c| !is_ignorable(*c));
    let decomposed: String = NFKD.normalize_iter(visible).collect();
    let folded = UniCase::unicode(decomposed).to_folded_case();
    let mut letter = '\0';
    let kept = folded.chars().filter(|character| {
        if !is_combining_mark(*character) {
            letter = *character;
        }
        !is_left_out(*character, letter)
    });
    let kept = NFC.normalize_iter(kept).map(|character| match character {
        // What writers use as an apostrophe, and the signs of Hebrew for which they type one.
        'ʻ' | 'ʼ' | '‘' | '’' | '׳' => '\'',
        '״' => '"',
        other => other,
    });
    kept.collect()
}

/// For each byte of a folded text the part of the text that became it.
pub(super) fn origins(text: &str) -> Vec<Range<usize>> {
    let (mut origins, mut start) = (Vec::new(), 0);
    let later = text.char_indices().skip(1);
    let starts = later.filter_map(|(at, character)| begins_part(character).then_some(at));
    for end in starts.chain([text.len()]) {
        let len = fold(&text[start..end]).len();
        origins.extend(iter::repeat_n(start..end, len));
        start = end;
    }
    origins
}

/// Whether a text that begins with this character is folded alone as it is after any other.
fn begins_part(character: char) -> bool {
    if character.is_ascii() {
        return true;
    }
    let first = NFKD.normalize_iter(iter::once(character)).next();
    let first = first.unwrap_or(character);
    // Vowels and last consonants of Hangul join the letter before them, too.
    let joins_syllable = matches!(
        GraphemeClusterBreak::for_char(first),
        GraphemeClusterBreak::V | GraphemeClusterBreak::T
    );
    !joins_syllable && !is_combining_mark(first) && !is_ignorable(character)
}

fn is_ignorable(character: char) -> bool {
    DefaultIgnorableCodePoint::for_char(character)
}

/// Whether this is a mark without which the letter before it is the same to readers.
fn is_left_out(character: char, letter: char) -> bool {
    let is_mark = GeneralCategory::for_char(character) == GeneralCategory::NonspacingMark;
    let is_plain = matches!(Script::for_char(letter), Script::Latin | Script::Greek);
    is_mark && (is_plain || letter == 'е' && character == '\u{308}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_byte_has_its_origin(text in "[\\p{L}\\p{M}\\p{Hangul}\\p{Cf}a-e]{0,20}|\\PC{0,20}") {
            let (folded, origins) = (fold(&text), origins(&text));
            prop_assert_eq!(origins.len(), folded.len());
            for (at, letter) in folded.match_indices(|c: char| c.is_ascii_alphabetic()) {
                prop_assert!(fold(&text[origins[at].clone()]).contains(letter));
            }
        }
    }
}
