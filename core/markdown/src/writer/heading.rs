//! Headings with their levels and identifiers.

use pulldown_cmark::HeadingLevel;

use super::Writer;
use super::text::LINK_REL;
use crate::html::Attribute;
use crate::{Headings, TooComplex};

/// Headings of a page that have links to themselves. More would make the page much larger than its source.
const LINKED: usize = 500;

const MARKUP: [(&str, &str); 6] = [
    ("<h1", "</h1>\n"),
    ("<h2", "</h2>\n"),
    ("<h3", "</h3>\n"),
    ("<h4", "</h4>\n"),
    ("<h5", "</h5>\n"),
    ("<h6", "</h6>\n"),
];

/// The heading that is open.
pub(super) struct Heading {
    /// The gap for its identifier.
    identifier: usize,
    /// Its text so far.
    pub(super) text: String,
}

/// How the levels of headings differ from those of the source.
#[derive(Default)]
pub(super) struct Levels {
    /// What is added to each, so that the first has the level that it should have.
    shift: Option<i32>,
    pub(super) starts_with_title: bool,
}

impl Levels {
    fn next(&mut self, written: HeadingLevel, headings: Headings, is_start: bool) -> usize {
        let written = written as usize;
        if headings == Headings::AsWritten {
            return written;
        }
        let is_title = headings == Headings::WithTitle && is_start;
        self.starts_with_title |= is_title;
        let highest = if is_title { 1 } else { 2 };
        let shift = *self.shift.get_or_insert(highest - written as i32);
        (written as i32 + shift).clamp(highest, 6) as usize
    }
}

impl Writer<'_, '_> {
    pub(super) fn open_heading(&mut self, level: HeadingLevel) -> Result<&'static str, TooComplex> {
        let is_start = self.html.len() == 0;
        let level = self.levels.next(level, self.style.headings, is_start);
        let (opening, closing) = MARKUP[level - 1];
        self.html.block(opening)?;
        self.heading = Some(Heading {
            identifier: self.html.leave_gap(),
            text: String::new(),
        });
        self.html.markup(">")?;
        Ok(closing)
    }

    /// Gives the heading an identifier, now that its text is known, and on a page a link to itself. The
    /// style sheet shows the sign of that link, so that it is not in the text.
    pub(super) fn end_heading(&mut self) -> Result<(), TooComplex> {
        if let Some(Heading { identifier, text }) = self.heading.take() {
            let is_linked = self.heading_ids.headings.len() < LINKED;
            let id = self.heading_ids.next(text);
            self.html.fill_gap(identifier, &Attribute::Id(id))?;
            if let Some(labels) = self.style.page.as_ref().filter(|_| is_linked) {
                // After a space at which no line breaks.
                self.html.page_markup("\u{A0}<a class=\"anchor\"");
                self.html.page_attribute(&Attribute::Fragment(id))?;
                self.html
                    .page_attribute(&Attribute::Label(&labels.heading_link))?;
                self.html.page_markup(LINK_REL);
                self.html.page_markup("</a>");
            }
        }
        self.end()
    }
}
