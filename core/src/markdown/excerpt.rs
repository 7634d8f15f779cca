//! The first words of a post, as plain text.

use pulldown_cmark::{Event, TagEnd};

use crate::field::is_bidi_override;

/// Characters of an excerpt, its final `…` included.
const EXCERPT_LEN: usize = 200;

/// Gathers the first words of a post, white space collapsed.
#[derive(Default)]
pub(super) struct Excerpt {
    text: String,
    characters: usize,
    word_gap: bool,
}

impl Excerpt {
    pub(super) fn take(&mut self, event: &Event<'_>) {
        if self.is_full() {
            return;
        }
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                text.chars().for_each(|c| self.push(c));
            }
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.word_gap = true,
            Event::Start(tag) if !is_inline(&tag.to_end()) => self.word_gap = true,
            Event::End(end) if !is_inline(end) => self.word_gap = true,
            _ => {}
        }
    }

    fn push(&mut self, character: char) {
        if self.is_full() || is_bidi_override(character) {
            return;
        }
        if character.is_whitespace() || character.is_control() {
            self.word_gap = true;
            return;
        }
        if std::mem::take(&mut self.word_gap) && !self.text.is_empty() {
            self.text.push(' ');
            self.characters += 1;
        }
        self.text.push(character);
        self.characters += 1;
    }

    /// One character more than fits is kept, as the sign that there is more.
    const fn is_full(&self) -> bool {
        self.characters > EXCERPT_LEN
    }

    pub(super) fn finish(mut self) -> String {
        if !self.is_full() {
            return self.text;
        }
        let room = self.text.char_indices().nth(EXCERPT_LEN - 1);
        let room = room.map_or(self.text.len(), |(at, _)| at);
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

    #[test]
    fn an_excerpt_is_cut_at_a_word() {
        let excerpt = check(&format!("# Title\n\n{}", "word ".repeat(100))).unwrap();
        assert!(excerpt.starts_with("Title word word"));
        assert!(excerpt.ends_with("word…"));
        assert!(excerpt.chars().count() <= 200);
        assert_eq!(check(&"x".repeat(200)).unwrap(), "x".repeat(200));
        assert_eq!(
            check(&"x".repeat(201)).unwrap(),
            format!("{}…", "x".repeat(199))
        );
        assert_eq!(
            check("- two\n  - nested\n    > deep").unwrap(),
            "two nested deep"
        );
        let exact = format!("{} y{}", "x".repeat(198), "z".repeat(50));
        assert_eq!(check(&exact).unwrap(), format!("{}…", "x".repeat(198)));
    }
}
