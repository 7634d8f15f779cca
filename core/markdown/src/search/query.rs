//! What a reader searches for, and where a text has it.

use std::collections::BTreeSet;
use std::fmt;
use std::iter;
use std::ops::{Bound, Range};

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::props::{EnumeratedProperty, Script};

use super::fold::fold;
use super::words::{Kind, Piece, cut, stretches};

const NFD: DecomposingNormalizerBorrowed<'_> = DecomposingNormalizerBorrowed::new_nfd();

/// The most words of a query.
pub const MAX_WORDS: usize = 16;

/// The letters of a word that also finds the words that begin with it.
const PREFIX_LEN: usize = 3;

/// The words that a post must have to be found. Nothing in a query is an operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
}

/// A word that a post must have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term {
    /// The word, as [`words`](super::words()) returns it, or its beginning.
    pub text: String,
    /// Whether each word that begins with it will do.
    pub is_prefix: bool,
}

/// The query has more than [`MAX_WORDS`] words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyWords;

impl Query {
    /// The words of a query, each once. What stands together without white space or a sign, such as `東京` or
    /// `第3回`, counts as one word, although it is found by several terms.
    ///
    /// # Errors
    /// If it has more than [`MAX_WORDS`] words.
    pub fn parse(query: &str) -> Result<Self, TooManyWords> {
        let (mut terms, mut count) = (BTreeSet::new(), 0);
        for (_, stretch) in stretches(query) {
            let text = fold(stretch);
            let mut end = None;
            for piece in Piece::all(&text) {
                count += usize::from(end != Some(piece.range.start));
                end = Some(piece.range.end);
                if count > MAX_WORDS {
                    return Err(TooManyWords);
                }
                terms.extend(Term::all(&text, &piece));
            }
        }
        let terms = terms.into_iter().collect();
        Ok(Self { terms })
    }

    /// A post is found if it has all of them, and there are some.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether it has no word, and so finds nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether it finds a post with these words: what each store must do.
    #[must_use]
    pub fn matches(&self, words: &BTreeSet<String>) -> bool {
        let has = |term: &Term| {
            let from = (Bound::Included(term.text.as_str()), Bound::Unbounded);
            let next = words.range::<str, _>(from).next();
            next.is_some_and(|word| term.finds(word))
        };
        !self.is_empty() && self.terms.iter().all(has)
    }
}

impl Term {
    /// Those that find a piece of a query.
    fn all(text: &str, piece: &Piece) -> Vec<Self> {
        let term = |range: Range<usize>, is_prefix| Self {
            text: cut(&text[range]).to_owned(),
            is_prefix,
        };
        let mut words = piece.words(text);
        match piece.kind {
            // In a post, another letter may follow the last one.
            Kind::Unspaced if words.len() > 1 => {
                words.pop();
                words.into_iter().map(|pair| term(pair, false)).collect()
            }
            Kind::Unspaced => vec![term(piece.range.clone(), true)],
            Kind::Word => {
                let is_long = letters(&text[piece.range.clone()]) >= PREFIX_LEN;
                vec![term(piece.range.clone(), is_long)]
            }
            Kind::Emoji => vec![term(piece.range.clone(), false)],
        }
    }

    /// Whether a post with this word has the term.
    #[must_use]
    pub fn finds(&self, word: &str) -> bool {
        match self.is_prefix {
            true => word.starts_with(&self.text),
            false => word == self.text,
        }
    }
}

/// How many letters a word has. A character of Hangul is a block of two or three.
fn letters(word: &str) -> usize {
    let letters = word
        .chars()
        .map(|character| match Script::for_char(character) {
            Script::Hangul => NFD.normalize_iter(iter::once(character)).count(),
            _ => 1,
        });
    letters.sum()
}

impl fmt::Display for TooManyWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a query has at most {MAX_WORDS} words")
    }
}

impl std::error::Error for TooManyWords {}

#[cfg(test)]
mod tests {
    use icu_normalizer::ComposingNormalizerBorrowed;
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;
    use crate::character::is_combining_mark;
    use crate::search::{searchable_text, words};

