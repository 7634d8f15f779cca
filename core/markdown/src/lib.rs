//! Markdown to HTML that is safe to show on any page. Pure.
//!
//! ```
//! use handbill_markdown::Style;
//!
//! let post = handbill_markdown::render("Some *Markdown*.", &Style::default());
//! assert_eq!(post.html, "<p>Some <em>Markdown</em>.</p>\n");
//! ```
//!
//! It reads CommonMark with tables, footnotes, task lists, strikethrough and GitHub's callouts, and needs Rust 1.94.
//!
//! The parser's events are read once. From them come the HTML and an image for a reader, the excerpt, the heading
//! and a picture for a store, or the outline for advice. The HTML is safe by construction: `html` is the only code that
//! adds to it, and it takes markup only as literals, a closed set of attributes, and text, which it escapes. Raw HTML
//! in the source becomes text, and its comments are left out. A sanitiser checks this in the tests of Handbill: it must
//! find nothing to remove.
//!
//! [`search`] has the words by which a post is found, and what a query finds.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod autolink;
mod blocks;
mod character;
mod columns;
mod comments;
mod cut;
mod excerpt;
mod footnotes;
mod fragment;
mod heading_ids;
mod highlight;
mod html;
mod language;
mod name;
mod outline;
pub mod search;
mod writer;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeStream};
use url::Url;

pub use self::address::is_picture;
pub use self::blocks::lines as block_lines;
pub use self::character::{has_visible_character, is_bidi_override, is_combining_mark};
use self::comments::WithoutHtml;
pub use self::cut::cut;
pub use self::excerpt::EXCERPT_LEN;
use self::excerpt::Excerpt;
use self::footnotes::Definitions;
pub use self::language::Language;
pub use self::name::{NAME_LEN, first_sentence};
pub use self::outline::Outline;
use self::writer::Writer;

/// What readers see of a source.
#[derive(Debug)]
pub struct Rendered {
    /// The HTML, at most 1 MiB in the default style.
    pub html: String,
    /// The address of the first image that previews on other sites can show, too: it is absolute, and does not tell of
    /// a format other than a raster format.
    pub preview_image: Option<String>,
    /// The links within the text that lead nowhere, such as `#usage` where no heading has this slug.
    pub dead_links: Vec<String>,
    /// Whether the text starts with the page's title ([`Headings::WithTitle`]).
    pub starts_with_title: bool,
}

/// What is stored beside a source.
#[derive(Debug)]
pub struct Checked {
    /// The first words, without markup.
    pub excerpt: String,
    /// The first heading, as the name of a post without title.
    pub heading: Option<String>,
    /// The address of the [preview image](Rendered::preview_image), for lists. `None` if it is longer than 500 bytes.
    pub picture: Option<String>,
}

/// Where the HTML will be shown. The default is the HTML that the API returns.
#[derive(Debug, Default)]
pub struct Style {
    /// Relative addresses become absolute ones, resolved against this. Fragments (`#note`) stay.
    pub base: Option<Url>,
    /// For a page of our own: code has colours, code and tables can be scrolled by keyboard, headings have
    /// links to themselves, and what has no text has a name (WCAG 2.2, 2.1.1 and 4.1.2).
    pub page: Option<PageLabels>,
    /// Only comments and texts have colours, so that a page with much code stays small.
    pub few_colours: bool,
    /// The levels of headings.
    pub headings: Headings,
    /// The language of what the source does not say itself.
    pub language: Language,
}

/// The levels of headings. A page has one heading of the first level, and no level is left out below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Headings {
    /// Those of the source.
    #[default]
    AsWritten,
    /// Below a title that the page shows: the first heading has the second level, and the others follow it.
    BelowTitle,
    /// The same, except that a heading which starts the text is the page's title.
    WithTitle,
}

/// The names of what has no text that says enough, in the language of the page.
#[derive(Debug)]
pub struct PageLabels {
    /// Of a task that is done.
    pub task_done: String,
    /// Of a task that is open.
    pub task_open: String,
    /// Of the link from a heading to itself.
    pub heading_link: String,
    /// Of a table, which may have to be scrolled.
    pub table: String,
    /// Of the part with all footnotes.
    pub footnotes: String,
    /// Of a reference to a footnote. Its number follows.
    pub footnote: String,
    /// Of the link from a footnote to the text. A number may follow.
    pub footnote_back: String,
}

/// The HTML of a source would be larger than [`check`] allows.
#[derive(Debug)]
pub struct TooComplex;

impl Style {
    /// For readers who see the HTML at another address than `base`, where it belongs.
    #[must_use]
    pub fn with_base(self, base: &str) -> Self {
        let base = Url::parse(base).ok();
        Self { base, ..self }
    }

