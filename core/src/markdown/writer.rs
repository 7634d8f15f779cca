//! The parser's events as HTML: which markup stands for what.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Tag};
use unicode_normalization::char::is_combining_mark;

use super::address::Address;
use super::columns::Columns;
use super::html::{Attribute, CodeLanguage, Html};
use super::{Style, TooComplex};

/// Containers nested deeper than this are left out; their text stays. Browsers take time that grows
/// with the square of the depth.
const MAX_DEPTH: usize = 32;

/// Combining marks in a row after which a page's line may break: browsers take time that grows with
/// the square of how many stand together.
const MARKS_TOGETHER: usize = 30;

const LINK_END: &str = "</a>";

pub(super) struct Writer<'a> {
    style: &'a Style,
    html: Html,
    /// What closes each open container, outermost first; none for one that was left out.
    open: Vec<Option<&'static str>>,
    /// The image that is open. What stands in it is its alternative text.
    image: Option<Image>,
    columns: Columns,
    /// Combining marks since another character was written.
    marks: usize,
    first_image: Option<String>,
}

struct Image {
    /// None if it is refused.
    address: Option<Address>,
    title: String,
    alt: String,
    /// The containers around it.
    depth: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(style: &'a Style, max_len: usize) -> Self {
        Self {
            style,
            html: Html::new(max_len),
            open: Vec::new(),
            image: None,
            columns: Columns::default(),
            marks: 0,
            first_image: None,
        }
    }

    /// The HTML, and the address of the first image in it.
    pub(super) fn finish(self) -> (String, Option<String>) {
        (self.html.into_text(), self.first_image)
    }