    const NFC: ComposingNormalizerBorrowed<'_> = ComposingNormalizerBorrowed::new_nfc();
    const NFKC: ComposingNormalizerBorrowed<'_> = ComposingNormalizerBorrowed::new_nfkc();
    const NFKD: DecomposingNormalizerBorrowed<'_> = DecomposingNormalizerBorrowed::new_nfkd();

    fn finds(query: &str, text: &str) -> bool {
        let words = words(text).collect();
        Query::parse(query).unwrap().matches(&words)
    }

    #[test]
    fn a_query_finds_what_has_all_of_its_words() {
        for (text, found, not_found) in [
            (
                "One two",
                vec!["two ONE", "on\u{AD}e", "one-two"],
                vec!["one three", "onetwo", "wo"],
            ),
            // Three letters begin a word. A character of Hangul has two or three.
            (
                "Bookshop café ab",
                vec!["boo", "CAF", "ab"],
                vec!["bo", "ca", "a", "shop", "bookz"],
            ),
            ("서울에서 가나다", vec!["서울", "가나"], vec!["가", "울"]),
            (
                "L’homme n'a",
                vec!["homme", "l'homme", "L'HOM", "a"],
                vec!["lhomme", "omme"],
            ),
            ("3.14", vec!["3.14", "3.1"], vec!["14", "314"]),
            ("мой ёж", vec!["МОЙ", "еж"], vec!["мои"]),
            (
                "今日はOKです",
                vec!["今日", "日は", "はOK", "で"],
                vec!["日今", "今は"],
            ),
            ("ม้า", vec!["ม้า", "ม้", "้า"], vec!["มา"]),
            ("हिन्दी", vec!["हिन्दी", "हिन्"], vec!["हन्दी", "हि"]),
            ("a", vec![], vec!["", " ", "?!", "\0", "\"", "*", "%"]),
            (
                "or near x c",
                vec!["OR", "NEAR(", "-x", "x*", "c++", "x:"],
                vec!["NOT x"],
            ),
        ] {
            for query in found {
                assert!(finds(query, text), "{query} in {text}");
            }
            for query in not_found {
                assert!(!finds(query, text), "{query} in {text}");
            }
        }
    }

    #[test]
    fn a_query_has_at_most_16_words() {
        for (word, terms) in [("a ", 1), ("don't ", 1), ("日本語 ", 2), ("第3回 ", 3)] {
            assert_eq!(Query::parse(&word.repeat(16)).unwrap().terms().len(), terms);
            assert_eq!(Query::parse(&word.repeat(17)), Err(TooManyWords));
        }
        for together in ["日本語", "ไทย", "🚀", "?", "ꦲ"] {
            assert!(Query::parse(&together.repeat(50)).is_ok());
        }
    }

    /// Letters, marks, signs and spaces of many scripts, and all else.
    const TEXT: &str = "([\\p{Latin}\\p{Greek}\\p{Cyrillic}\\p{Hebrew}\\p{Arabic}\\p{Devanagari}\\p{Tamil}\\p{Hangul}\
        \\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}\\p{Tibetan}\\p{Javanese}\\p{M}\\p{N}\
        \\p{Emoji}\\p{Cf}]|[a-zé \\-_.'’\\s]|\\PC){0,40}";
    const UNSPACED: &str = "[\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Thai}\\p{Lao}\\p{Khmer}\\p{Myanmar}\
        &&[\\p{L}\\p{M}\\p{N}]]{2,20}";
    const MARKED: &str =
        "([\\p{Latin}\\p{Greek}&&[\\p{Lu}\\p{Ll}\\p{Lo}]]|[\u{300}-\u{36F} ]){0,20}";

