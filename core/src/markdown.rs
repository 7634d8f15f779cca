//! CommonMark to HTML that is safe to show beside anything, and to a plain excerpt. Pure.
//!
//! Three layers, none of which trusts the one before: raw HTML in the source becomes text; nesting
//! is cut at [`MAX_DEPTH`], since the sanitiser's time grows with its square; and what comes out
//! passes an allow-list of tags, attributes and address schemes.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// Containers nested deeper than this are left out; their text stays.
const MAX_DEPTH: usize = 32;
/// Characters of an excerpt, its final `…` included.
const EXCERPT_LEN: usize = 200;

/// The source's HTML would be larger than [`max_html_len`] allows.
#[derive(Debug)]
pub(crate) struct TooComplex;

/// The bytes of HTML that a source of so many bytes may become.
pub(crate) const fn max_html_len(source_len: usize) -> usize {
    8 * source_len + 64 * 1024
}

/// The source's excerpt, or the refusal to render it. What passes here renders later.
pub(crate) fn check(source: &str) -> Result<String, TooComplex> {
    let mut excerpt = Excerpt::default();
    let mut worst_len = 0;
    for event in parser(source) {
        excerpt.take(&event);
        worst_len += worst_len_of(&event);
    }
    // Rendering takes several times as long: it is done where the bound can't be had for less.
    if worst_len > max_html_len(source.len()) {
        render_bounded(source)?;
    }
    Ok(excerpt.finish())
}

/// More bytes than the event can come to in the end: its texts as entities or percent-encoded, in
/// the longest pair of tags with all that the sanitiser adds to it.
fn worst_len_of(event: &Event<'_>) -> usize {
    const LONGEST_TAGS: usize = 160;
    const LONGEST_ENTITY: usize = 6;
    let texts = match event {
        Event::Start(
            Tag::Link {
                dest_url, title, ..
            }
            | Tag::Image {
                dest_url, title, ..
            },
        ) => dest_url.len() + title.len(),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => info.len(),
        Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
            text.len()
        }
        _ => 0,
    };
    LONGEST_TAGS + LONGEST_ENTITY * texts
}

/// The source as safe HTML. A source that [`check`] refuses comes out as its text alone.
pub(crate) fn render(source: &str) -> String {
    render_bounded(source).unwrap_or_else(|TooComplex| {
        let mut text = String::with_capacity(source.len() + 16);
        html::push_html(
            &mut text,
            [Event::Start(Tag::Paragraph), Event::Text(source.into())].into_iter(),
        );
        text + "</p>\n"
    })
}

fn render_bounded(source: &str) -> Result<String, TooComplex> {
    let bound = max_html_len(source.len());
    let safe = SANITISER
        .clean(&write_html(events(source), bound)?)
        .to_string();
    if safe.len() > bound {
        Err(TooComplex)
    } else {
        Ok(safe)
    }
}

fn write_html<'a>(
    events: impl Iterator<Item = Event<'a>>,
    bound: usize,
) -> Result<String, TooComplex> {
    let mut out = Bounded {
        text: String::new(),
        bound,
    };
    html::write_html_fmt(&mut out, events).map_err(|fmt::Error| TooComplex)?;
    Ok(out.text)
}

/// A string that refuses to grow beyond its bound.
struct Bounded {
    text: String,
    bound: usize,
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.text.len() + text.len() > self.bound {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

fn parser(source: &str) -> Parser<'_> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(source, options)
}

/// The source's events: raw HTML as text, nesting cut, table columns aligned without `style`.
fn events(source: &str) -> impl Iterator<Item = Event<'_>> {
    let mut nesting = Nesting::default();
    let mut table = TableColumns::default();
    parser(source)
        .map(raw_html_as_text)
        .filter(move |event| nesting.keeps(event))
        .map(move |event| table.align(event))
}

fn raw_html_as_text(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        other => other,
    }
}

/// Which of the containers that are open at this point are kept, outermost first.
#[derive(Default)]
struct Nesting {
    open: Vec<bool>,
}

impl Nesting {
    fn keeps(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(tag) => {
                let kept = self.has_room_for(tag);
                self.open.push(kept);
                kept
            }
            Event::End(_) => self.open.pop().unwrap_or(false),
            _ => true,
        }
    }

    /// A part goes where its whole goes, so that no table is left without its rows.
    fn has_room_for(&self, tag: &Tag<'_>) -> bool {
        let room_inside = match tag {
            Tag::TableHead | Tag::TableRow | Tag::TableCell | Tag::Item => {
                return self.open.last().copied().unwrap_or(false);
            }
            Tag::Table(_) => 3,
            Tag::List(_) => 1,
            _ => 0,
        };
        self.open.len() + room_inside < MAX_DEPTH
    }
}

