//! XML 1.0 as quick-xml writes it, without what XML can't carry.

use std::borrow::Cow;

use quick_xml::Writer;
use quick_xml::escape::partial_escape;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// A document that is being written in memory, an element on each line.
pub(super) struct Document(Writer<Vec<u8>>);

type Attributes<'a> = &'a [(&'a str, &'a str)];

impl Document {
    pub(super) fn new() -> Self {
        let mut document = Self(Writer::new_with_indent(Vec::new(), b' ', 0));
        let declaration = BytesDecl::new("1.0", Some("utf-8"), None);
        document.write(Event::Decl(declaration));
        document
    }

    /// Begins an element.
    pub(super) fn open(&mut self, name: &str, attributes: Attributes<'_>) {
        self.write(Event::Start(start(name, attributes)));
    }

    /// Ends the element that was begun last.
    pub(super) fn close(&mut self, name: &str) {
        self.write(Event::End(BytesEnd::new(name)));
    }

    /// An element without content.
    pub(super) fn empty(&mut self, name: &str, attributes: Attributes<'_>) {
        self.write(Event::Empty(start(name, attributes)));
    }

    /// An element that holds a text.
    pub(super) fn text(&mut self, name: &str, attributes: Attributes<'_>, text: &str) {
        self.open(name, attributes);
        let escaped = partial_escape(carried(text));
        self.write(Event::Text(BytesText::from_escaped(escaped)));
        self.close(name);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let mut written = self.0.into_inner();
        written.push(b'\n');
        written
    }

    fn write(&mut self, event: Event<'_>) {
        let written = self.0.write_event(event);
        written.unwrap_or_else(|_| unreachable!("memory takes whatever is written"));
    }
}

/// An opening tag. quick-xml escapes what its attributes hold.
fn start<'a>(name: &'a str, attributes: Attributes<'a>) -> BytesStart<'a> {
    let mut start = BytesStart::new(name);
    for (name, value) in attributes {
        start.push_attribute((*name, carried(value)));
    }
    start
}

/// The text without the characters that stand in no XML 1.0 document, escaped or not (section 2.2):
/// control characters but tab and line ends, U+FFFE and U+FFFF.
pub(super) fn carried(text: &str) -> Cow<'_, str> {
    let is_carried = |c: char| !matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}');
    if text.chars().all(is_carried) {
        text.into()
    } else {
        text.chars().filter(|c| is_carried(*c)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_can_not_carry_is_left_out() {
        for code in 0..=0x1F {
            let text = char::from(code).to_string();
            let is_kept = matches!(code, b'\t' | b'\n' | b'\r');
            assert_eq!(carried(&text) == text, is_kept, "U+{code:04X}");
        }
        assert_eq!(carried("a\u{FFFE}b\u{FFFF}c\0"), "abc");
        let kept =
            "\t\n\r \u{7F}\u{85}\u{D7FF}\u{E000}\u{FDD0}\u{FFFD}\u{10000}\u{1FFFF}\u{10FFFF}";
        assert_eq!(carried(kept), kept);
    }

    #[test]
    fn a_document_is_written_and_escaped() {
        let mut document = Document::new();
        document.open("a", &[("b", "\"'<&>\n\u{1}")]);
        document.text("c", &[], "x\r<&>\"]]>\u{FFFF}");
        document.empty("d", &[]);
        document.close("a");
        let written = String::from_utf8(document.finish()).unwrap();
        let expected = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
            <a b=\"&quot;&apos;&lt;&amp;&gt;&#10;\">\n\
            <c>x&#13;&lt;&amp;&gt;\"]]&gt;</c>\n<d/>\n</a>\n";
        assert_eq!(written, expected);
    }
}
