//! Writing XML 1.0 with quick-xml, without the characters that XML does not allow.

use quick_xml::Writer;
use quick_xml::escape::partial_escape;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

/// A document in memory, with one element per line.
pub(super) struct Document(Writer<Vec<u8>>);

type Attributes<'a> = &'a [(&'a str, &'a str)];

impl Document {
    pub(super) fn new() -> Self {
        let mut document = Self(Writer::new_with_indent(Vec::new(), b' ', 0));
        let declaration = BytesDecl::new("1.0", Some("utf-8"), None);
        document.write(Event::Decl(declaration));
        document
    }

    pub(super) fn open(&mut self, name: &str, attributes: Attributes<'_>) {
        self.write(Event::Start(start(name, attributes)));
    }

    pub(super) fn close(&mut self, name: &str) {
        self.write(Event::End(BytesEnd::new(name)));
    }

    pub(super) fn empty(&mut self, name: &str, attributes: Attributes<'_>) {
        self.write(Event::Empty(start(name, attributes)));
    }

    pub(super) fn text(&mut self, name: &str, attributes: Attributes<'_>, text: &str) {
        self.open(name, attributes);
        let escaped = partial_escape(allowed(text));
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
        written.unwrap_or_else(|_| unreachable!("writing to memory does not fail"));
    }
}

/// An opening tag. quick-xml escapes the values of its attributes.
fn start<'a>(name: &'a str, attributes: Attributes<'a>) -> BytesStart<'a> {
    let mut start = BytesStart::new(name);
    for (name, value) in attributes {
        start.push_attribute((*name, &*allowed(value)));
    }
    start
}

/// Removes the characters that XML 1.0 does not allow even escaped (section 2.2): U+FFFE, U+FFFF, and
/// control characters other than tab and line breaks.
pub(super) fn allowed(text: &str) -> String {
    let is_allowed = |c: char| !matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}');
    text.chars().filter(|c| is_allowed(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_xml_does_not_allow_are_removed() {
        for code in 0..=0x1F {
            let text = char::from(code).to_string();
            let is_unchanged = matches!(code, b'\t' | b'\n' | b'\r');
            assert_eq!(allowed(&text) == text, is_unchanged, "U+{code:04X}");
        }
        assert_eq!(allowed("a\u{FFFE}b\u{FFFF}c\0"), "abc");
        let unchanged =
            "\t\n\r \u{7F}\u{85}\u{D7FF}\u{E000}\u{FDD0}\u{FFFD}\u{10000}\u{1FFFF}\u{10FFFF}";
        assert_eq!(allowed(unchanged), unchanged);
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