    pub(super) fn take(&mut self, event: Event<'_>) -> Result<(), TooComplex> {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            event if self.image.is_some() => self.take_alt(&event),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => {
                self.html.markup("<code>")?;
                self.text(&code)?;
                self.html.markup("</code>")
            }
            Event::SoftBreak => self.html.markup("\n"),
            Event::HardBreak => self.html.markup("<br>\n"),
            Event::Rule => self.html.block("<hr>\n"),
            Event::TaskListMarker(is_done) => self.task_box(is_done),
            // Raw HTML is text by now, and the parser's options allow nothing else.
            _ => Ok(()),
        }
    }

    fn start(&mut self, tag: Tag<'_>) -> Result<(), TooComplex> {
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
            self.image(image)?;
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
        // Markdown allows an autolink within a link. HTML does not.
        let is_in_link = || self.open.contains(&Some(LINK_END));
        has_room && !(matches!(tag, Tag::Link { .. }) && is_in_link())
    }

    /// Writes what opens a container, and returns what closes it.
    fn open(&mut self, tag: Tag<'_>) -> Result<Option<&'static str>, TooComplex> {
        let html = &mut self.html;
        let closing = match tag {
            Tag::Paragraph => {
                html.block("<p>")?;
                "</p>\n"
            }
            Tag::Heading { level, .. } => {
                let (opening, closing) = heading(level);
                html.block(opening)?;
                closing
            }
            Tag::BlockQuote(_) => {
                html.block("<blockquote>\n")?;
                "</blockquote>\n"
            }
            Tag::CodeBlock(kind) => {
                self.open_code(&kind)?;
                "</code></pre>\n"
            }
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
                let address = match link_type {
                    LinkType::Email => Address::of_mailbox(&dest_url),
                    _ => Address::of_link(&dest_url),
                };
                self.open_link(address, &title)?;
                LINK_END
            }
            Tag::Image {
                dest_url, title, ..
            } => {
                self.image = Some(Image {
                    address: Address::of_image(&dest_url),
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

    fn open_code(&mut self, kind: &CodeBlockKind<'_>) -> Result<(), TooComplex> {
        self.html.block("<pre")?;
        if self.style.page.is_some() {
            self.html.page_markup(" tabindex=\"0\"");
        }
        self.html.markup("><code")?;
        if let CodeBlockKind::Fenced(info) = kind
            && let Some(language) = CodeLanguage::of(info)
        {
            self.html.attribute(&Attribute::CodeLanguage(&language))?;
        }
        self.html.markup(">")
    }

    fn open_table(&mut self) -> Result<&'static str, TooComplex> {
        if self.style.page.is_none() {
            self.html.markup("<table>")?;
            return Ok("</tbody></table>\n");
        }
        self.html
            .page_markup("<div class=\"scroll\" tabindex=\"0\">");
        self.html.raise_limit("</div>".len());
        self.html.markup("<table>")?;
        Ok("</tbody></table></div>\n")
    }

    /// A link whose address is refused is one that leads nowhere.
    fn open_link(&mut self, address: Option<Address>, title: &str) -> Result<(), TooComplex> {
        self.html.markup("<a")?;
        if let Some(address) = address {
            let address = self.resolved(address);
            self.html.attribute(&Attribute::Href(&address))?;
        }
        if !title.is_empty() {
            self.html.attribute(&Attribute::Title(title))?;
        }
        self.html
            .markup(" rel=\"nofollow ugc noopener noreferrer\">")
    }

    fn image(&mut self, image: Image) -> Result<(), TooComplex> {
        self.html.markup("<img")?;
        if let Some(address) = image.address {
            let address = self.resolved(address);
            self.html.attribute(&Attribute::Src(&address))?;
            if self.first_image.is_none() && !address.as_str().is_empty() {
                self.first_image = Some(address.into_string());
            }
        }
        self.html.attribute(&Attribute::Alt(&image.alt))?;
        if !image.title.is_empty() {
            self.html.attribute(&Attribute::Title(&image.title))?;
        }
        self.html
            .markup(" loading=\"lazy\" referrerpolicy=\"no-referrer\">")
    }

    fn resolved(&mut self, address: Address) -> Address {
        let Some(base) = &self.style.base else {
            return address;
        };
        self.html.raise_limit(base.as_str().len());
        address.resolved(base)
    }

    fn take_alt(&mut self, event: &Event<'_>) -> Result<(), TooComplex> {
        let text = match event {
            Event::Text(text) | Event::Code(text) => text,
            Event::SoftBreak | Event::HardBreak => " ",
            _ => "",
        };
        if let Some(image) = &mut self.image {
            image.alt.push_str(text);
        }
        Ok(())
    }

    fn task_box(&mut self, is_done: bool) -> Result<(), TooComplex> {
        self.html.markup("<input")?;
        if let Some(labels) = &self.style.page {
            let label = if is_done {
                &labels.task_done
            } else {
                &labels.task_open
            };
            self.html.attribute(&Attribute::Label(label))?;
        }
        self.html.markup(" disabled=\"\" type=\"checkbox\"")?;
        if is_done {
            self.html.markup(" checked=\"\"")?;
        }
        self.html.markup(">\n")
    }

    fn text(&mut self, text: &str) -> Result<(), TooComplex> {
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
}

const fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    match level {
        HeadingLevel::H1 => ("<h1>", "</h1>\n"),
        HeadingLevel::H2 => ("<h2>", "</h2>\n"),
        HeadingLevel::H3 => ("<h3>", "</h3>\n"),
        HeadingLevel::H4 => ("<h4>", "</h4>\n"),
        HeadingLevel::H5 => ("<h5>", "</h5>\n"),
        HeadingLevel::H6 => ("<h6>", "</h6>\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PageLabels, render};
    use super::*;

    fn html(source: &str) -> String {
        render(source, &Style::default()).html
    }

    fn page(source: &str) -> String {
        let labels = PageLabels {
            task_done: "Done".to_owned(),
            task_open: "\"Not\" done".to_owned(),
        };
        let style = Style {
            page: Some(labels),
            base: None,
        };
        render(source, &style).html
    }

    #[test]
    fn links_have_only_safe_addresses() {
        assert_eq!(
            html("[a](https://x.example 'b') [c](javascript:alert(1)) [d](../e) <f@g.example>"),
            "<p><a href=\"https://x.example\" title=\"b\" rel=\"nofollow ugc noopener noreferrer\">a</a> \
             <a rel=\"nofollow ugc noopener noreferrer\">c</a> \
             <a href=\"../e\" rel=\"nofollow ugc noopener noreferrer\">d</a> \
             <a href=\"mailto:f@g.example\" rel=\"nofollow ugc noopener noreferrer\">f@g.example</a></p>\n"
        );
    }

    #[test]
    fn links_are_not_nested() {
        assert_eq!(
            html("[a <https://b.example> c](d)"),
            "<p><a href=\"d\" rel=\"nofollow ugc noopener noreferrer\">a https://b.example c</a></p>\n"
        );
    }

    #[test]
    fn images_are_lazy_and_send_no_referrer() {
        assert_eq!(
            html("![a *b* `\"c\"`\n![d](e)](https://x.example/i.png \"f\") ![g](http://x.example)"),
            "<p><img src=\"https://x.example/i.png\" alt=\"a b &quot;c&quot; d\" title=\"f\" \
             loading=\"lazy\" referrerpolicy=\"no-referrer\"> \
             <img alt=\"g\" loading=\"lazy\" referrerpolicy=\"no-referrer\"></p>\n"
        );
    }

    #[test]
    fn lists_code_and_tasks_render() {
        assert_eq!(
            html("3. a\n4. b\n\n***\n\n- [x] c\n- [ ] ~~d~~\n\n```rust x\n<e>\n```\n\n```f,g\n```"),
            "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>\n<hr>\n<ul>\n\
             <li><input disabled=\"\" type=\"checkbox\" checked=\"\">\nc</li>\n\
             <li><input disabled=\"\" type=\"checkbox\">\n<del>d</del></li>\n</ul>\n\
             <pre><code class=\"language-rust\">&lt;e&gt;\n</code></pre>\n<pre><code></code></pre>\n"
        );
    }

    #[test]
    fn nesting_is_cut_and_text_is_shown() {
        let deep = html(&format!("{}end", "> ".repeat(5_000)));
        assert_eq!(deep.matches("<blockquote>").count(), MAX_DEPTH);
        assert!(deep.contains("end"));
        let deep_table = html(&format!("{q}|a|\n{q}|-|\n{q}|b|", q = "> ".repeat(30)));
        assert!(!deep_table.contains("<table>"), "{deep_table}");
        assert!(deep_table.contains('b'), "{deep_table}");
    }

    #[test]
    fn on_a_page_what_scrolls_takes_the_focus_and_tasks_have_names() {
        let source = "|a|\n|-|\n\n    code\n\n- [x] a\n- [ ] b\n\n![<pre>](a \"<table>\")\n<pre>";
        let page = page(source);
        for part in [
            "<div class=\"scroll\" tabindex=\"0\"><table>",
            "</table></div>",
            "<pre tabindex=\"0\"><code>code",
            "<input aria-label=\"Done\" ",
            "<input aria-label=\"&quot;Not&quot; done\" ",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
        let bare = page
            .replace("<div class=\"scroll\" tabindex=\"0\">", "")
            .replace("</table></div>", "</table>")
            .replace(" tabindex=\"0\"", "")
            .replace(" aria-label=\"Done\"", "")
            .replace(" aria-label=\"&quot;Not&quot; done\"", "");
        assert_eq!(bare, html(source));
    }

    #[test]
    fn on_a_page_lines_break_within_long_rows_of_combining_marks() {
        for source in [
            "a".to_owned() + &"\u{301}".repeat(70),
            "a".to_owned() + &"&#x301;".repeat(70),
        ] {
            let page = page(&source);
            assert_eq!(page.matches("<wbr>").count(), 2);
            assert_eq!(page.replace("<wbr>", ""), html(&source));
        }
        let vietnamese = "Việt Nam, e\u{302}\u{301}";
        assert_eq!(page(vietnamese), html(vietnamese));
    }
}
