//! XML 1.0 from templates.

use std::fmt::{self, Write};

use askama::Template;
use askama::filters::Escaper;
use bytes::Bytes;

use crate::page::frame::render;

/// Escapes the texts in templates, and leaves out the characters that XML does not allow.
#[derive(Clone, Copy)]
pub(super) struct XmlEscaper {
    in_attribute: bool,
}

/// Quotes stay as they are, which the HTML in feeds is full of.
pub(super) const TEXT: XmlEscaper = XmlEscaper {
    in_attribute: false,
};
pub(super) const ATTRIBUTE: XmlEscaper = XmlEscaper { in_attribute: true };

impl Escaper for XmlEscaper {
    fn write_escaped_str<W: Write>(&self, mut to: W, text: &str) -> fmt::Result {
        let mut written = 0;
        for (at, c) in text.char_indices() {
            let escaped = match c {
                '<' => "&lt;",
                '>' => "&gt;",
                '&' => "&amp;",
                '"' if self.in_attribute => "&quot;",
                '\'' if self.in_attribute => "&apos;",
                '\r' => "&#13;",
                c if is_allowed(c) => continue,
                _ => "",
            };
            to.write_str(&text[written..at])?;
            to.write_str(escaped)?;
            written = at + c.len_utf8();
        }
        to.write_str(&text[written..])
    }
}

/// Whether XML has any character of a text.
pub(super) fn has_text(text: &str) -> bool {
    text.chars().any(is_allowed)
}

/// Section 2.2 does not allow U+FFFE, U+FFFF, and control characters other than tab and line breaks, even escaped.
fn is_allowed(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The document that a template makes.
pub(super) fn document(template: &impl Template) -> Bytes {
    let mut text = render(template);
    text.push('\n');
    text.into()
}
