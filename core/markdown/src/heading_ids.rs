//! Identifiers of headings, so that one can link to them.

use std::collections::HashMap;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::character::is_combining_mark;
use super::html::Id;

const NFC: ComposingNormalizerBorrowed<'_> = ComposingNormalizerBorrowed::new_nfc();

/// Characters of a heading that its identifier is made from.
const USED: usize = 60;

/// Gives each heading an identifier of its own: `h-` and a slug of its text, with a number where two are
/// alike.
#[derive(Default)]
pub(super) struct HeadingIds {
    /// The slugs that were given, and how many were asked for each.
    given: HashMap<String, u32>,
    /// The headings so far.
    pub(super) headings: Vec<Heading>,
}

/// A heading that was written.
pub(super) struct Heading {
    pub(super) id: Id,
    pub(super) text: String,
}

impl HeadingIds {
    /// Gives the next heading an identifier. It depends on the headings before it only.
    pub(super) fn next(&mut self, text: String) -> &Id {
        let slug = slug(&text);
        let mut count = self.given.get(&slug).copied().unwrap_or(0);
        // A slug with a number may be another heading's slug. Each number is tried once, so that all of
        // this takes linear time.
        let id = loop {
            count += 1;
            let candidate = match count {
                1 => slug.clone(),
                count => format!("{slug}-{count}"),
            };
            if count == 1 || !self.given.contains_key(&candidate) {
                break candidate;
            }
        };
        self.given.insert(slug, count);
        self.given.entry(id.clone()).or_insert(1);
        let (id, place) = (Id::of_heading(&id), self.headings.len());
        self.headings.push(Heading { id, text });
        &self.headings[place].id
    }
}

/// The letters and digits of a text in lower case, with `-` for all between them.
fn slug(text: &str) -> String {
    let text: String = NFC.normalize_iter(text.chars().take(USED)).collect();
    let text = text.to_lowercase();
    let is_kept = |character: char| character.is_alphanumeric() || is_combining_mark(character);
    let words = text.split(|character| !is_kept(character));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(headings: &[&str]) -> Vec<String> {
        let mut ids = HeadingIds::default();
        for heading in headings {
            ids.next((*heading).to_owned());
        }
        let each = ids.headings.iter();
        each.map(|heading| heading.id.as_str().to_owned()).collect()
    }

    #[test]
    fn a_slug_has_letters_and_digits_of_any_script() {
        for (heading, expected) in [
            ("Hello, World!", "h-hello-world"),
            ("  C++ & Rust 2024 – don't  ", "h-c-rust-2024-don-t"),
            ("Ünï\u{301} E\u{301}", "h-ünḯ-é"),
            ("हिन्दी में", "h-हिन्दी-में"),
            ("日本語 ΣΑΣ", "h-日本語-σας"),
            ("\"><script>", "h-script"),
            ("?!", "h-"),
        ] {
            assert_eq!(ids(&[heading]), [expected]);
        }
        let long = ids(&[&"word ".repeat(100)]).remove(0);
        assert_eq!(long, "h".to_owned() + &"-word".repeat(12));
    }

    #[test]
    fn headings_that_are_alike_are_numbered() {
        assert_eq!(
            ids(&["a", "A", "a!", "b"]),
            ["h-a", "h-a-2", "h-a-3", "h-b"]
        );
        // A number that another heading has is skipped.
        assert_eq!(
            ids(&["a 2", "a", "a", "a 2", "a-2-2", "?", "?"]),
            [
                "h-a-2",
                "h-a",
                "h-a-3",
                "h-a-2-2",
                "h-a-2-2-2",
                "h-",
                "h--2"
            ]
        );
        assert_eq!(
            ids(&["a", "a", "a 2", "a"]),
            ["h-a", "h-a-2", "h-a-2-2", "h-a-3"]
        );
    }
}
