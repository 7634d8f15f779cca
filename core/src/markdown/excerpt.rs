//! The first words of a post, as plain text.

use pulldown_cmark::{Event, TagEnd};

use super::{may_define_links, parser};
use crate::field::is_bidi_override;

/// Characters of an excerpt, its final `…` included.
const EXCERPT_LEN: usize = 200;

/// Bytes of a source that are looked at first, more where they are fewer characters; four times as
/// many each time that they are too few.
const FIRST_LOOK: usize = 350;

/// Bytes after these in which a word ends, in most languages.
const WORD_ENDS_WITHIN: usize = 50;

/// What something further on may end, and so give another meaning to.
const MARKS_THAT_MATCH: &[u8] = b"*_~`[!<";

/// The source's excerpt. `is_in_order` is what [`super::is_in_order`] says of the source.
pub(super) fn of(source: &str, is_in_order: bool) -> String {
    let at_a_glance = is_in_order.then(|| at_a_glance(source, FIRST_LOOK));
    at_a_glance
        .flatten()
        .unwrap_or_else(|| of_looking_at(source, FIRST_LOOK))
}

/// The excerpt of a source in order, where so many bytes tell it although they end within a paragraph.
/// What follows them changes what is before only by matching a mark that has no match yet. Such a mark
/// begins a text, and after the excerpt, too, it may take a match from what is in it.
fn at_a_glance(source: &str, bytes: usize) -> Option<String> {
    let glance = glance(source, bytes)?;
    let mut excerpt = Excerpt::new(glance.len());
    for event in parser(glance) {
        if matches!(&event, Event::Text(text) if begins_with_a_mark(text)) {
            return None;
        }
        if !excerpt.is_full() {
            excerpt.take(&event);
        } else if matches!(&event, Event::End(end) if !is_inline(end)) {
            return Some(excerpt.finish());
        }
    }
    None
}

fn begins_with_a_mark(text: &str) -> bool {
    let first = text.as_bytes().first();
    first.is_some_and(|byte| MARKS_THAT_MATCH.contains(byte))
}

/// A beginning of the source, of so many bytes about, whose lines are of the kind that they are in the
/// whole: its last line ends before a space, and has more than a block's mark by then.
fn glance(source: &str, bytes: usize) -> Option<&str> {
    let characters = source[..source.floor_char_boundary(bytes)].chars().count();
    let bytes = bytes + bytes.saturating_sub(characters);
    let next = source.as_bytes().get(bytes..bytes + WORD_ENDS_WITHIN)?;
    let glance = &source[..bytes + memchr::memchr(b' ', next)?];
    let is_telling = |byte: &u8| !byte.is_ascii() || byte.is_ascii_alphabetic();
    let mut backwards = glance.bytes().rev();
    let last = backwards.find(|byte| is_telling(byte) || matches!(byte, b'\n' | b'\r'));
    last.is_some_and(|byte| is_telling(&byte)).then_some(glance)
}

