//! The one form in which texts are compared.

use std::iter;
use std::ops::Range;

use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory, Script,
};
use unicase::UniCase;
use unicode_normalization::char::{
    canonical_combining_class, decompose_compatible, is_combining_mark,
};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// A text in this form.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible = text.chars().filter(|c| !is_ignorable(*c));
    let decomposed: String = visible.nfkd().collect();
    let folded = UniCase::unicode(decomposed).to_folded_case();
    let mut base = '\0';
    let kept = folded.chars().filter(|character| {
        if !is_combining_mark(*character) {
            base = *character;
        }
        !is_mark(*character) || !has_no_meaning(*character, base)
    });
    let kept = kept.nfc().map(|character| match character {
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
    let mut first = None;
    decompose_compatible(character, |part| {
        first.get_or_insert(part);
    });
    let first = first.unwrap_or(character);
    canonical_combining_class(first) == 0
        && is_nfkc_quick(iter::once(first)) == IsNormalized::Yes
        && !is_mark(first)
        && !is_ignorable(character)
}

fn is_ignorable(character: char) -> bool {
    DefaultIgnorableCodePoint::for_char(character)
}

fn is_mark(character: char) -> bool {
    GeneralCategory::for_char(character) == GeneralCategory::NonspacingMark
}

/// Whether readers and writers leave this mark out.
fn has_no_meaning(mark: char, base: char) -> bool {
    let is_diaeresis = mark == '\u{308}';
    base == 'е' && is_diaeresis || matches!(Script::for_char(base), Script::Latin | Script::Greek)
}
