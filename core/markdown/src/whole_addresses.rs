//! Signs of emphasis in bare addresses (`https://example.org/__init__.py`), which are part of the address.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, OffsetIter, Tag, TagEnd};

use crate::autolink::{ends_an_address, unfinished};

/// The parser's events, where emphasis that begins in a bare address is text: addresses come first, as in GitHub's
/// Markdown (GFM, section 6.9).
pub(super) struct WholeAddresses<'a> {
    source: &'a str,
    events: OffsetIter<'a>,
    /// The address that goes on after the last text. After it, it is empty.
    address: Range<usize>,
    /// Where the elements begin that are text and have not ended.
    literal: Vec<usize>,
}

impl<'a> WholeAddresses<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        let source = super::without_byte_order_mark(source);
        Self {
            source,
            events: super::parser(source).into_offset_iter(),
            address: 0..0,
            literal: Vec::new(),
        }
    }

    /// The address that goes on after the text at this place. No character is looked at twice.
    fn address_in(&self, text: Range<usize>) -> Range<usize> {
        let known = self.address.end;
        let Some(start) = unfinished(self.source, text.clone()) else {
            return known..known;
        };
        let rest = &self.source[text.end..];
        let end = || text.end + rest.find(ends_an_address).unwrap_or(rest.len());
        start..if known > text.end { known } else { end() }
    }

    /// The signs of an element, which has the same ones at its end.
    fn signs(&self, element: TagEnd, place: Range<usize>) -> Event<'a> {
        let source = &self.source[place];
        let count = match element {
            TagEnd::Emphasis => 1,
            TagEnd::Strong => 2,
            _ => source.len() - source.trim_start_matches('~').len(),
        };
        Event::Text(CowStr::Borrowed(&source[..count]))
    }
}

impl<'a> Iterator for WholeAddresses<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        let (event, place) = self.events.next()?;
        match &event {
            Event::Text(_) if self.address.contains(&place.start) => {}
            Event::Text(_) => self.address = self.address_in(place),
            Event::Start(tag @ (Tag::Emphasis | Tag::Strong | Tag::Strikethrough))
                if self.address.contains(&place.start) =>
            {
                self.literal.push(place.start);
                return Some(self.signs(tag.to_end(), place));
            }
            Event::End(element) if self.literal.last() == Some(&place.start) => {
                self.literal.pop();
                return Some(self.signs(*element, place));
            }
            _ => self.address.start = self.address.end,
        }
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Style, check, render};

    fn html(source: &str) -> String {
        render(source, &Style::default()).html
    }

    #[test]
    fn an_address_has_the_signs_of_emphasis_that_begin_in_it() {
        for address in [
            "https://example.org/pkg/__init__.py",
            "https://example.org/?q=*a*&b=*c*d",
            "https://example.org/_a_/~~b~~/***c***/d",
            "https://example.org/*a",
        ] {
            let link = format!("<a href=\"{address}\"").replace('&', "&amp;");
            for source in [
                format!("See {address} here."),
                format!("({address})"),
                format!("*{address}*"),
                format!("- [ ] {address}, *b*"),
            ] {
                assert!(html(&source).contains(&link), "{source}: {}", html(&source));
            }
        }
        let found = check("See https://example.org/__init__.py.").unwrap();
        assert_eq!(found.excerpt, "See https://example.org/__init__.py.");
    }

    #[test]
    fn emphasis_outside_an_address_stays() {
        for (source, part) in [
            ("*https://example.org/* *b*", "<em>b</em>"),
            ("https://example.org/ *b*", "<em>b</em>"),
            ("*a https://example.org/*_b_", "</em>"),
            ("|a|b|\n|-|-|\n|https://example.org/|*c*|", "<em>c</em>"),
            ("https://example.org/[*b*](/c)", "<em>b</em>"),
            ("`https://`*b*", "<em>b</em>"),
            ("https://example.org/a\n*b*", "<em>b</em>"),
        ] {
            assert!(html(source).contains(part), "{source}: {}", html(source));
        }
        assert!(html("https://example.org/*a b* c").contains("/*a</a> b* c"));
    }
}
