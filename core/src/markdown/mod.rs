//! CommonMark to HTML that is safe to show beside anything, and to a plain excerpt. Pure.
//!
//! Three layers, none of which trusts the one before: raw HTML in the source becomes text; nesting
//! is cut at [`MAX_DEPTH`], since the sanitiser's time grows with its square; and what comes out
//! passes an allow-list of tags, attributes and address schemes.

mod bound;
mod excerpt;
mod links;
mod outline;
mod parts;
mod pieces;
mod sanitiser;
mod structure;

use std::fmt;

use memchr::memmem;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd, html};

pub(crate) use self::links::with_absolute_links;
pub(crate) use self::outline::Outline;
pub(crate) use self::parts::{Part, parts};
use self::pieces::Pieces;
use self::sanitiser::SANITISER;
use self::structure::{Nesting, TableColumns};

/// The source's HTML would be larger than [`max_html_len`] allows.
#[derive(Debug)]
pub(crate) struct TooComplex;

/// The bytes of HTML that a source of so many bytes may become.
pub(crate) const fn max_html_len(source_len: usize) -> usize {
    8 * source_len + 64 * 1024
}

/// The source's excerpt, or the refusal to render it. What passes here renders later.
pub(crate) fn check(source: &str) -> Result<String, TooComplex> {
    // Each way to tell takes several times as long as the one before.
    let bound = max_html_len(source.len());
    let is_in_order = is_in_order(source);
    let is_bounded = is_in_order && bound::is_within(source, bound)
        || parser(source)
            .map(|event| worst_len_of(&event))
            .sum::<usize>()
            <= bound;
    if !is_bounded {
        render_bounded(source)?;
    }
    Ok(excerpt::of(source, is_in_order))
}

/// Whether each piece of the source says what it says by itself: there are no tables, whose second line
/// tells what the first one is, and no definitions of links, which are used elsewhere.
fn is_in_order(source: &str) -> bool {
    memchr::memchr(b'|', source.as_bytes()).is_none() && !may_define_links(source)
}

fn may_define_links(source: &str) -> bool {
    memmem::find(source.as_bytes(), b"]:").is_some()
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

/// What the source says where.
pub(crate) fn outline(source: &str) -> Outline {
    Outline::of(events(source))
}

/// The address of the first picture that the source shows.
pub(crate) fn first_image(source: &str) -> Option<String> {
    let mut shown = events(source).filter_map(|event| match event {
        Event::Start(Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    shown.find(|address| !address.is_empty() && sanitiser::is_https_or_relative(address))
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

/// The source's events: raw HTML as text, nesting cut, table columns aligned without `style`, texts in
/// pieces.
fn events(source: &str) -> impl Iterator<Item = Event<'_>> {
    let mut nesting = Nesting::default();
    let mut table = TableColumns::default();
    let mut pieces = Pieces::default();
    parser(source)
        .map(raw_html_as_text)
        .filter(move |event| nesting.keeps(event))
        .map(move |event| table.align(event))
        .flat_map(move |event| pieces.part(event))
}

fn raw_html_as_text(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::structure::MAX_DEPTH;
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
}