fn of_looking_at(source: &str, mut bytes: usize) -> String {
    loop {
        let beginning = beginning(source, bytes);
        let mut excerpt = Excerpt::new(beginning.len());
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
    if source.len() <= bytes || may_define_links(source) {
        return source;
    }
    let mut line_ends = memchr::memchr_iter(b'\n', &source.as_bytes()[bytes..]);
    let after = line_ends.find_map(|at| {
        let next = &source[bytes + at + 1..];
        next.strip_prefix('\n')
            .or_else(|| next.strip_prefix("\r\n"))
    });
    &source[..source.len() - after.map_or(0, str::len)]
}

/// Gathers the first words of a post, white space collapsed.
struct Excerpt {
    text: String,
    characters: usize,
    word_gap: bool,
    /// What was taken and not looked at yet: many short texts take less time together.
    raw: String,
}

impl Excerpt {
    /// The excerpt of so many bytes.
    fn new(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes.min(EXCERPT_LEN + '…'.len_utf8())),
            characters: 0,
            word_gap: false,
            raw: String::with_capacity(bytes.min(2 * EXCERPT_LEN)),
        }
    }

    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.raw.push_str(text);
            }
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.end_word(),
            Event::Start(tag) if !is_inline(&tag.to_end()) => self.end_word(),
            Event::End(end) if !is_inline(end) => self.end_word(),
            _ => {}
        }
        if self.characters + self.raw.len() > EXCERPT_LEN {
            self.look();
        }
    }

    fn end_word(&mut self) {
        if !self.raw.ends_with(' ') {
            self.raw.push(' ');
        }
    }

    /// Takes what was gathered into the text.
    fn look(&mut self) {
        let raw = std::mem::take(&mut self.raw);
        let words = raw.trim_matches(' ');
        if !words.is_empty() && are_plain(words.as_bytes()) {
            self.word_gap |= raw.starts_with(' ');
            self.push(words, words.len());
            self.word_gap = raw.ends_with(' ');
            return;
        }
        let mut rest = &*raw;
        while !rest.is_empty() && !self.is_full() {
            rest = self.take_from(rest);
        }
    }

    /// Takes words of ASCII with single spaces between, or else one character, off the text, and
    /// returns what is left of it.
    fn take_from<'a>(&mut self, text: &'a str) -> &'a str {
        let room = text.len().min(EXCERPT_LEN + 1 - self.characters);
        let mut before = b' ';
        let end = text.as_bytes()[..room].iter().position(|byte| {
            let is_spaced = *byte == b' ' && before == b' ';
            before = *byte;
            is_spaced || !matches!(byte, b' '..=b'~')
        });
        let words = text[..end.unwrap_or(room)].trim_end_matches(' ');
        if !words.is_empty() {
            self.push(words, words.len());
            return &text[words.len()..];
        }
        let mut characters = text.chars();
        match characters.next() {
            Some(character) if is_bidi_override(character) => {}
            Some(character) if character.is_whitespace() || character.is_control() => {
                self.word_gap = true;
            }
            Some(character) => self.push(&text[..character.len_utf8()], 1),
            None => {}
        }
        characters.as_str()
    }

    fn push(&mut self, text: &str, characters: usize) {
        if std::mem::take(&mut self.word_gap) && !self.text.is_empty() {
            self.text.push(' ');
            self.characters += 1;
        }
        self.text.push_str(text);
        self.characters += characters;
    }

    /// One character more than fits is kept, as the sign that there is more.
    const fn is_full(&self) -> bool {
        self.characters > EXCERPT_LEN
    }

    fn finish(mut self) -> String {
        self.look();
        if !self.is_full() {
            return self.text;
        }
        let room = if self.characters == self.text.len() {
            // All of it is ASCII.
            EXCERPT_LEN - 1
        } else {
            let last = self.text.char_indices().nth(EXCERPT_LEN - 1);
            last.map_or(self.text.len(), |(at, _)| at)
        };
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

/// Whether all of it is words of ASCII with single spaces between.
fn are_plain(bytes: &[u8]) -> bool {
    // All of it is looked at, since the compiler makes vectors of that.
    let pairs = bytes.iter().zip(&bytes[1..]);
    let single = pairs.fold(true, |all, (one, next)| {
        all & ((*one != b' ') | (*next != b' '))
    });
    let shown = |all, byte: &u8| all & matches!(byte, b' '..=b'~');
    single & bytes.iter().fold(true, shown)
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

    use super::super::{check, is_in_order};
    use super::*;

    fn told_at_a_glance(source: &str, bytes: usize) -> Option<String> {
        is_in_order(source)
            .then(|| at_a_glance(source, bytes))
            .flatten()
    }

    /// What begins, ends and goes on: blocks, texts, and the lines between them.
    const PIECES: [&str; 48] = [
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
        "~~",
        "**",
        "_",
        "<b c=d>",
        "</b>",
        "<a:b>",
        "\r",
        "  \n",
        "=",
        "2. ",
        "&amp;",
        "f(x) é",
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

        #[test]
        fn what_is_told_at_a_glance_is_what_the_whole_says(
            pieces in prop::collection::vec(
                prop_oneof![
                    16 => prop::sample::select(&["word ", "a, word ", "more. ", "слово ", "\n"][..]),
                    1 => prop::sample::select(&PIECES[..]),
                ],
                50..90,
            ),
            bytes in 210_usize..300,
        ) {
            let source = pieces.concat();
            if let Some(told) = told_at_a_glance(&source, bytes) {
                prop_assert_eq!(told, of_looking_at(&source, usize::MAX));
            }
        }
    }

    #[test]
    fn what_a_glance_ends_within_is_told_by_the_whole() {
        let endings = [
            "\n1. a",
            "\r1. a",
            "\n- a",
            "\n+ a",
            "\n# a # b",
            "\n=== a b",
            "\n``` a` b",
            " *aaa bbb ccc*",
            " _aaa bbb ccc_",
            " ~~aaa bbb ccc~~",
            " `aaa bbb ccc`",
            " ``aaa bbb ccc`` d",
            " <b c='d e'>",
            " <a b",
            " [aaa bbb ccc](d 'e f')",
            "\n<b c> d",
            "\n\na b|c d\n-|-\ne f",
            "\n\na `b|c` d\n-|-\ne f",
            "\n\n[a]: /b\n'c d'\ne f",
            "\n\n[a]: /b\n'cccccccccccccccccc d'",
            " <b c='*d dd ddd dddd*' e='f' g='h i'>",
            " <!-- *d dd ddd dddd* e -->",
            "\n<!-- *d dd ddd dddd* e",
            " ![aaa bbb ccc ddd](e)",
            " *a bbb `c dd* e f` g",
            " *a bbb <c d='dd* e' f> g",
        ];
        for ending in endings {
            for (words, after) in (180..205).flat_map(|words| [(words, " g"), (words, "  ")]) {
                let source = format!("{}{ending}{}", "x".repeat(words), after.repeat(60));
                let whole = of_looking_at(&source, usize::MAX);
                for bytes in 190..230 {
                    let told = told_at_a_glance(&source, bytes);
                    assert!(told.is_none_or(|told| told == whole), "{bytes}: {source}");
                }
            }
        }
        for word in ["word ", "слово "] {
            let source = word.repeat(100);
            let told = told_at_a_glance(&source, 250);
            assert_eq!(told, Some(of_looking_at(&source, usize::MAX)), "{word}");
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
