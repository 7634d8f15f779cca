//! The parser's events as HTML: which markup stands for what.

mod callout;
mod code;
mod footnote;
mod heading;
mod image;
mod text;

use std::collections::HashSet;

use pulldown_cmark::{Event, Tag, TagEnd};

use self::code::Code;
use self::heading::{Heading, Levels};
use self::image::{Image, Paragraph};
use super::address::Address;
use super::columns::Columns;
use super::footnotes::Numbers;
use super::fragment::Targets;
use super::heading_ids::HeadingIds;
use super::html::{Attribute, Html};
use super::{Rendered, Style, TooComplex};

/// Containers nested deeper than this are left out; their text stays. Browsers take time that grows
/// with the square of the depth.
const MAX_DEPTH: usize = 32;

const LINK_END: &str = "</a>";
const CODE_END: &str = "</code></pre>\n";

pub(super) struct Writer<'s, 'a> {
    style: &'s Style,
    /// Whether bare addresses become links.
    finds_addresses: bool,
    html: Html,
    /// What closes each open container, outermost first; none for one that was left out.
    open: Vec<Option<&'static str>>,
    /// The image that is open. What stands in it is its alternative text.
    image: Option<Image>,
    code: Option<Code>,
    /// Bytes of code that got colours.
    coloured: usize,
    heading: Option<Heading>,
    levels: Levels,
    paragraph: Option<Paragraph>,
    columns: Columns,
    heading_ids: HeadingIds,
    /// Links within the text: the gap for the address of each, which may be that of a heading further down.
    fragments: Vec<(usize, Address)>,
    footnotes: Numbers<'a>,
    /// Combining marks since another character was written.
    marks: usize,
    preview_image: Option<String>,
}

impl<'s, 'a> Writer<'s, 'a> {
    pub(super) fn new(style: &'s Style, max_len: usize) -> Self {
        Self {
            style,
            finds_addresses: true,
            html: Html::new(max_len),
            open: Vec::new(),
            image: None,
            code: None,
            coloured: 0,
            heading: None,
            levels: Levels::default(),
            paragraph: None,
            columns: Columns::default(),
            heading_ids: HeadingIds::default(),
            fragments: Vec::new(),
            footnotes: Numbers::default(),
            marks: 0,
            preview_image: None,
        }
    }

    /// Leaves bare addresses as they are.
    pub(super) fn without_autolinks(self) -> Self {
        Self {
            finds_addresses: false,
            ..self
        }
    }

    pub(super) fn finish(mut self) -> Result<Rendered, TooComplex> {
        Ok(Rendered {
            dead_links: self.write_fragments()?,
            html: self.html.into_text(),
            preview_image: self.preview_image,
            starts_with_title: self.levels.starts_with_title,
        })
    }

    /// Writes the addresses of links within the text, now that all headings are known. Returns those that lead nowhere.
    fn write_fragments(&mut self) -> Result<Vec<String>, TooComplex> {
        let (mut dead, mut seen) = (Vec::new(), HashSet::new());
        if self.fragments.is_empty() {
            return Ok(dead);
        }
        let targets = Targets::of(&self.heading_ids.headings);
        for (gap, address) in &self.fragments {
            let fragment = address.fragment().unwrap_or_default();
            if let Some(id) = targets.find(&fragment) {
                self.html.fill_gap(*gap, &Attribute::Fragment(id))?;
                continue;
            }
            self.html.fill_gap(*gap, &Attribute::Href(address))?;
            let is_top = fragment.is_empty() || fragment == "top";
            if !is_top && !self.footnotes.has(&fragment) && seen.insert(fragment.clone()) {
                dead.push(format!("#{fragment}"));
            }
        }
        Ok(dead)
    }

