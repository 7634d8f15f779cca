//! The first words and the first heading of a post, as plain text.

use pulldown_cmark::{Event, TagEnd};

use crate::character::{has_visible_character, is_bidi_override};
use crate::cut::cut;
use crate::name::NAME_LEN;

/// Characters of an excerpt, including its final `…`. Archives have excerpts of earlier releases, so it may not
/// become less.
pub const EXCERPT_LEN: usize = 200;

/// Collects the first words of a post: of its prose, which is all but headings, blocks of code, tables
/// and texts of images; or of everything where there is no prose. Also the first heading.
pub(super) struct Excerpt {
    prose: FirstWords,
    everything: FirstWords,
    heading: FirstWords,
    /// How many elements that are not prose have begun and not ended.
    outside_prose: u32,
    is_in_heading: bool,
}

impl Default for Excerpt {
    fn default() -> Self {
        Self {
            prose: FirstWords::new(EXCERPT_LEN),
            everything: FirstWords::new(EXCERPT_LEN),
            heading: FirstWords::new(NAME_LEN),
            outside_prose: 0,
            is_in_heading: false,
        }
    }
}

impl Excerpt {
    pub(super) fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) | Event::Code(text) => self.each(|words| words.take(text)),
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.each(FirstWords::take_gap),
            Event::Start(tag) => {
                let end = tag.to_end();
                if !is_inline(&end) {
                    self.each(FirstWords::take_gap);
                }
                self.outside_prose += u32::from(!is_prose(&end));
                if matches!(end, TagEnd::Heading(_)) {
                    self.is_in_heading = !has_visible_character(&self.heading.text);
                }
            }
            Event::End(end) => {
                self.outside_prose -= u32::from(!is_prose(end));
                if matches!(end, TagEnd::Heading(_)) {
                    self.is_in_heading = false;
                }
                if !is_inline(end) {
                    self.each(FirstWords::take_gap);
                }
            }
            _ => {}
        }
    }

    /// Does the same to all words that the place belongs to.
    fn each(&mut self, take: impl Fn(&mut FirstWords)) {
        take(&mut self.everything);
        if self.outside_prose == 0 {
            take(&mut self.prose);
        }
        if self.is_in_heading {
            take(&mut self.heading);
        }
    }

    /// The excerpt, and the first heading that has a text.
    pub(super) fn finish(self) -> (String, Option<String>) {
        let is_visible = |words: &FirstWords| has_visible_character(&words.text);
        let excerpt = [self.prose, self.everything].into_iter().find(is_visible);
        let heading = is_visible(&self.heading).then(|| self.heading.finish());
        (
            excerpt.map_or_else(String::new, FirstWords::finish),
            heading,
        )
    }
}

/// The first words of a text. White space is collapsed.
pub(super) struct FirstWords {
    text: String,
    characters: usize,
    max: usize,
    /// White space was read since the last character.
    has_gap: bool,
}

impl FirstWords {
    pub(super) const fn new(max: usize) -> Self {
        Self {
            text: String::new(),
            characters: 0,
            max,
            has_gap: false,
        }
    }

    const fn take_gap(&mut self) {
        self.has_gap = true;
    }

    pub(super) fn take(&mut self, text: &str) {
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
        self.characters > self.max
    }

    pub(super) fn finish(self) -> String {
        cut(self.text, self.max)
    }
}

pub(super) const fn is_inline(end: &TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

const fn is_prose(end: &TagEnd) -> bool {
    !matches!(
        end,
        TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Table | TagEnd::Image
    )
}

#[cfg(test)]
mod tests {
    use crate::check;

    fn excerpt(source: &str) -> String {
        check(source).unwrap().excerpt
    }

    #[test]
    fn an_excerpt_is_cut_at_a_word() {
        let long = excerpt(&"word ".repeat(100));
        assert!(long.starts_with("word word"));
        assert!(long.ends_with("word…"));
        assert!(long.chars().count() <= 200);
        assert_eq!(excerpt(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(excerpt(&"é".repeat(201)), "é".repeat(199) + "…");
        let exact = format!("{} y{}", "x".repeat(198), "z".repeat(50));
        assert_eq!(excerpt(&exact), "x".repeat(198) + "…");
    }

    #[test]
    fn the_first_heading_with_a_text_is_found() {
        for (source, expected) in [
            ("text", None),
            ("# \n\n## *A* `b`\n\n# C", Some("A b")),
            ("# \u{200B}\n", None),
        ] {
            assert_eq!(
                check(source).unwrap().heading.as_deref(),
                expected,
                "{source}"
            );
        }
        let long = check(&format!("# {}", "word ".repeat(20))).unwrap().heading;
        assert_eq!(long.unwrap(), "word ".repeat(13) + "word…");
    }

    #[test]
    fn blocks_are_parted_by_a_space_and_markup_is_left_out() {
        for (source, expected) in [
            ("- two\n  - nested\n    > deep", "two nested deep"),
            ("a*b*c [d](e) `f`\\\ng", "abc d f g"),
            ("# A\n\n|a|b|\n|-|-|\n|c|d|", "A a b c d"),
            (
                "# A\n\n> b\n\n- c `d`\n\n```\ne\n```\n\n![f](g) h\n\n|i|\n|-|",
                "b c d h",
            ),
            ("  a\u{202e}b \u{1}\u{a0} c<b>", "ab c<b>"),
            ("![a](b)", "a"),
            ("a[^1] b\n\n[^1]: c\n\nwww.d.example", "a b www.d.example"),
            ("<p>\n\n***", "<p>"),
            ("***", ""),
        ] {
            assert_eq!(excerpt(source), expected, "{source}");
        }
    }
}
