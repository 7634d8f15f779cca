//! The text of a post in which readers search.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use super::words::is_unspaced;
use crate::autolink::Autolinks;
use crate::excerpt::is_inline;
use crate::footnotes::Definitions;
use crate::{merged, parser};

/// The text of a Markdown source as readers see it, with code, footnotes, and the texts and titles of images.
/// Addresses are left out: those of links, and those that the text shows (`https://…`, `www.…`, of mail). White space
/// parts blocks and cells.
pub fn searchable_text(source: &str) -> String {
    let (mut text, mut footnotes) = (SearchableText::default(), Definitions::default());
    for event in merged(parser(source)) {
        if let Some(event) = footnotes.take(event) {
            text.take(&event);
        }
    }
    for label in footnotes.labels.clone() {
        for event in footnotes.remove(&label) {
            text.take(&event);
        }
        text.gap();
    }
    text.text
}

#[derive(Default)]
struct SearchableText {
    text: String,
    /// The text is that of a link, which is its address.
    is_address: bool,
}

impl SearchableText {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Link { link_type, .. }) => {
                self.is_address = matches!(link_type, LinkType::Autolink | LinkType::Email);
            }
            Event::End(TagEnd::Link) => self.is_address = false,
            Event::Text(_) if self.is_address => self.gap(),
            Event::Text(text) | Event::Code(text) => self.take_text(text),
            Event::Start(Tag::Image { title, .. }) => {
                self.gap();
                self.take_text(title);
                self.gap();
            }
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Image) => self.gap(),
            Event::Start(tag) if !is_inline(&tag.to_end()) => self.gap(),
            Event::End(end) if !is_inline(end) => self.gap(),
            _ => {}
        }
    }

    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }

    fn take_text(&mut self, text: &str) {
        let mut start = 0;
        for link in Autolinks::new(text) {
            self.take_without_mailboxes(&text[start..link.place.start]);
            self.gap();
            start = link.place.end;
        }
        self.take_without_mailboxes(&text[start..]);
    }

    fn take_without_mailboxes(&mut self, text: &str) {
        let mut start = 0;
        for (at, _) in text.match_indices('@') {
            if let Some(mailbox) = mailbox(text, at).filter(|mailbox| mailbox.start >= start) {
                self.text.push_str(&text[start..mailbox.start]);
                self.gap();
                start = mailbox.end;
            }
        }
        self.text.push_str(&text[start..]);
    }
}

/// The address of mail around an `@`, as GitHub's Markdown finds it (GFM, section 6.9), in any script with spaces.
fn mailbox(text: &str, at: usize) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() && !is_unspaced(c) || "-_.".contains(c);
    let (before, after) = (&text[..at], &text[at + 1..]);
    let name = before.rsplit(|c| !is_part(c) && c != '+').next()?;
    let domain = after.split(|c| !is_part(c)).next()?;
    let domain = domain.trim_end_matches(['-', '_', '.']);
    // `package@1.2.3` is none.
    let (_, top_level) = domain.rsplit_once('.')?;
    let is_address = !name.is_empty() && top_level.starts_with(char::is_alphabetic);
    is_address.then_some(at - name.len()..at + 1 + domain.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_readers_see_is_searched_but_no_addresses() {
        for (source, expected) in [
            ("# A *b*c\n\nd\ne\\\nf", "A bc d e f "),
            ("- a\n- b\n  > c\n\n***\n\nd", "a b c d "),
            ("|a|b|\n|-|-|\n|c||\n|`d`|e|", "a b c d e "),
            ("a `b`\n\n```rust\nlet c;\nd\n```\ne", "a b let c;\nd\ne "),
            ("x![a *b*](/c \"d\")y", "x d a b y "),
            (
                "a[^1] b\n\n[^1]: c\n[^2]: d\n\n[^1]: hidden\n\ne",
                "a b e c d ",
            ),
            ("- [x] a\n\n> [!NOTE]\n> b ~~c~~", "a b c "),
            ("<b>a</b> <!-- c -->\n\n<!-- d -->\n\n<p>", "<b>a</b> <p> "),
            ("[a](https://b.example 'c') [d]\n\n[d]: /e", "a d "),
            ("a<https://b.example/c><d@e.example>f", "a f "),
            ("a https://b.example/c, www.d.example. e", "a , . e "),
            ("a[https://b.example](https://c.example)d", "a d "),
            (
                "x`a@b.example` c: d.e+f@g-h.example. @i.j k@l m@1.2",
                "x  c: . @i.j k@l m@1.2 ",
            ),
            ("联系user@a.example谢谢 müller@käse.example", "联系 谢谢 "),
            ("\u{FEFF}a\n\n", "a "),
            ("", ""),
        ] {
            assert_eq!(searchable_text(source), expected, "{source}");
        }
    }
}