    pub(super) fn take(&mut self, event: Event<'a>) -> Result<(), TooComplex> {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(TagEnd::Paragraph) => self.end_paragraph(),
            Event::End(TagEnd::Heading(_)) => self.end_heading(),
            Event::End(TagEnd::CodeBlock) => self.end_code(),
            Event::End(_) => self.end(),
            event if self.image.is_some() => {
                self.take_alt(&event);
                Ok(())
            }
            Event::Text(text) => self.linked_text(&text),
            Event::Code(code) => {
                self.html.markup("<code>")?;
                self.text(&code)?;
                self.html.markup("</code>")
            }
            Event::SoftBreak => self.line_break("\n"),
            Event::HardBreak => self.line_break("<br>\n"),
            Event::Rule => self.html.block("<hr>\n"),
            Event::TaskListMarker(is_done) => self.task_box(is_done),
            Event::FootnoteReference(label) => self.reference(label),
            // Raw HTML is text by now, and the parser's options allow nothing else.
            _ => Ok(()),
        }
    }

    fn start(&mut self, tag: Tag<'a>) -> Result<(), TooComplex> {
        let is_written = self.image.is_none() && self.has_room_for(&tag);
        let closing = match is_written {
            true => self.open(tag)?,
            false => None,
        };
        self.open.push(closing);
        Ok(())
    }

    fn end(&mut self) -> Result<(), TooComplex> {
        let closing = self.open.pop().flatten();
        let depth = self.open.len();
        if let Some(image) = self.image.take_if(|image| image.depth == depth) {
            self.end_image(image)?;
        }
        closing.map_or(Ok(()), |markup| self.html.markup(markup))
    }

    /// A part is written if its whole is, so that no table is left without its rows.
    fn has_room_for(&self, tag: &Tag<'_>) -> bool {
        let room_inside = match tag {
            Tag::TableHead | Tag::TableRow | Tag::TableCell | Tag::Item => {
                return self.open.last().is_some_and(Option::is_some);
            }
            Tag::Table(_) => 3,
            Tag::List(_) => 1,
            _ => 0,
        };
        let has_room = self.open.len() + room_inside < MAX_DEPTH;
        has_room && (!matches!(tag, Tag::Link { .. }) || self.has_room_for_link())
    }

    /// Writes what opens a container, and returns what closes it.
    fn open(&mut self, tag: Tag<'a>) -> Result<Option<&'static str>, TooComplex> {
        let html = &mut self.html;
        let closing = match tag {
            Tag::Paragraph => self.open_paragraph()?,
            Tag::Heading { level, .. } => self.open_heading(level)?,
            Tag::BlockQuote(Some(kind)) => self.open_callout(kind)?,
            Tag::BlockQuote(None) => {
                html.block("<blockquote>\n")?;
                "</blockquote>\n"
            }
            Tag::CodeBlock(kind) => self.open_code(&kind)?,
            Tag::List(None) => {
                html.block("<ul>\n")?;
                "</ul>\n"
            }
            Tag::List(Some(first)) => {
                html.block("<ol")?;
                if first != 1 {
                    html.attribute(&Attribute::Start(first))?;
                }
                html.markup(">\n")?;
                "</ol>\n"
            }
            Tag::Item => {
                html.block("<li>")?;
                "</li>\n"
            }
            Tag::Table(alignments) => {
                self.columns = Columns::new(alignments);
                return self.open_table().map(Some);
            }
            Tag::TableHead => {
                self.columns.start_row(true);
                html.markup("<thead><tr>")?;
                "</tr></thead><tbody>\n"
            }
            Tag::TableRow => {
                self.columns.start_row(false);
                html.markup("<tr>")?;
                "</tr>\n"
            }
            Tag::TableCell => {
                let (opening, closing) = self.columns.next_cell();
                html.markup(opening)?;
                closing
            }
            Tag::Emphasis => {
                html.markup("<em>")?;
                "</em>"
            }
            Tag::Strong => {
                html.markup("<strong>")?;
                "</strong>"
            }
            Tag::Strikethrough => {
                html.markup("<del>")?;
                "</del>"
            }
            Tag::Link {
                link_type,
                dest_url,
                title,
                ..
            } => {
                self.open_link_to(link_type, &dest_url, &title)?;
                LINK_END
            }
            Tag::Image {
                dest_url, title, ..
            } => {
                let address = Address::of_image(&dest_url);
                self.image = Some(Image {
                    address: address.map(|address| self.resolved(address)),
                    title: title.into_string(),
                    alt: String::new(),
                    depth: self.open.len(),
                });
                return Ok(None);
            }
            // The parser's options allow nothing else.
            _ => return Ok(None),
        };
        Ok(Some(closing))
    }

    fn open_table(&mut self) -> Result<&'static str, TooComplex> {
        let Some(labels) = &self.style.page else {
            self.html.markup("<table>")?;
            return Ok("</tbody></table>\n");
        };
        self.html
            .page_markup("<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
        self.html.page_attribute(&Attribute::Label(&labels.table))?;
        self.html.page_markup(">");
        self.html.raise_limit("</div>".len());
        self.html.markup("<table>")?;
        Ok("</tbody></table></div>\n")
    }

    fn task_box(&mut self, is_done: bool) -> Result<(), TooComplex> {
        self.html.markup("<input")?;
        if let Some(labels) = &self.style.page {
            let label = if is_done {
                &labels.task_done
            } else {
                &labels.task_open
            };
            self.html.page_attribute(&Attribute::Label(label))?;
        }
        self.html.markup(" disabled=\"\" type=\"checkbox\"")?;
        if is_done {
            self.html.markup(" checked=\"\"")?;
        }
        self.html.markup(">\n")
    }
}
