//! The words of a text.

use std::iter;
use std::ops::Range;

use icu_properties::props::{
    BinaryProperty, Emoji, EnumeratedProperty, GeneralCategory, GeneralCategoryGroup, LineBreak,
    Script,
};
use unicode_segmentation::UnicodeSegmentation;

use super::fold::fold;
use crate::character::is_combining_mark;

/// The version of the rule for words. What was stored with another one has to be made again. It grows with each change
/// of the rule, and of Unicode's data, that gives a text other words.
pub const WORDS_VERSION: u32 = 1;

/// The most characters of a word, so that each store can have it in an index.
const WORD_LEN: usize = 64;

/// What words consist of, besides the signs that join their parts.
const WORD: GeneralCategoryGroup = GeneralCategoryGroup::Letter
    .union(GeneralCategoryGroup::Mark)
    .union(GeneralCategoryGroup::Number);

/// All words by which a text is found, in its order, as often as it has them. Each has at most 64 characters, and none
/// that is white space or a control character.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    stretches(text).flat_map(|(_, stretch)| match plain_word(stretch) {
        Some(word) => vec![cut(word).to_ascii_lowercase()],
        None => words_of(stretch),
    })
}

/// The one word of a stretch of ASCII that has signs at its ends only, as most have: in a tenth of the time.
fn plain_word(stretch: &str) -> Option<&str> {
    let word = stretch.trim_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_plain && !word.is_empty()).then_some(word)
}

fn words_of(stretch: &str) -> Vec<String> {
    let text = fold(stretch);
    let pieces = Piece::all(&text);
    let words = pieces.iter().flat_map(|piece| piece.words(&text));
    words.map(|word| cut(&text[word]).to_owned()).collect()
}

/// What is between white space, which no word goes across, and where that begins.
pub(super) fn stretches(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let stretches = text.split_inclusive(char::is_whitespace);
    stretches.scan(0, |next, stretch| {
        let start = *next;
        *next += stretch.len();
        Some((start, stretch))
    })
}

/// The beginning of a word that is stored.
pub(super) fn cut(word: &str) -> &str {
    let end = word.char_indices().nth(WORD_LEN);
    end.map_or(word, |(end, _)| &word[..end])
}

/// What readers see as a word, or as several without spaces.
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

pub(super) enum Kind {
    Word,
    Emoji,
    /// Letters of scripts without spaces.
    Unspaced,
}

impl Piece {
    /// Those of a folded text.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let (mut pieces, mut start) = (Vec::new(), 0);
        while let Some(first) = text[start..].chars().next() {
            let is_unspaced = is_unspaced(first);
            let is_other = |c: char| match is_unspaced {
                true => !self::is_unspaced(c) && !is_combining_mark(c),
                false => self::is_unspaced(c),
            };
            let end = text[start..]
                .find(is_other)
                .map_or(text.len(), |len| start + len);
            if is_unspaced {
                let (kind, range) = (Kind::Unspaced, start..end);
                pieces.push(Self { kind, range });
            } else {
                let segments = text[start..end].split_word_bound_indices();
                pieces.extend(segments.filter_map(|(at, segment)| Self::of(start + at, segment)));
            }
            start = end;
        }
        pieces
    }

    /// Of a segment, without signs at its ends.
    fn of(start: usize, segment: &str) -> Option<Self> {
        let rest = segment.trim_start_matches(|c| is_sign(c) || is_combining_mark(c));
        let word = rest.trim_end_matches(is_sign);
        let is_emoji = segment.starts_with(|c: char| !c.is_ascii() && Emoji::for_char(c));
        let (kind, start, word) = match word.is_empty() {
            false => (Kind::Word, start + segment.len() - rest.len(), word),
            true if is_emoji => (Kind::Emoji, start, segment),
            true => return None,
        };
        let range = start..start + word.len();
        Some(Self { kind, range })
    }

    /// The words by which it is found.
    pub(super) fn words(&self, text: &str) -> Vec<Range<usize>> {
        let start = self.range.start;
        let piece = &text[self.range.clone()];
        match self.kind {
            Kind::Unspaced => {
                let ends = piece.char_indices().skip(2).map(|(at, _)| at);
                let ends = ends.chain([piece.len(), piece.len()]);
                let starts = piece.char_indices().map(|(at, _)| at);
                starts
                    .zip(ends)
                    .map(|(from, to)| start + from..start + to)
                    .collect()
            }
            Kind::Word if piece.contains(is_sign) && piece.contains(is_letter) => {
                let parts = piece.split_inclusive(is_sign).scan(start, |next, part| {
                    let from = *next;
                    *next += part.len();
                    Some(from..from + part.trim_end_matches(is_sign).len())
                });
                let parts = parts.filter(|part| !part.is_empty());
                iter::once(self.range.clone()).chain(parts).collect()
            }
            Kind::Word | Kind::Emoji => vec![self.range.clone()],
        }
    }
}

fn is_letter(character: char) -> bool {
    GeneralCategoryGroup::Letter.contains(GeneralCategory::for_char(character))
}

fn is_sign(character: char) -> bool {
    !WORD.contains(GeneralCategory::for_char(character))
}

