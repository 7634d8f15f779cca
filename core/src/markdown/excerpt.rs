//! The first words of a post, as plain text.

use pulldown_cmark::{Event, TagEnd};

use super::parser;
use crate::field::is_bidi_override;

/// Characters of an excerpt, its final `…` included.
const EXCERPT_LEN: usize = 200;

/// Bytes of a source that are looked at first; four times as many each time that they are too few.
const FIRST_LOOK: usize = 350;

/// The source's excerpt.
pub(super) fn of(source: &str) -> String {
    of_looking_at(source, FIRST_LOOK)
}

fn of_looking_at(source: &str, mut bytes: usize) -> String {
    loop {
        let beginning = beginning(source, bytes);
        let mut excerpt = Excerpt::default();
        for event in parser(beginning) {
            excerpt.take(&event);
            if excerpt.is_full() {
                return excerpt.finish();
            }
        }
        if beginning.len() == source.len() {
            return excerpt.finish();
        }
        bytes *= 4;
    }
}

/// A beginning of the source, of so many bytes about, that says what it says in the whole: it ends
/// with an empty line, which no text goes on across. Only what links that are defined further on look
/// like, and whether a list has space between its items, is told after that; the latter no excerpt
/// shows.
fn beginning(source: &str, bytes: usize) -> &str {
    if source.len() <= bytes || source.contains("]:") {
        return source;
    }
    let from = source.floor_char_boundary(bytes);
    let empty_line = ["\n\n", "\n\r\n"]
        .into_iter()
        .find_map(|end| source[from..].find(end).map(|at| from + at + end.len()));
    &source[..empty_line.unwrap_or(source.len())]
}

/// Gathers the first words of a post, white space collapsed.
#[derive(Default)]
struct Excerpt {
    text: String,
    characters: usize,
    word_gap: bool,
}

impl Excerpt {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                for character in text.chars() {
                    if self.is_full() {
                        return;
                    }
                    self.push(character);
                }
            }
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.word_gap = true,
            Event::Start(tag) if !is_inline(&tag.to_end()) => self.word_gap = true,
            Event::End(end) if !is_inline(end) => self.word_gap = true,
            _ => {}
        }
    }

    fn push(&mut self, character: char) {
        if !character.is_ascii_graphic() {
            if is_bidi_override(character) {
                return;
            }
            if character.is_whitespace() || character.is_control() {
                self.word_gap = true;
                return;
            }
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

    fn finish(mut self) -> String {
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
    use proptest::prelude::*;

    use super::super::check;
    use super::*;

    /// What begins, ends and goes on: blocks, texts, and the lines between them.
    const PIECES: [&str; 36] = [
        "\n\n",
        "\n\n",
        "\n\n",
        "\r\n\r\n",
        "\n",
        " ",
        "word ",
        "several words that fill an excerpt before long, [a] and ",
        "others, `a`, [b][a] and *c* with them, so that it is full.\n\n",
        "two words",
        "> ",
        "- ",
        "-\n",
        "1. ",
        "    ",
        "\t",
        "```\n",
        "~~~",
        "# ",
        "===\n",
        "---\n",
        "*",
        "`",
        "[a](",
        "[a]",
        "[a]: /b\n",
        ")",
        "![",
        "<!--",
        "-->",
        "<pre>",
        "<p>",
        "a|b\n-|-\n",
        "<?",
        "\u{202e}",
        "\\\n",
    ];

    proptest! {
        #[test]
        fn the_beginning_says_what_the_whole_says(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..120),
            bytes in 1_usize..400,
        ) {
            let source = pieces.concat();
            prop_assert_eq!(of_looking_at(&source, bytes), of_looking_at(&source, usize::MAX));
        }
    }

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