/// Writes a column's alignment as `align`: the `style` that the HTML writer would use is one that
/// no strict Content-Security-Policy lets through.
#[derive(Default)]
struct TableColumns {
    alignments: Vec<Alignment>,
    in_head: bool,
    column: usize,
}

impl TableColumns {
    fn align<'a>(&mut self, event: Event<'a>) -> Event<'a> {
        match event {
            Event::Start(Tag::Table(alignments)) => {
                self.alignments = alignments;
                return Event::Start(Tag::Table(Vec::new()));
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                self.in_head = matches!(event, Event::Start(Tag::TableHead));
                self.column = 0;
            }
            Event::Start(Tag::TableCell) => {
                let alignment = self.alignments.get(self.column);
                self.column += 1;
                return self.cell(alignment.copied().unwrap_or(Alignment::None));
            }
            _ => {}
        }
        event
    }

    fn cell<'a>(&self, alignment: Alignment) -> Event<'a> {
        let opening = match (self.in_head, alignment) {
            (_, Alignment::None) => return Event::Start(Tag::TableCell),
            (true, Alignment::Left) => r#"<th align="left">"#,
            (true, Alignment::Center) => r#"<th align="center">"#,
            (true, Alignment::Right) => r#"<th align="right">"#,
            (false, Alignment::Left) => r#"<td align="left">"#,
            (false, Alignment::Center) => r#"<td align="center">"#,
            (false, Alignment::Right) => r#"<td align="right">"#,
        };
        Event::InlineHtml(CowStr::Borrowed(opening))
    }
}

static SANITISER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    const TAGS: [&str; 27] = [
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "img",
        "input",
        "li",
        "ol",
        "p",
        "pre",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ];
    let attributes = [
        ("a", ["href", "title"].as_slice()),
        ("code", &["class"]),
        ("img", &["alt", "src", "title"]),
        ("input", &["checked", "disabled", "type"]),
        ("ol", &["start"]),
        ("td", &["align"]),
        ("th", &["align"]),
    ];
    let attributes: HashMap<_, HashSet<_>> = attributes
        .into_iter()
        .map(|(tag, names)| (tag, names.iter().copied().collect()))
        .collect();
    let mut builder = ammonia::Builder::empty();
    builder
        .tags(TAGS.into())
        .tag_attributes(attributes)
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(ammonia::UrlRelative::PassThrough)
        .link_rel(Some("nofollow ugc noopener noreferrer"))
        .set_tag_attribute_value("img", "loading", "lazy")
        .set_tag_attribute_value("img", "referrerpolicy", "no-referrer")
        .attribute_filter(|tag, attribute, value| {
            let allowed = match (tag, attribute) {
                ("img", "src") => is_https_or_relative(value),
                ("code", "class") => value.starts_with("language-") && !value.contains(' '),
                ("input", "type") => value == "checkbox",
                _ => true,
            };
            allowed.then(|| value.into())
        });
    builder
});

/// Images are fetched without being asked for, so not over a connection that anyone can read.
fn is_https_or_relative(address: &str) -> bool {
    match url::Url::parse(address) {
        Ok(absolute) => absolute.scheme() == "https",
        Err(error) => error == url::ParseError::RelativeUrlWithoutBase,
    }
}

/// Gathers the first words of a post, white space collapsed.
#[derive(Default)]
struct Excerpt {
    text: String,
    characters: usize,
    word_gap: bool,
}

impl Excerpt {
    fn take(&mut self, event: &Event<'_>) {
        if self.is_full() {
            return;
        }
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                text.chars().for_each(|c| self.push(c));
            }
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.word_gap = true,
            Event::End(end) if !is_inline(end) => self.word_gap = true,
            _ => {}
        }
    }

    fn push(&mut self, character: char) {
        if self.is_full() || crate::field::is_bidi_override(character) {
            return;
        }
        if character.is_whitespace() || character.is_control() {
            self.word_gap = true;
            return;
        }
        if std::mem::take(&mut self.word_gap) && !self.text.is_empty() {
            self.text.push(' ');
            self.characters += 1;
        }
        self.text.push(character);
        self.characters += 1;
    }

    /// One character more than fits is kept, as the sign that there is more.
    const fn is_full(&self) -> bool {
        self.characters > EXCERPT_LEN
    }

    fn finish(mut self) -> String {
        if !self.is_full() {
            return self.text;
        }
        let room = self.text.char_indices().nth(EXCERPT_LEN - 1);
        let room = room.map_or(self.text.len(), |(at, _)| at);
        let ends_at_a_word = self.text[room..].starts_with(' ');
        self.text.truncate(room);
        if !ends_at_a_word && let Some(last_gap) = self.text.rfind(' ') {
            self.text.truncate(last_gap);
        }
        self.text.truncate(self.text.trim_end().len());
        self.text.push('…');
        self.text
    }
}