    /// The source is in the language with this tag (BCP 47), if it is known.
    #[must_use]
    pub fn with_language(self, tag: Option<&str>) -> Self {
        let language = Language::of(tag);
        Self { language, ..self }
    }
}

/// The most bytes of HTML for any source, in the default style.
const MAX_HTML: usize = 1024 * 1024;

/// The most bytes of HTML for a source of this length, in the default style. A table's short rows
/// are filled up, so that without a bound 9 KB could become megabytes.
fn max_html_len(source_len: usize) -> usize {
    max_text_len(source_len).min(MAX_HTML)
}

/// The same for a source that is shown as plain text. Escaping makes it at most 5 times as long.
const fn max_text_len(source_len: usize) -> usize {
    8 * source_len + 64 * 1024
}

/// Checks a source that is about to be stored: its HTML must not be too large.
///
/// # Errors
/// If the HTML is larger than 1 MiB, or than 64 KiB and 8 times the source.
pub fn check(source: &str) -> Result<Checked, TooComplex> {
    let style = Style::default();
    let writer = Writer::new(&style, max_html_len(source.len()));
    let mut excerpt = Excerpt::default();
    let rendered = write(parser(source), writer, |event| excerpt.take(event))?;
    let (excerpt, heading) = excerpt.finish();
    Ok(Checked {
        excerpt,
        heading,
        picture: rendered.preview_image.filter(|image| is_picture(image)),
    })
}

/// Renders a source that was stored. A source that [`check`] refuses is shown as plain text.
pub fn render(source: &str, style: &Style) -> Rendered {
    let writer = Writer::new(style, max_html_len(source.len()));
    write(parser(source), writer, |_| {}).unwrap_or_else(|TooComplex| {
        let text = [
            Event::Start(Tag::Paragraph),
            Event::Text(source.into()),
            Event::End(TagEnd::Paragraph),
        ];
        let writer = Writer::new(style, max_text_len(source.len())).without_autolinks();
        write(text.into_iter(), writer, |_| {})
            .unwrap_or_else(|TooComplex| unreachable!("escaped text is within the bound"))
    })
}

/// The texts of a source, for advice to its writer.
pub fn outline(source: &str) -> Outline {
    let (mut outline, mut footnotes) = (Outline::default(), Definitions::default());
    for event in merged(parser(source)) {
        if let Some(event) = footnotes.take(event) {
            outline.take(&event);
        }
    }
    outline
}

fn parser(source: &str) -> Parser<'_> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        // Callouts.
        | Options::ENABLE_GFM;
    Parser::new_ext(without_byte_order_mark(source), options)
}

/// Some editors begin each file with this mark, which is no part of the text.
pub fn without_byte_order_mark(source: &str) -> &str {
    source.strip_prefix('\u{FEFF}').unwrap_or(source)
}

/// The parser splits texts where markup might have begun. An address may go across that.
fn merged<'a>(events: impl Iterator<Item = Event<'a>>) -> impl Iterator<Item = Event<'a>> {
    TextMergeStream::new(WithoutHtml::new(events))
}