    proptest! {
        #[test]
        fn forms_and_case_make_no_difference(text in TEXT) {
            // The capitals of these are those of other letters, too.
            let has_capital = |c: &char| {
                let mut parts = NFD.normalize_iter(iter::once(*c));
                parts.all(|c| c != 'ı' && c != '\u{345}')
            };
            let text: String = text.chars().filter(has_capital).collect();
            let found = |text: &str| words(text).collect::<Vec<_>>();
            let expected = found(&text);
            for form in [
                NFC.normalize(&text).into_owned(),
                NFD.normalize(&text).into_owned(),
                NFKC.normalize(&text).into_owned(),
                NFKD.normalize(&text).into_owned(),
                text.to_uppercase(),
                text.to_lowercase(),
            ] {
                prop_assert_eq!(&found(&form), &expected, "{:?}", form);
            }
            for word in expected {
                prop_assert!(!word.contains(|c: char| c.is_whitespace() || c.is_control()));
            }
        }

        #[test]
        fn marks_on_latin_and_greek_letters_make_no_difference(text in MARKED) {
            // Case turns the iota below a letter into a letter.
            let text: String = NFD.normalize_iter(text.chars()).filter(|c| *c != '\u{345}').collect();
            let bare: String = text.chars().filter(|c| !is_combining_mark(*c)).collect();
            prop_assert!(words(&text).eq(words(&bare)));
        }

        #[test]
        fn a_post_is_found_by_any_part_of_it(text in TEXT, from in 0_usize..8, count in 1_usize..4) {
            let part: Vec<_> = text.split_whitespace().skip(from).take(count).collect();
            if let Ok(query) = Query::parse(&part.join(" ")) && !query.is_empty() {
                let words = words(&text).collect();
                prop_assert!(query.matches(&words));
            }
        }

        #[test]
        fn a_post_is_found_by_the_beginning_of_a_word(word in "[\\p{L}&&[^\\p{Lm}]]{3,20}", len in 3_usize..20) {
            for word in words(&word).collect::<Vec<_>>() {
                let beginning: String = word.chars().take(len).collect();
                prop_assert!(finds(&beginning, &word), "{} in {}", beginning, word);
            }
        }

        #[test]
        fn text_without_spaces_is_found_by_any_part_of_it(run in UNSPACED, from in 0_usize..19, len in 1_usize..19) {
            let run = NFKC.normalize(&run);
            let part: String = run.chars().skip(from).take(len).collect();
            let text = format!("12{run}ab");
            let is_visible = words(&part).next().is_some();
            prop_assert!(!is_visible || finds(&part, &text), "{} in {}", part, text);
        }

        #[test]
        fn marks_are_whole_characters_where_words_match(text in TEXT, other in TEXT, max in 2_usize..30) {
            let stretch = text.split_whitespace().next().unwrap_or_default();
            let query = Query::parse(stretch).unwrap_or_default();
            let marks = query.marks(&text);
            prop_assert_eq!(marks.is_empty(), query.is_empty());
            let borders: Vec<_> = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
            let mut ends = vec![0];
            for Range { start, end } in marks {
                prop_assert!(borders.contains(&start) && borders.contains(&end));
                prop_assert!(start < end && ends.last() <= Some(&start));
                ends.push(end);
            }
            let snippet = query.snippet(&(other + " " + &text), max);
            prop_assert!(snippet.text.chars().count() <= max);
            prop_assert_eq!(query.marks(&snippet.text), snippet.marks);
        }
    }

    /// Minutes each, if one of them took quadratic time.
    #[test]
    fn long_texts_take_linear_time() {
        let query = Query::parse("a 日本 🚀 needle").unwrap();
        for text in [
            "a".repeat(1 << 20),
            "a ".repeat(50_000),
            "a.".repeat(50_000),
            "a@".repeat(50_000),
            "日".repeat(100_000),
            "🚀".repeat(100_000),
            "🇫".repeat(100_000),
            "\0".repeat(100_000),
            "\u{202E}\u{3164}".repeat(50_000),
            "\u{1100}".repeat(100_000),
            "e".to_owned() + &"\u{301}\u{323}".repeat(50_000),
            "ж".to_owned() + &"\u{301}\u{323}".repeat(50_000),
            "ก".to_owned() + &"\u{E49}\u{E35}".repeat(50_000),
        ] {
            let text = searchable_text(&text);
            assert!(words(&text).all(|word| word.chars().count() <= 64));
            assert!(query.marks(&text).len() <= text.len());
            assert!(query.snippet(&text, 200).text.chars().count() <= 200);
        }
    }
}
