//! The first sentence of a text, as the name of what has no other.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::props::{EnumeratedProperty, GeneralCategory, GeneralCategoryGroup};
use unicode_segmentation::UnicodeSegmentation;

use crate::character::{has_visible_character, is_combining_mark};
use crate::cut::cut;

/// Characters of the name of a post without title. Archives have names of earlier releases, so it may not become less.
pub const NAME_LEN: usize = 70;
/// Letters and digits of a sentence of two words that names a post.
const SHORT: usize = 10;

const NFC: ComposingNormalizerBorrowed<'_> = ComposingNormalizerBorrowed::new_nfc();
const NFD: DecomposingNormalizerBorrowed<'_> = DecomposingNormalizerBorrowed::new_nfd();

const CLOSING: GeneralCategoryGroup =
    GeneralCategoryGroup::ClosePunctuation.union(GeneralCategoryGroup::FinalPunctuation);

/// The first sentence, cut to [`NAME_LEN`] characters. `None` if a reader could see nothing of the text.
///
/// Sentences are those of Unicode's text segmentation (UAX #29), except for those that end too early: after one or two
/// short words (*Stop!*), or at the full stop of an abbreviation, an initial or an ordinal. Where a full stop may end a
/// sentence or not, the sentence goes on: a long name says more than a torn one.
pub fn first_sentence(text: &str) -> Option<String> {
    if !has_visible_character(text) {
        return None;
    }
    let mut end = 0;
    for part in text.split_sentence_bounds() {
        end += part.len();
        let (sentence, rest) = (text[..end].trim(), text[end..].trim_start());
        let is_full = sentence.chars().nth(NAME_LEN).is_some();
        let is_whole = says_something(sentence) && !goes_on(sentence, rest);
        if is_full || is_whole || is_label(sentence) {
            break;
        }
    }
    Some(cut(text[..end].trim().to_owned(), NAME_LEN))
}

fn says_something(sentence: &str) -> bool {
    let letters = sentence.chars().filter(|c| c.is_alphanumeric());
    sentence.unicode_words().nth(2).is_some() || letters.count() >= SHORT
}

/// Whether it is a word and a number, such as *Chapter 3.*
fn is_label(sentence: &str) -> bool {
    let words: Vec<_> = sentence.unicode_words().collect();
    let is_long = |word: &str| word.chars().nth(3).is_some();
    matches!(words[..], [word, number] if is_long(word) && number.chars().all(char::is_numeric))
}

/// Whether what looks like two sentences is one.
fn goes_on(sentence: &str, rest: &str) -> bool {
    let is_closing = |c: char| CLOSING.contains(GeneralCategory::for_char(c));
    if rest.starts_with(|c: char| c.is_lowercase() || is_closing(c)) {
        return true;
    }
    let Some(before) = sentence.strip_suffix('.') else {
        return false;
    };
    let is_part_of_word = |c: char| c.is_alphanumeric() || is_combining_mark(c);
    let word = before.rsplit(|c| !is_part_of_word(c)).next();
    rest.starts_with(char::is_numeric) || word.is_some_and(is_shortened)
}

/// Whether a word before a full stop looks like an initial, an ordinal or an abbreviation.
fn is_shortened(word: &str) -> bool {
    let word = NFC.normalize(word);
    let length = word.chars().count();
    let is_number = word.chars().all(char::is_numeric);
    let is_roman = word.chars().all(|c| "IVXLCDM".contains(c));
    let mut letters = word.chars();
    let has_capital = letters.next().is_some_and(char::is_uppercase);
    let is_lower_case = letters.all(char::is_lowercase);
    let decomposed = NFD.normalize_iter(word.chars());
    let mut bare = decomposed.filter(|c| !is_combining_mark(*c));
    let is_vowelless = bare.all(is_consonant) && word.contains(char::is_lowercase);
    match length {
        0 => false,
        1 => true,
        2 | 3 if is_number => true,
        // `ул.`, but not `us.`
        2 if is_lower_case && !word.is_ascii() => true,
        // `Prof.`, `Nr.`, `Рис.`
        2..=4 if has_capital && is_lower_case => true,
        // `bzw.`, `Mrs.`, `XIV.`
        _ => is_vowelless || is_roman,
    }
}

/// A word that has only such letters cannot be spoken.
fn is_consonant(letter: char) -> bool {
    letter.is_ascii_alphabetic() && !"aeiouyAEIOUY".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_first_whole_sentence() {
        for (name, rest) in [
            ("A short note.", " It has no title."),
            ("Dr. Smith visited us.", " Then he left."),
            (
                "We met Prof. Smith, Mrs. Jones and J. R. R. Miller.",
                " All sang.",
            ),
            ("Am 3. Oktober 2026 feiern wir.", " Kommt alle."),
            ("Louis XIV. war ein König in Frankreich.", " Er tanzte."),
            ("Das ist z. B. ein Satz, bzw. Teil davon.", " Mehr folgt."),
            (
                "The U.S. Army, e.g. Rangers, ate approx. 5 tons.",
                " It left.",
            ),
            ("\"Stop!\" she said.", " He stopped."),
            ("\"You should stop right now!\" she said.", " He stopped."),
            ("« Il faut vraiment partir ! » dit-elle.", " Il part."),
            ("Смотри рис. 5 и ул. Ленина.", " Потом ещё."),
            ("It happened in 2026.", " Later it stopped."),
            ("Number 3.", " More."),
            ("Is this a question?", " It is."),
            ("今天天气很好。", "我们去公园。"),
            ("هل هذا سؤال طويل؟", " نعم."),
            ("यह एक वाक्य है।", " और एक।"),
            ("No sentence ends here", ""),
        ] {
            let found = first_sentence(&format!("{name}{rest}"));
            assert_eq!(found.as_deref(), Some(name));
        }
        assert_eq!(first_sentence("\u{200B} "), None);
        let long = first_sentence(&"word ".repeat(40)).unwrap();
        assert_eq!(long, "word ".repeat(13) + "word…");
    }
}
