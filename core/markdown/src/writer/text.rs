//! Text and links.

use pulldown_cmark::{Event, LinkType};

use super::{CODE_END, LINK_END, MAX_DEPTH, Writer};
use crate::TooComplex;
use crate::address::Address;
use crate::autolink::Autolinks;
use crate::character::is_combining_mark;
use crate::html::Attribute;

/// Combining marks in a row after which a page's line may break: browsers take time that grows with
/// the square of how many stand together.
const MARKS_TOGETHER: usize = 30;

/// All links say that a reader wrote them, and tell their target nothing.
pub(super) const LINK_REL: &str = " rel=\"nofollow ugc noopener noreferrer\">";

impl<'a> Writer<'_, 'a> {
    /// Text in which bare addresses become links, where a link may be.
    pub(super) fn linked_text(&mut self, text: &str) -> Result<(), TooComplex> {
        if let Some(code) = &mut self.code {
            code.text.push_str(text);
            return Ok(());
        }
        let mut written = 0;
        let is_in_code = self.open.last() == Some(&Some(CODE_END));
        if self.finds_addresses && !is_in_code && self.has_room_for_link() {
            for link in Autolinks::new(text) {
                self.text(&text[written..link.place.start])?;
                self.open_link(Some(link.address), "")?;
                self.text(&text[link.place.clone()])?;
                self.html.markup(LINK_END)?;
                written = link.place.end;
            }
        }
        self.text(&text[written..])
    }

    /// Markdown allows an autolink within a link. HTML does not.
    pub(super) fn has_room_for_link(&self) -> bool {
        self.open.len() < MAX_DEPTH && !self.open.contains(&Some(LINK_END))
    }

    pub(super) fn text(&mut self, text: &str) -> Result<(), TooComplex> {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(text);
        }
        if self.style.page.is_none() || text.is_ascii() {
            self.marks = 0;
            return self.html.text(text);
        }
        let mut start = 0;
        for (at, character) in text.char_indices() {
            self.marks = match is_combining_mark(character) {
                true => self.marks + 1,
                false => 0,
            };
            if self.marks == MARKS_TOGETHER {
                self.marks = 0;
                let end = at + character.len_utf8();
                self.html.text(&text[start..end])?;
                self.html.page_markup("<wbr>");
                start = end;
            }
        }
        self.html.text(&text[start..])
    }

    pub(super) fn line_break(&mut self, markup: &'static str) -> Result<(), TooComplex> {
        if let Some(heading) = &mut self.heading {
            heading.text.push(' ');
        }
        self.html.markup(markup)
    }

    pub(super) fn open_link_to(
        &mut self,
        link_type: LinkType,
        address: &str,
        title: &str,
    ) -> Result<(), TooComplex> {
        let address = match link_type {
            LinkType::Email => Address::of_mailbox(address),
            _ => Address::of_link(address),
        };
        self.open_link(address, title)
    }

    /// A link whose address is refused is one that leads nowhere.
    fn open_link(&mut self, address: Option<Address>, title: &str) -> Result<(), TooComplex> {
        self.html.markup("<a")?;
        if let Some(address) = address {
            let address = self.resolved(address);
            if address.fragment().is_some() {
                self.fragments.push((self.html.leave_gap(), address));
            } else {
                self.html.attribute(&Attribute::Href(&address))?;
            }
        }
        if !title.is_empty() {
            self.html.attribute(&Attribute::Title(title))?;
        }
        self.html.markup(LINK_REL)
    }

    pub(super) fn resolved(&mut self, address: Address) -> Address {
        let Some(base) = &self.style.base else {
            return address;
        };
        self.html.raise_limit(base.as_str().len());
        address.resolved(base)
    }

    pub(super) fn take_alt(&mut self, event: &Event<'a>) {
        let text = match event {
            Event::Text(text) | Event::Code(text) => text,
            Event::SoftBreak | Event::HardBreak => " ",
            _ => "",
        };
        if let Some(image) = &mut self.image {
            image.alt.push_str(text);
        }
    }
}
