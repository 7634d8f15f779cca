//! The first words of a post, as plain text.

use pulldown_cmark::{Event, TagEnd};

use crate::field::is_bidi_override;

/// Characters of an excerpt, including its final `…`.
const EXCERPT_LEN: usize = 200;

/// Collects the first words of a post. White space is collapsed.
#[derive(Default)]
pub(super) struct Excerpt {
    text: String,
    characters: usize,
    /// White space was read since the last character.
    has_gap: bool,
}

impl Excerpt {
    pub(super) fn take(&mut self, event: &Event<'_>) {
        if self.is_full() {
            return;
        }
        match event {
            Event::Text(text) | Event::Code(text) => self.take_text(text),
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.has_gap = true,
            Event::Start(tag) if !is_inline(&tag.to_end()) => self.has_gap = true,
            Event::End(end) if !is_inline(end) => self.has_gap = true,
            _ => {}
        }
    }

    fn take_text(&mut self, text: &str) {
        for character in text.chars() {
            if self.is_full() {
                return;
            }
            if character.is_whitespace() || character.is_control() {
                self.has_gap = true;
            } else if !is_bidi_override(character) {
                if std::mem::take(&mut self.has_gap) && !self.text.is_empty() {
                    self.push(' ');
                }
                self.push(character);
            }
        }
    }

    fn push(&mut self, character: char) {
        self.text.push(character);
        self.characters += 1;
    }

    /// One character more than fits shows that the text is longer.
    const fn is_full(&self) -> bool {
        self.characters > EXCERPT_LEN
    }

    pub(super) fn finish(mut self) -> String {
        if !self.is_full() {
            return self.text;
        }
        let last = self.text.char_indices().nth(EXCERPT_LEN - 1);
        let room = last.map_or(self.text.len(), |(at, _)| at);
        let ends_at_a_word = self.text[room..].starts_with(' ');
        self.text.truncate(room);
        if !ends_at_a_word && let Some(last_gap) = self.text.rfind(' ') {
            self.text.truncate(last_gap);
        }
        self.text.truncate(self.text.trim_end().len());
        self.text.push('…');
        self.text
    }
}

const fn is_inline(end: &TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

#[cfg(test)]
mod tests {
    use super::super::check;

    fn excerpt(source: &str) -> String {
        check(source).unwrap().excerpt
    }

    #[test]
    fn an_excerpt_is_cut_at_a_word() {
        let long = excerpt(&format!("# Title\n\n{}", "word ".repeat(100)));
        assert!(long.starts_with("Title word word"));
        assert!(long.ends_with("word…"));
        assert!(long.chars().count() <= 200);
        assert_eq!(excerpt(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(excerpt(&"é".repeat(201)), "é".repeat(199) + "…");
        let exact = format!("{} y{}", "x".repeat(198), "z".repeat(50));
        assert_eq!(excerpt(&exact), "x".repeat(198) + "…");
    }

    #[test]
    fn blocks_are_parted_by_a_space_and_markup_is_left_out() {
        for (source, expected) in [
            ("- two\n  - nested\n    > deep", "two nested deep"),
            ("a*b*c [d](e) `f`\\\ng", "abc d f g"),
            ("|a|b|\n|-|-|\n|c|d|", "a b c d"),
            ("  a\u{202e}b \u{1}\u{a0} c<b>", "ab c<b>"),
            ("![a](b)", "a"),
            ("<p>\n\n***", "<p>"),
            ("***", ""),
        ] {
            assert_eq!(excerpt(source), expected, "{source}");
        }
    }
}