/// Writes the HTML of events. `watch` sees each of them too, except for those of footnotes.
fn write<'a>(
    events: impl Iterator<Item = Event<'a>>,
    mut writer: Writer<'_, 'a>,
    mut watch: impl FnMut(&Event<'a>),
) -> Result<Rendered, TooComplex> {
    let mut footnotes = Definitions::default();
    for event in merged(events) {
        if let Some(event) = footnotes.take(event) {
            watch(&event);
            writer.take(event)?;
        }
    }
    writer.write_footnotes(footnotes)?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(source: &str) -> String {
        render(source, &Style::default()).html
    }

    #[test]
    fn the_contract_s_example_renders_as_shown() {
        assert_eq!(html("Some *Markdown*."), "<p>Some <em>Markdown</em>.</p>\n");
        assert_eq!(check("Some *Markdown*.").unwrap().excerpt, "Some Markdown.");
    }

    #[test]
    fn raw_html_is_shown_as_text() {
        assert_eq!(
            html("a <b onclick=x>b</b>\n\n<script>\nalert(1)\n</script>"),
            "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n\
             <p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>\n"
        );
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
        let shown = render(&wide, &Style::default());
        assert!(shown.html.starts_with("<p>|a|a"));
        let addresses = "www.a.b ".repeat(12_500);
        assert!(check(&addresses).is_err());
        let shown = render(&addresses, &Style::default());
        assert!(shown.html.starts_with("<p>www.a.b www.a.b "));
    }

    #[test]
    fn a_stored_text_of_any_length_is_readable() {
        // It got into the store another way, since a write refuses it.
        let long = "&".repeat(MAX_HTML);
        assert!(check(&long).is_err());
        let shown = render(&long, &Style::default());
        assert_eq!(shown.html.matches("&amp;").count(), MAX_HTML);
    }

    #[test]
    fn every_style_shows_what_a_write_accepted() {
        let links = "[](a)\n".repeat(1_300);
        assert!(check(&links).is_ok());
        let style =
            Style::default().with_base(&format!("https://example.org/{}/", "x".repeat(200)));
        let feed = render(&links, &style).html;
        assert!(feed.len() > max_html_len(links.len()));
        assert_eq!(feed.matches("href=\"https:").count(), 1_300);
    }

    #[test]
    fn names_on_a_page_are_escaped() {
        let name = || "\"<'&".to_owned();
        let style = Style {
            page: Some(PageLabels {
                task_done: name(),
                task_open: name(),
                heading_link: name(),
                table: name(),
                footnotes: name(),
                footnote: name(),
                footnote_back: name(),
            }),
            ..Style::default()
        };
        let page = render("# a[^b]\n\n- [ ] c\n- [x] d\n\n|f|\n|-|\n\n[^b]: e", &style).html;
        let escaped = "aria-label=\"&quot;&lt;&#39;&amp;";
        assert_eq!(page.matches(escaped).count(), 7, "{page}");
        assert_eq!(page.matches("aria-label").count(), 7, "{page}");
    }

    #[test]
    fn a_preview_has_the_first_image_that_other_sites_can_show() {
        for (source, expected) in [
            ("no image", None),
            (
                "![a]() ![b](http://x.example/) ![c](d.png) ![e](https://x.example/f \"g\")",
                Some("https://x.example/f"),
            ),
            ("![![a](https://x.example/b)](data:c)", None),
            ("![a](//x.example/i.PNG)", Some("https://x.example/i.PNG")),
            ("    ![a](https://x.example/b)", None),
            (
                "![a](https://x.example/badge.svg?a=b.png) ![c](https://x.example/v1.2-d) \
                 ![e](https://x.example/a.b/f.jpeg?g=.svg)",
                Some("https://x.example/a.b/f.jpeg?g=.svg"),
            ),
        ] {
            let image = render(source, &Style::default()).preview_image;
            assert_eq!(image.as_deref(), expected, "{source}");
        }
    }

    #[test]
    fn a_page_has_one_heading_of_the_first_level() {
        let levels = |source: &str, headings| {
            let style = Style {
                headings,
                ..Style::default()
            };
            let html = render(source, &style).html;
            let levels = html.split("</h").skip(1).map(|part| &part[..1]);
            levels.collect::<String>()
        };
        for (source, written, below, with) in [
            ("# a\n## b\n# c", "121", "232", "122"),
            ("### a\n#### b\n# c", "341", "232", "122"),
            ("a\n# b\n## c", "12", "23", "23"),
            ("> # a\n\n# b", "11", "22", "22"),
            ("# a\n###### b", "16", "26", "16"),
        ] {
            assert_eq!(levels(source, Headings::AsWritten), written, "{source}");
            assert_eq!(levels(source, Headings::BelowTitle), below, "{source}");
            assert_eq!(levels(source, Headings::WithTitle), with, "{source}");
        }
    }

    #[test]
    fn a_byte_order_mark_at_the_beginning_is_ignored() {
        let source = "\u{FEFF}# a\n\nb";
        assert_eq!(html(source), "<h1 id=\"h-a\">a</h1>\n<p>b</p>\n");
        assert_eq!(check(source).unwrap().heading.as_deref(), Some("a"));
        assert_eq!(outline(source).headings, ["a"]);
        assert_eq!(block_lines(source), [0, 2]);
    }

    /// Half a minute each, if one of them took quadratic time.
    #[test]
    fn long_texts_take_linear_time() {
        let heading = format!("# {}", "word ".repeat(2_000));
        let links = "[a](#word-word) [b](#a-39) ".repeat(3_000);
        for source in [
            format!("{links}\n\n{}", format!("{heading}\n").repeat(9)),
            format!("{links}\n\n{}", "# 🚀\n".repeat(5_000)),
            format!("{links}\n\n{}", "# a\n".repeat(5_000)),
            format!("زوروا https://a.example/{}، ثم ", "ب".repeat(10_000)).repeat(9),
            "<!--".repeat(25_000),
            "a <!-- b --> ".repeat(8_000),
            "> [!NOTE]\n\n".repeat(9_000),
            "J. ".repeat(30_000),
            "🚀".repeat(100_000),
            "e".to_owned() + &"\u{301}".repeat(100_000),
        ] {
            let checked = check(&source).map(|checked| first_sentence(&checked.excerpt));
            assert!(checked.is_ok() || source.starts_with("> ["));
            render(&source, &Style::default());
        }
    }
}