const fn is_inline(end: &TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_s_example_renders_as_shown() {
        assert_eq!(
            render("Some *Markdown*."),
            "<p>Some <em>Markdown</em>.</p>\n"
        );
        assert_eq!(check("Some *Markdown*.").unwrap(), "Some Markdown.");
    }

    #[test]
    fn raw_html_is_shown_as_text() {
        assert_eq!(
            render("a <b onclick=x>b</b>\n\n<script>\nalert(1)\n</script>"),
            "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n\
             <p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>\n"
        );
    }

    #[test]
    fn links_and_images_keep_only_safe_addresses() {
        assert_eq!(
            render("[a](https://x.example) [b](javascript:alert(1)) [c](../d)"),
            "<p><a href=\"https://x.example\" rel=\"nofollow ugc noopener noreferrer\">a</a> \
             <a rel=\"nofollow ugc noopener noreferrer\">b</a> \
             <a href=\"../d\" rel=\"nofollow ugc noopener noreferrer\">c</a></p>\n"
        );
        for refused in [
            "http://x.example/i.png",
            "data:image/png;base64,AA",
            "mailto:a@b.example",
        ] {
            assert!(
                !render(&format!("![i]({refused})")).contains("src"),
                "{refused}"
            );
        }
        let image = render("![i](https://x.example/i.png)");
        for kept in [
            "src=\"https:",
            "alt=\"i\"",
            "loading=\"lazy\"",
            "referrerpolicy=\"no-referrer\"",
        ] {
            assert!(image.contains(kept), "{image}");
        }
    }

    #[test]
    fn tables_task_lists_and_strikethrough_render() {
        let table = render("|a|b|\n|:-:|-:|\n|c|d|");
        assert!(table.contains("<th align=\"center\">a</th>"), "{table}");
        assert!(table.contains("<td align=\"right\">d</td>"), "{table}");
        let tasks = render("- [x] done\n- [ ] ~~not~~");
        assert!(tasks.contains("type=\"checkbox\""), "{tasks}");
        assert!(tasks.contains("<del>not</del>"), "{tasks}");
    }

    #[test]
    fn nesting_is_cut_and_text_is_kept() {
        let deep = render(&format!("{}end", "> ".repeat(5_000)));
        assert_eq!(deep.matches("<blockquote>").count(), MAX_DEPTH);
        assert!(deep.contains("end"));
        let deep_table = render(&format!("{q}|a|\n{q}|-|\n{q}|b|", q = "> ".repeat(30)));
        assert!(!deep_table.contains("<table>"), "{deep_table}");
        assert!(deep_table.contains('b'), "{deep_table}");
    }

    #[test]
    fn html_that_outgrows_its_source_is_refused_and_still_readable() {
        let wide = format!(
            "{}|\n{}|\n{}",
            "|a".repeat(4_000),
            "|-".repeat(4_000),
            "|x|\n".repeat(4_000)
        );
        assert!(check(&wide).is_err());
        assert!(render(&wide).starts_with("<p>|a|a"));
        let links = "[](a)\n".repeat(20_000);
        assert_eq!(check(&links).is_err(), render_bounded(&links).is_err());
    }

    #[test]
    fn an_excerpt_is_cut_at_a_word() {
        let excerpt = check(&format!("# Title\n\n{}", "word ".repeat(100))).unwrap();
        assert!(excerpt.starts_with("Title word word"));
        assert!(excerpt.ends_with("word…"));
        assert!(excerpt.chars().count() <= 200);
        assert_eq!(check(&"x".repeat(200)).unwrap(), "x".repeat(200));
        assert_eq!(
            check(&"x".repeat(201)).unwrap(),
            format!("{}…", "x".repeat(199))
        );
        let exact = format!("{} y{}", "x".repeat(198), "z".repeat(50));
        assert_eq!(check(&exact).unwrap(), format!("{}…", "x".repeat(198)));
    }
}