/// Whether it is of a word in a script without spaces: one of those that the rule names, with its digits, or one
/// whose lines may break between any two letters.
pub(super) fn is_unspaced(character: char) -> bool {
    if character.is_ascii() || is_sign(character) {
        return false;
    }
    let is_named = matches!(
        Script::for_char(character),
        Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
    );
    let can_break = matches!(
        LineBreak::for_char(character),
        LineBreak::Ideographic
            | LineBreak::ConditionalJapaneseStarter
            | LineBreak::Nonstarter
            | LineBreak::ComplexContext
            | LineBreak::Aksara
            | LineBreak::AksaraPrebase
            | LineBreak::AksaraStart
    );
    is_named || can_break
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> String {
        let words: Vec<_> = words(text).collect();
        words.join(" ")
    }

    #[test]
    fn words_are_compared_in_one_form() {
        for (text, expected) in [
            // Forms of the same character.
            (
                "Ｆｕｌｌ ﬁne x² ① ㎒ ﷺ",
                "full fine x2 1 mhz صلى الله عليه وسلم",
            ),
            ("각 ㄱㅏㄱ 각 ｶﾞ ガ", "각 가\u{1100} 각 ガ ガ"),
            // Full case folding.
            (
                "STRASSE straße ΌΣΟΣ İ ᏣᎳᎩ ꮳꮃꭹ",
                "strasse strasse οσοσ i ᏣᎳᎩ ᏣᎳᎩ",
            ),
            // Marks, of Latin and Greek letters only.
            ("Café Việt ᾄδω ά", "cafe viet αιδω α"),
            ("Ёлка ё́ й й ї", "елка е\u{301} й й ї"),
            ("हिन्दी שָׁלוֹם كِتَاب", "हिन्दी שָׁלוֹם كِتَاب"),
            // What is displayed as nothing.
            (
                "sof\u{AD}t z\u{200B}\u{202E}w e\u{34F}\u{301} и\u{200D}\u{306} می\u{200C}شود",
                "soft zw e й میشود",
            ),
            ("\u{3164} \u{200B}", ""),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn words_are_those_of_unicode_and_their_parts() {
        for (text, expected) in [
            ("one two-three; (four)", "one two three four"),
            (
                "don't don’t donʼt 'quoted'",
                "don't don t don't don t don't don t quoted",
            ),
            ("l’Été", "l'ete l ete"),
            (
                "main.rs snake_case __init__",
                "main.rs main rs snake_case snake case init",
            ),
            ("3.14 1,000 v1.2", "3.14 1,000 v1.2 v1 2"),
            ("צה״ל 'שלום'", "צה\"ל צה ל שלום"),
            ("བོད་ཡིག", "བོད ཡིག"),
            ("- ... ?! € + _ \0 '’", ""),
            ("👍🏽🚀❤\u{FE0F} 👩\u{200D}👩 🇫🇷", "👍🏽 🚀 ❤ 👩 👩 🇫🇷"),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_plain_word_is_that_of_the_rule(stretch in "[\\x00-\\x7F]{0,8}|\\PC{0,4}[a-zA-Z0-9]{0,80}\\PC{0,4}") {
            prop_assume!(!stretch.contains(char::is_whitespace));
            if let Some(word) = plain_word(&stretch) {
                prop_assert_eq!(words_of(&stretch), vec![cut(word).to_ascii_lowercase()]);
            }
        }
    }

    #[test]
    fn scripts_without_spaces_have_pairs() {
        for (text, expected) in [
            ("日本語。字", "日本 本語 語 字"),
            ("データと人々", "デー ータ タと と人 人々 々"),
            ("Tシャツ第3回", "t シャ ャツ ツ第 第 3 回"),
            ("น้ำดี", "น\u{E49} \u{E49}\u{E4D} \u{E4D}า าด ดี \u{E35}"),
            ("ລາວ ខ្មែរ", "ລາ າວ ວ ខ\u{17D2} \u{17D2}ម មែ ែរ រ"),
            ("မြန်", "မ\u{103C} \u{103C}န န\u{103A} \u{103A}"),
            ("๒๕๖๙", "๒๕ ๕๖ ๖๙ ๙"),
            ("ꦲꦏ 한국어", "ꦲꦏ ꦏ 한국어"),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    /// If this fails, texts have other words than those that stores have: raise the version.
    #[test]
    fn this_version_has_these_words() {
        let is_assigned = |c: &char| GeneralCategory::for_char(*c) != GeneralCategory::Unassigned;
        let found = ('\0'..'\u{F0000}')
            .filter(is_assigned)
            .flat_map(|character| {
                let words: Vec<_> = words(&format!("a{character}b {character}")).collect();
                words.join(" ").into_bytes()
            });
        let sum = found.fold(0, |sum: u64, byte| {
            sum.wrapping_mul(31).wrapping_add(byte.into())
        });
        assert_eq!((WORDS_VERSION, sum), (1, 0xf14c_8ec8_991d_273a));
    }

    #[test]
    fn a_word_has_at_most_64_characters() {
        let long = "é".repeat(65);
        assert_eq!(found(&long), "e".repeat(64));
        assert_eq!(found(&"ж".repeat(1000)), "ж".repeat(64));
    }
}
