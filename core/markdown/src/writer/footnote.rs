//! References to footnotes, and the footnotes after the text.

use pulldown_cmark::CowStr;
use unicase::UniCase;

use super::text::LINK_REL;
use super::{LINK_END, MAX_DEPTH, Writer};
use crate::TooComplex;
use crate::footnotes::Definitions;
use crate::html::{Attribute, Id};

impl<'a> Writer<'_, 'a> {
    /// A reference to a footnote that has a definition. Others are text to the parser.
    pub(super) fn reference(&mut self, label: CowStr<'a>) -> Result<(), TooComplex> {
        if !self.has_room_for_link() || self.open.len() + 1 == MAX_DEPTH {
            self.html.text("[^")?;
            self.html.text(&label)?;
            return self.html.text("]");
        }
        let number = self.footnotes.of(&UniCase::new(label));
        let reference = self.footnotes.refer(number);
        self.html.markup("<sup><a")?;
        self.html
            .attribute(&Attribute::Fragment(&Id::of_footnote(number)))?;
        let id = Id::of_reference(number, reference);
        self.html.attribute(&Attribute::Id(&id))?;
        if let Some(labels) = &self.style.page {
            let label = format!("{} {number}", labels.footnote);
            self.html.page_attribute(&Attribute::Label(&label))?;
        }
        self.html.markup(LINK_REL)?;
        self.html.text(&number.to_string())?;
        self.html.markup("</a></sup>")
    }

    /// Writes the footnotes: in the order of the references, and then those without a reference.
    pub(crate) fn write_footnotes(
        &mut self,
        mut definitions: Definitions<'a>,
    ) -> Result<(), TooComplex> {
        if definitions.labels.is_empty() {
            return Ok(());
        }
        self.html.block("<section")?;
        if let Some(labels) = &self.style.page {
            self.html
                .page_attribute(&Attribute::Label(&labels.footnotes))?;
        }
        self.html.markup(">\n<ol>\n")?;
        self.open.extend([Some("</section>\n"), Some("</ol>\n")]);
        let mut next = 1;
        self.write_numbered(&mut definitions, &mut next)?;
        for label in definitions.labels.clone() {
            self.footnotes.of(&label);
            self.write_numbered(&mut definitions, &mut next)?;
        }
        self.end()?;
        self.end()
    }

    /// Writes the footnotes that have a number by now. They may refer to others.
    fn write_numbered(
        &mut self,
        definitions: &mut Definitions<'a>,
        next: &mut usize,
    ) -> Result<(), TooComplex> {
        while let Some(label) = self.footnotes.label(*next) {
            self.html.block("<li")?;
            self.html
                .attribute(&Attribute::Id(&Id::of_footnote(*next)))?;
            self.html.markup(">")?;
            self.open.push(Some("</li>\n"));
            for event in definitions.remove(&label) {
                self.take(event)?;
            }
            self.write_ways_back(*next)?;
            self.end()?;
            *next += 1;
        }
        Ok(())
    }

    /// A link to each reference, in the last paragraph if the footnote ends with one.
    fn write_ways_back(&mut self, number: usize) -> Result<(), TooComplex> {
        let references = self.footnotes.references(number);
        if references == 0 {
            return Ok(());
        }
        match self.html.reopen("</p>\n") {
            true => self.html.markup(" ")?,
            false => self.html.block("<p>")?,
        }
        for reference in 1..=references {
            self.html.markup(if reference > 1 { " <a" } else { "<a" })?;
            let id = Id::of_reference(number, reference);
            self.html.attribute(&Attribute::Fragment(&id))?;
            if let Some(labels) = &self.style.page {
                let label = match reference {
                    1 => labels.footnote_back.clone(),
                    _ => format!("{} {reference}", labels.footnote_back),
                };
                self.html.page_attribute(&Attribute::Label(&label))?;
            }
            self.html.markup(LINK_REL)?;
            // With a variation selector, so that it is no picture.
            self.html.markup("↩\u{FE0E}")?;
            if reference > 1 {
                self.html.text(&reference.to_string())?;
            }
            self.html.markup(LINK_END)?;
        }
        self.html.markup("</p>\n")
    }
}
