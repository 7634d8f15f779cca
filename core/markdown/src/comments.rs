//! Raw HTML: readers see it as text, without its comments.

use pulldown_cmark::{Event, Tag, TagEnd};

const COMMENT: &str = "<!--";

/// The parser's events with raw HTML as text. What is left of a block of HTML is a paragraph.
pub(super) struct WithoutHtml<'a, I> {
    events: I,
    /// What follows the paragraph's beginning, the last first.
    pending: Vec<Event<'a>>,
}

impl<'a, I: Iterator<Item = Event<'a>>> WithoutHtml<'a, I> {
    pub(super) const fn new(events: I) -> Self {
        let pending = Vec::new();
        Self { events, pending }
    }

    /// The source of the block of HTML that has begun. A comment may go over its lines.
    fn block(&mut self) -> String {
        let mut html = String::new();
        while let Some(Event::Html(part) | Event::Text(part)) = self.events.next() {
            html.push_str(&part);
        }
        html
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for WithoutHtml<'a, I> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(event) = self.pending.pop() {
            return Some(event);
        }
        loop {
            match self.events.next()? {
                Event::Start(Tag::HtmlBlock) => {
                    if let Some(text) = shown(&self.block()) {
                        self.pending.push(Event::End(TagEnd::Paragraph));
                        self.pending.push(Event::Text(text.into()));
                        return Some(Event::Start(Tag::Paragraph));
                    }
                }
                Event::InlineHtml(html) if html.starts_with(COMMENT) => {}
                Event::InlineHtml(html) => return Some(Event::Text(html)),
                event => return Some(event),
            }
        }
    }
}

/// What readers see of a block of HTML, if they see any of it. A comment that is not closed is none (CommonMark,
/// section 6.6), and its text stays.
pub(super) fn shown(html: &str) -> Option<String> {
    let (mut shown, mut rest) = (String::new(), html);
    while let Some(start) = rest.find(COMMENT) {
        // `<!-->` and `<!--->` are whole comments.
        let inside = start + "<!".len();
        let Some(end) = rest[inside..].find("-->") else {
            break;
        };
        shown.push_str(&rest[..start]);
        rest = &rest[inside + end + "-->".len()..];
    }
    shown.push_str(rest);
    (!shown.trim().is_empty()).then_some(shown)
}

#[cfg(test)]
mod tests {
    use crate::{Style, block_lines, check, render};

    #[test]
    fn comments_are_not_shown_and_other_html_is_text() {
        for (source, html) in [
            ("a\n\n<!-- b\n\n*c* -->\n\nd", "<p>a</p>\n<p>d</p>\n"),
            ("a <!-- b\nc -->d", "<p>a d</p>\n"),
            ("<!--> a", "<p> a</p>\n"),
            ("<!---> a", "<p> a</p>\n"),
            ("<!----> a <!-- b --> c", "<p> a  c</p>\n"),
            (
                "> <!-- a\n> b -->\n> c",
                "<blockquote>\n<p>c</p>\n</blockquote>\n",
            ),
            ("- <!-- a -->\n- b", "<ul>\n<li></li>\n<li>b</li>\n</ul>\n"),
            (
                "<div>\n<!-- a -->b\n</div>",
                "<p>&lt;div&gt;\nb\n&lt;/div&gt;</p>\n",
            ),
            (
                "`<!-- a -->` \\<!-- b -->",
                "<p><code>&lt;!-- a --&gt;</code> &lt;!-- b --&gt;</p>\n",
            ),
            ("<!-- a\n\nb", "<p>&lt;!-- a\n\nb</p>\n"),
            ("a <!-- b", "<p>a &lt;!-- b</p>\n"),
        ] {
            assert_eq!(render(source, &Style::default()).html, html, "{source}");
        }
        assert_eq!(
            check("<!-- a -->\n\nb <!-- c --> d").unwrap().excerpt,
            "b d"
        );
        assert_eq!(block_lines("<!-- a -->\n\nb\n\n<!-- c --> d"), [2, 4]);
    }
}
