//! Where a text has what a reader searches for.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::Query;
use super::fold::{fold, origins};
use super::words::{Piece, cut, stretches};
use crate::excerpt::FirstWords;

/// A piece of a text, with the matches in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snippet {
    /// The piece on one line, with `…` where it was cut.
    pub text: String,
    /// The bytes of it that match, from left to right.
    pub marks: Vec<Range<usize>>,
}

impl Query {
    /// The bytes of a text that match, from left to right and without overlap. They begin and end with
    /// user-perceived characters.
    #[must_use]
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let mut marks: Vec<Range<usize>> = Vec::new();
        let mut places = self.places(text).peekable();
        for (start, character) in text.grapheme_indices(true) {
            let end = start + character.len();
            while places.next_if(|place| place.end <= start).is_some() {}
            if places.peek().is_some_and(|place| place.start < end) {
                match marks.last_mut() {
                    Some(mark) if mark.end == start => mark.end = end,
                    _ => marks.push(start..end),
                }
            }
        }
        marks
    }

    /// The piece of a text around its first match, or its beginning if nothing in it matches, in at most `max`
    /// characters.
    #[must_use]
    pub fn snippet(&self, text: &str, max: usize) -> Snippet {
        let first = self.places(text).next();
        let start = first.map_or(0, |place| start_before(text, place.start, max / 3));
        let mut piece = FirstWords::new(max.max(1));
        if start > 0 {
            piece.take("…");
        }
        piece.take(&text[start..]);
        let text = piece.finish();
        let marks = self.marks(&text);
        Snippet { text, marks }
    }

    /// The bytes of a text that match. The next place does not begin before one, but they may overlap.
    fn places(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        stretches(text).flat_map(|(start, stretch)| {
            let text = fold(stretch);
            let pieces = Piece::all(&text);
            let words = pieces.iter().flat_map(|piece| piece.words(&text));
            let found: Vec<_> = words.filter_map(|word| self.place(&text, word)).collect();
            let origins = match found.is_empty() {
                true => Vec::new(),
                false => origins(stretch),
            };
            found.into_iter().map(move |found| {
                let (first, last) = (&origins[found.start], &origins[found.end - 1]);
                start + first.start..start + last.end
            })
        })
    }

    /// What matches of a word, from its beginning.
    fn place(&self, text: &str, word: Range<usize>) -> Option<Range<usize>> {
        let stored = cut(&text[word.clone()]);
        let found = self.terms().iter().filter(|term| term.finds(stored));
        let len = found.map(|term| term.text.len()).max()?;
        let is_all = len == stored.len();
        Some(word.start..if is_all { word.end } else { word.start + len })
    }
}

/// Where a snippet begins: at the first word that has at most `max` characters between it and the match.
fn start_before(text: &str, place: usize, max: usize) -> usize {
    let mut before = text[..place].char_indices().rev();
    let Some((part_of_word, _)) = before.nth(max) else {
        return 0;
    };
    let part = &text[part_of_word..place];
    let characters: Vec<_> = part.grapheme_indices(true).map(|(at, _)| at).collect();
    let mut words = part.unicode_word_indices().map(|(at, _)| at);
    let first = words.find(|at| *at > 0 && characters.contains(at));
    first.map_or(place, |at| part_of_word + at)
}

#[cfg(test)]
mod tests {
    use crate::search::Query;

    #[test]
    fn matches_are_marked() {
        for (query, text, marked) in [
            ("cafe", "A CAFÉ, cafés", "A [CAFÉ], [café]s"),
            ("e", "E e\u{301}\u{323} bé", "[E] [e\u{301}\u{323}] bé"),
            ("fin", "ﬁne ﬁn", "[ﬁn]e [ﬁn]"),
            ("日本語", "日本の日本語", "[日本]の[日本語]"),
            ("กา", "กำา", "กำา"),
            ("ม้", "ม้า", "[ม้]า"),
            ("👩", "👩\u{200D}👩 👍", "[👩\u{200D}👩] 👍"),
            ("homme x", "l'homme", "l'[homme]"),
            ("<b> &", "<b>b</b>", "<[b]>[b]</[b]>"),
            ("", "a", "a"),
        ] {
            let mut shown = text.to_owned();
            for mark in Query::parse(query).unwrap().marks(text).iter().rev() {
                shown.insert(mark.end, ']');
                shown.insert(mark.start, '[');
            }
            assert_eq!(shown, marked, "{query}");
        }
    }

    #[test]
    fn a_snippet_has_the_first_match_on_one_line() {
        let snippet = |query: &str, text: &str| {
            let snippet = Query::parse(query).unwrap().snippet(text, 20);
            let marked = snippet.marks.iter().map(|mark| &snippet.text[mark.clone()]);
            (snippet.text.clone(), marked.collect::<Vec<_>>().join(" "))
        };
        for (query, text, expected, marked) in [
            ("two", "One\n\ntwo  three", "One two three", "two"),
            (
                "needle",
                "much hay, and a needle in it, as I said",
                "…and a needle in it…",
                "needle",
            ),
            ("needle", "hay and a needle", "…and a needle", "needle"),
            (
                "absent",
                "much hay, and no more than that",
                "much hay, and no…",
                "",
            ),
            (
                "東京",
                "これは長い文章で、東京の話です。これは長い文章で、東京の話です。",
                "…長い文章で、東京の話です。これは長い…",
                "東京",
            ),
            ("needle", &("x".repeat(99) + ".needle"), "…needle", "needle"),
            ("a", "", "", ""),
        ] {
            let (text, found) = snippet(query, text);
            assert_eq!((text.as_str(), found.as_str()), (expected, marked));
        }
    }
}
