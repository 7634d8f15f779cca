//! Where a text may be cut. This is the one rule for excerpts, names and headlines.

use icu_properties::props::{
    BinaryProperty, EnumeratedProperty, GeneralCategory, GeneralCategoryGroup, TerminalPunctuation,
};
use unicode_segmentation::UnicodeSegmentation;

/// What looks odd at the end of a text that was cut, besides what ends a sentence or a part of one.
const OPENING: GeneralCategoryGroup = GeneralCategoryGroup::DashPunctuation
    .union(GeneralCategoryGroup::OpenPunctuation)
    .union(GeneralCategoryGroup::InitialPunctuation);

/// At most `max` characters of a text. If that is not all of it, it ends in `…` after a whole word.
///
/// Words are those of Unicode's text segmentation (UAX #29): in scripts without spaces, nearly each user-perceived
/// character is one. A word that would leave half of the room empty is cut itself, between such characters.
pub fn cut(mut text: String, max: usize) -> String {
    if text.chars().nth(max).is_none() {
        return text;
    }
    let room = text.char_indices().nth(max - 1).map_or(0, |(at, _)| at);
    let fits = |at: &usize| *at <= room;
    let characters = text.grapheme_indices(true).map(|(at, _)| at);
    let characters: Vec<usize> = characters.take_while(fits).collect();
    let words = text.split_word_bound_indices().map(|(at, _)| at);
    // Some words begin within a character: U+0E33, the second part of a Thai one, counts as a word.
    let words = words.take_while(fits);
    let words = words.filter_map(|at| characters.binary_search(&at).ok());
    let last = characters.len().saturating_sub(1);
    let end = words.last().filter(|end| *end > last / 2).unwrap_or(last);
    text.truncate(characters[end]);
    text.truncate(text.trim_end_matches(stands_before_more).len());
    text.push('…');
    text
}

fn stands_before_more(character: char) -> bool {
    character.is_whitespace()
        || character == '…'
        || OPENING.contains(GeneralCategory::for_char(character))
        || TerminalPunctuation::for_char(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_full(text: &str, max: usize) {
        let cut = cut(text.repeat(max), max);
        let length = cut.chars().count();
        assert!(length > max * 9 / 10 && length <= max, "{length}: {cut}");
    }

    #[test]
    fn a_text_is_cut_after_a_word_in_scripts_that_part_words() {
        for (text, expected) in [
            ("one two three", "one two…"),
            ("один два три", "один два…"),
            ("one (two) three", "one (two)…"),
            ("one. two. three.", "one. two…"),
            ("one two – three", "one two…"),
            ("it isn't three.", "it isn't…"),
        ] {
            assert_eq!(cut(text.to_owned(), 10), expected, "{text}");
        }
        assert_eq!(cut("exactly 10".to_owned(), 10), "exactly 10");
    }

    #[test]
    fn a_text_without_spaces_fills_its_room() {
        for text in [
            "版本控制與協作平台，",
            "これは見出しです。",
            "データベース",
            "ป้ายกำกับภาษาไทย",
            "ຕົວອັກສອນລາວ",
            "ភាសាខ្មែរ",
            "မြန်မာဘာသာ",
            "བོད་ཡིག་",
            "ꦲꦏ꧀ꦱꦫꦗꦮ",
            "한국어문장",
            "a",
        ] {
            is_full(text, 70);
            is_full(text, 200);
            is_full(&format!("GitHub {text}"), 200);
        }
        is_full("https://example.org/", 200);
    }

    #[test]
    fn no_user_perceived_character_is_cut() {
        for character in ["👩‍👩‍👧‍👦", "🇫🇷", "e\u{301}\u{323}", "กำ", "क्षि", "각", "\r\n"]
        {
            for max in 1..30 {
                let cut = cut(character.repeat(20), max);
                let whole = cut.trim_end_matches('…').replace(character, "");
                assert_eq!(whole, "", "{character:?} of {max}");
            }
        }
    }
}
