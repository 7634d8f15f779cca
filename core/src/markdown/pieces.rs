//! Texts in pieces that the sanitiser takes no longer for than their length is worth: what it writes an
//! `&` with takes time that grows with the rest of the text, or the attribute, that the `&` stands in.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag, TagEnd};

/// Bytes of text after which it is parted, by a comment that the sanitiser takes out.
const MAX_TEXT: usize = 1024;
/// Bytes of an attribute: no browser and no server is sure to take a longer address.
const MAX_ATTRIBUTE: usize = 8 * 1024;
const PARTING: &str = "<!---->";

/// Parts texts, and leaves out attributes that are longer than any reader makes use of.
#[derive(Default)]
pub(super) struct Pieces {
    /// Images that are open: what is inside becomes the attribute `alt`.
    images: usize,
    /// Bytes of text since it was last parted, or of the attribute that is being made.
    bytes: usize,
}

impl Pieces {
    pub(super) fn part<'a>(&mut self, event: Event<'a>) -> Vec<Event<'a>> {
        match event {
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                self.images += 1;
                self.bytes = 0;
                vec![Event::Start(Tag::Image {
                    link_type,
                    dest_url: attribute(dest_url),
                    title: attribute(title),
                    id,
                })]
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => vec![Event::Start(Tag::Link {
                link_type,
                dest_url: attribute(dest_url),
                title: attribute(title),
                id,
            })],
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let kind = CodeBlockKind::Fenced(attribute(info));
                vec![Event::Start(Tag::CodeBlock(kind))]
            }
            Event::End(TagEnd::Image) => {
                self.images = self.images.saturating_sub(1);
                vec![Event::End(TagEnd::Image)]
            }
            Event::Text(text) if self.images > 0 => self.within_attribute(text),
            Event::Code(text) if self.images > 0 => self.within_attribute(text),
            Event::Text(text) => self.parted(text),
            Event::Code(text) if text.len() > MAX_TEXT => {
                let mut events = vec![Event::InlineHtml("<code>".into())];
                events.extend(self.parted(text));
                events.push(Event::InlineHtml("</code>".into()));
                events
            }
            other => vec![other],
        }
    }

    fn parted<'a>(&mut self, text: CowStr<'a>) -> Vec<Event<'a>> {
        if self.bytes + text.len() <= MAX_TEXT {
            self.bytes += text.len();
            return vec![Event::Text(text)];
        }
        let mut events = Vec::new();
        let mut rest = &*text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(MAX_TEXT));
            events.push(Event::InlineHtml(PARTING.into()));
            events.push(Event::Text(piece.to_owned().into()));
            self.bytes = piece.len();
            rest = after;
        }
        events
    }

    fn within_attribute<'a>(&mut self, text: CowStr<'a>) -> Vec<Event<'a>> {
        self.bytes += text.len();
        if self.bytes > MAX_ATTRIBUTE {
            return Vec::new();
        }
        vec![Event::Text(text)]
    }
}

fn attribute(text: CowStr<'_>) -> CowStr<'_> {
    if text.len() > MAX_ATTRIBUTE {
        return CowStr::Borrowed("");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    #[test]
    fn a_text_in_pieces_is_the_same_text() {
        for text in ["&", "ü&", "x", "\u{1F389}\u{a0}"] {
            let text = text.repeat(MAX_TEXT);
            let whole = text.replace('&', "&amp;").replace('\u{a0}', "&nbsp;");
            assert_eq!(render(&text), format!("<p>{whole}</p>\n"));
            assert_eq!(
                render(&format!("`{text}`")),
                format!("<p><code>{whole}</code></p>\n")
            );
        }
    }

    #[test]
    fn attributes_are_whole_or_left_out() {
        let (short, long) = ("&".repeat(1000), "&".repeat(MAX_ATTRIBUTE + 1));
        let written = short.replace('&', "&amp;");
        let kept = render(&format!("![{short}](/{short} \"{short}\")"));
        for attribute in ["alt=\"", "src=\"/", "title=\""] {
            let whole = format!("{attribute}{written}\"");
            assert!(kept.contains(&whole), "{attribute}");
        }
        let left = render(&format!("[a](/{long} \"{long}\") ![{long}](/x) end"));
        assert!(!left.contains("&amp;"), "{}", left.len());
        assert!(left.contains("end"));
    }
}
