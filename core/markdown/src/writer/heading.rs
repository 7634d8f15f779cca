//! Headings with their identifiers.

use pulldown_cmark::HeadingLevel;

use super::Writer;
use super::text::LINK_REL;
use crate::TooComplex;
use crate::html::Attribute;

/// Headings of a page that have links to themselves. More would make the page much larger than its source.
const LINKED: usize = 500;

/// The heading that is open.
pub(super) struct Heading {
    /// Where its attributes belong in the HTML.
    attributes: usize,
    /// Its text so far.
    pub(super) text: String,
}

impl Writer<'_, '_> {
    pub(super) fn open_heading(&mut self, level: HeadingLevel) -> Result<&'static str, TooComplex> {
        let (opening, closing) = match level {
            HeadingLevel::H1 => ("<h1", "</h1>\n"),
            HeadingLevel::H2 => ("<h2", "</h2>\n"),
            HeadingLevel::H3 => ("<h3", "</h3>\n"),
            HeadingLevel::H4 => ("<h4", "</h4>\n"),
            HeadingLevel::H5 => ("<h5", "</h5>\n"),
            HeadingLevel::H6 => ("<h6", "</h6>\n"),
        };
        self.html.block(opening)?;
        self.heading = Some(Heading {
            attributes: self.html.len(),
            text: String::new(),
        });
        self.html.markup(">")?;
        Ok(closing)
    }

    /// Gives the heading an identifier, now that its text is known, and on a page a link to itself. The
    /// style sheet shows the sign of that link, so that it is not in the text.
    pub(super) fn end_heading(&mut self) -> Result<(), TooComplex> {
        if let Some(heading) = self.heading.take() {
            let id = self.heading_ids.next(&heading.text);
            self.html
                .insert_attribute(heading.attributes, &Attribute::Id(&id))?;
            self.headings += 1;
            if let Some(labels) = self.style.page.as_ref().filter(|_| self.headings <= LINKED) {
                // After a space at which no line breaks.
                self.html.page_markup("\u{A0}<a class=\"anchor\"");
                self.html.page_attribute(&Attribute::Fragment(&id))?;
                self.html
                    .page_attribute(&Attribute::Label(&labels.heading_link))?;
                self.html.page_markup(LINK_REL);
                self.html.page_markup("</a>");
            }
        }
        self.end()
    }
}
