//! The text of a file as the body of a post: links to other files lead to their posts, and what generators would have
//! replaced is replaced as far as it is understood, and counted.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag};

use super::count::{Count, LeftOut};
use super::links::{Links, Target};
use super::marks::{Kind, Mark, argument, fenced, figure, without_escapes, without_raw};

/// A longer text is no post. It stays as it is, and is refused by its length.
const MAX_BYTES: usize = 1024 * 1024;

/// What mdBook has other files for.
const INCLUSIONS: [&str; 3] = ["{{#include ", "{{#rustdoc_include ", "{{#playground "];

/// The body of a post.
#[derive(Default)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) left_out: Count<LeftOut>,
    /// Links that lead to other posts.
    pub(crate) links: usize,
    /// Whether it links to a file whose post has no address yet.
    pub(crate) awaits_others: bool,
}

/// A part of a text, and what replaces it.
type Edit = (Range<usize>, String);

/// Makes the body of the text of a file.
pub(super) fn body(text: &str, file: &Path, links: &Links) -> Body {
    let mut rewriter = Rewriter {
        links,
        file,
        headings: HashMap::new(),
        body: Body::default(),
    };
    rewriter.body.text = text.to_owned();
    if text.len() <= MAX_BYTES {
        let text = rewriter.without_modules(text);
        let text = rewriter.without_marks(&without_raw(text));
        rewriter.body.text = without_escapes(rewriter.with_links(&text));
    }
    rewriter.body
}

/// Whether a text begins with its title.
pub(super) fn has_title(text: &str) -> bool {
    match parser(text).next() {
        Some(Event::Start(Tag::Heading { level, .. })) => level == HeadingLevel::H1,
        _ => false,
    }
}

/// Whether a text begins with a line of JavaScript.
fn is_module(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("import ") || text.starts_with("export ")
}

/// What follows the statement that a text begins with: it ends with the line in which all its braces are closed.
fn without_statement(text: &str) -> &str {
    let (mut end, mut open) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        end += line.len();
        open += line.matches(['{', '(', '[']).count();
        open = open.saturating_sub(line.matches(['}', ')', ']']).count());
        if open == 0 {
            return &text[end..];
        }
    }
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

fn parser(text: &str) -> Parser<'_> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_WIKILINKS;
    Parser::new_ext(text, options)
}

struct Rewriter<'a> {
    links: &'a Links,
    file: &'a Path,
    /// What headings are called here, by the names that the text gives them.
    headings: HashMap<String, String>,
    body: Body,
}

impl Rewriter<'_> {
    fn leave_out(&mut self, reason: LeftOut) {
        self.body.left_out.add(reason);
    }

    /// Leaves out what an MDX file begins with: lines of JavaScript.
    fn without_modules<'t>(&mut self, text: &'t str) -> &'t str {
        let mut rest = text;
        while self.is_mdx() && is_module(rest) {
            self.leave_out(LeftOut::Component);
            rest = without_statement(rest.trim_start());
        }
        rest
    }

    fn is_mdx(&self) -> bool {
        let extension = self.file.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("mdx"))
    }

    /// Replaces the marks of generators outside of code.
    fn without_marks(&mut self, text: &str) -> String {
        let is_code =
            |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
        let code = parser(text)
            .into_offset_iter()
            .filter(|(event, _)| is_code(event));
        let mut code = code.map(|(_, range)| range).peekable();
        let (mut written, mut done, mut at) = (String::with_capacity(text.len()), 0, 0);
        while let Some(next) = text[at..].find(['{', '%', '\\']) {
            at += next;
            while code.next_if(|code| code.end <= at).is_some() {}
            if let Some(code) = code.peek().filter(|code| code.contains(&at)) {
                self.count_inclusions(&text[at..code.end]);
                at = code.end;
                continue;
            }
            let Some(mark) = Mark::at(text, at) else {
                at += 1;
                continue;
            };
            at = mark.end;
            match self.replacement(&mark, text) {
                Some((replacement, end)) => {
                    written += &text[done..mark.start];
                    written += &replacement;
                    (done, at) = (end, end);
                }
                None => self.count(&mark),
            }
        }
        written + &text[done..]
    }

    /// What a mark stands for, and where what it replaces ends. `None` if it is not understood, and so stays as text.
    fn replacement(&mut self, mark: &Mark<'_>, text: &str) -> Option<(String, usize)> {
        let (name, rest) = mark.words();
        let highlighted = |end: &str| {
            let (code, end) = mark.block(text, end)?;
            let language = rest.split_whitespace().next().unwrap_or_default();
            Some((fenced(language, code), end))
        };
        let alone = |replacement: String| Some((replacement, mark.end));
        match (mark.kind, name) {
            (Kind::Shortcode, "ref" | "relref") | (Kind::Tag, "post_url" | "link") => {
                alone(self.address(argument(rest))?)
            }
            (Kind::Shortcode, "highlight") => highlighted("/highlight"),
            (Kind::Tag, "highlight") => highlighted("endhighlight"),
            (Kind::Tag, "comment") => Some((String::new(), mark.block(text, "endcomment")?.1)),
            (Kind::Shortcode, "figure") => alone(figure(rest)?),
            (Kind::Output, "site.baseurl" | "site.url")
                if rest.is_empty() && text[mark.end..].starts_with(['/', '{']) =>
            {
                alone(String::new())
            }
            (Kind::Output, _) if mark.is_address() => alone(argument(mark.inside).to_owned()),
            (Kind::Comment, _) => alone(String::new()),
            (Kind::Bracketed, "caption" | "embed") => {
                let (inside, end) = mark.block(text, &format!("/{name}"))?;
                Some((inside.to_owned(), end))
            }
            (Kind::Attributes, _) => {
                if let Some((name, heading)) = mark.named_heading(text) {
                    self.headings.insert(name.to_owned(), slug(heading));
                }
                self.leave_out(LeftOut::Attributes);
                alone(String::new())
            }
            _ => None,
        }
    }

    /// Counts what mdBook would include, which is code most of the time.
    fn count_inclusions(&mut self, code: &str) {
        for _ in INCLUSIONS.iter().flat_map(|mark| code.matches(mark)) {
            self.leave_out(LeftOut::Template);
        }
    }

    /// Counts a mark that stays. Links are counted already, and of two that belong together, the first.
    fn count(&mut self, mark: &Mark<'_>) {
        let (name, _) = mark.words();
        let is_link = matches!(name, "ref" | "relref" | "post_url" | "link");
        if !is_link && !name.starts_with('/') && !name.starts_with("end") {
            self.leave_out(match mark.kind {
                Kind::Shortcode | Kind::Bracketed => LeftOut::Shortcode,
                _ => LeftOut::Template,
            });
        }
    }

    /// Gives the links to other files the addresses of their posts.
    fn with_links(&mut self, text: &str) -> String {
        let parser = parser(text);
        let mut edits: Vec<Edit> = Vec::new();
        let pictures = self::parser(text).filter_map(|event| match event {
            Event::Start(Tag::Image { dest_url, .. }) => Some(dest_url),
            _ => None,
        });
        let pictures: HashSet<_> = pictures.collect();
        for (_, definition) in parser.reference_definitions().iter() {
            if !pictures.contains(&definition.dest) {
                let target = target_at(text, &definition.span, str::find, "]:");
                edits.extend(self.edit(text, target, &definition.dest));
            }
        }
        for (event, range) in parser.into_offset_iter() {
            let source = &text[range.clone()];
            match event {
                Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    ..
                }) => match link_type {
                    LinkType::WikiLink { .. } => {
                        edits.extend(self.wikilink(text, range, note(&dest_url)));
                    }
                    LinkType::Inline => {
                        let inside = range.start..range.end - 1;
                        let target = target_at(text, &inside, str::rfind, "](");
                        edits.extend(self.edit(text, target, &dest_url));
                    }
                    _ => {}
                },
                Event::Start(Tag::Image {
                    link_type,
                    dest_url,
                    ..
                }) => match link_type {
                    LinkType::WikiLink { .. } => {
                        edits.extend(self.embedded(text, range, note(&dest_url)));
                    }
                    _ if is_within_site(&dest_url) => self.leave_out(LeftOut::Picture),
                    _ => {}
                },
                Event::Start(Tag::BlockQuote(None)) if is_callout(source) => {
                    self.leave_out(LeftOut::Callout);
                }
                Event::Start(Tag::Paragraph) if is_directive(source) => {
                    self.leave_out(LeftOut::Callout);
                }
                Event::Start(Tag::HtmlBlock) if is_frame(source) => {
                    edits.push((frame(text, range), String::new()));
                }
                Event::Start(Tag::HtmlBlock) => self.count_tags(source),
                Event::InlineHtml(html) => self.count_tags(&html),
                _ => {}
            }
        }
        edits.sort_by_key(|(range, _)| range.start);
        let (mut written, mut done) = (String::with_capacity(text.len()), 0);
        for (range, replacement) in edits {
            // A link in the text of another one.
            if range.start >= done {
                written += &text[done..range.start];
                written += &replacement;
                done = range.end;
            }
        }
        written + &text[done..]
    }

    fn edit(&mut self, text: &str, part: Option<Range<usize>>, target: &str) -> Option<Edit> {
        let name = target.strip_prefix('#');
        let address = match name.and_then(|name| self.headings.get(name)) {
            Some(slug) => format!("#h-{slug}"),
            None if is_within_site(target) => self.address(target)?,
            None => return None,
        };
        let part = part.filter(|part| !text[part.clone()].is_empty())?;
        Some((part, address))
    }

    /// `[[name]]` or `[[name|text]]`, as Obsidian has them.
    fn wikilink(&mut self, text: &str, range: Range<usize>, target: &str) -> Option<Edit> {
        // `[[1]](address)` is a link whose text has brackets.
        if text[range.end..].starts_with(['(', '[']) {
            return None;
        }
        let address = self.address(target)?;
        let written = &text[range.clone()];
        let written = written.trim_start_matches('[').trim_end_matches(']');
        let label = written.split_once('|').map_or(written, |(_, label)| label);
        Some((range, format!("[{label}]({address})")))
    }

    /// `![[name]]`: a note becomes a link, and a picture stays behind.
    fn embedded(&mut self, text: &str, range: Range<usize>, target: &str) -> Option<Edit> {
        let (path, _) = target.split_once('#').unwrap_or((target, ""));
        if *self.links.find(path, self.file) == Target::Nowhere {
            self.leave_out(LeftOut::Picture);
            return None;
        }
        let (range, link) = self.wikilink(text, range.start + 1..range.end, target)?;
        Some((range.start - 1..range.end, link))
    }

    /// The address of the post that a link within the site leads to.
    fn address(&mut self, target: &str) -> Option<String> {
        let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
        let with_fragment = |url: &str| match fragment {
            "" => url.to_owned(),
            fragment => format!("{url}#h-{}", slug(fragment)),
        };
        if path.is_empty() {
            return Some(with_fragment(""));
        }
        match self.links.find(path, self.file) {
            Target::Post(url) => {
                self.body.links += 1;
                Some(with_fragment(url))
            }
            Target::Later => {
                self.body.awaits_others = true;
                None
            }
            Target::Nowhere => {
                self.leave_out(LeftOut::DeadLink);
                None
            }
        }
    }

    fn count_tags(&mut self, html: &str) {
        for (at, _) in html.match_indices('<') {
            match html[at + 1..].chars().next() {
                Some('A'..='Z') if self.is_mdx() => self.leave_out(LeftOut::Component),
                Some('a'..='z' | 'A'..='Z') => self.leave_out(LeftOut::Html),
                _ => {}
            }
        }
    }
}

/// What a wikilink names. In a table, a backslash stands before the `|` that ends it.
fn note(target: &str) -> &str {
    target.trim_end_matches('\\')
}

/// Whether a quotation begins as Obsidian's callouts do. The five of GitHub are none here: they stay what they are.
fn is_callout(quotation: &str) -> bool {
    let inside = quotation.strip_prefix('>').unwrap_or_default();
    inside.trim_start().starts_with("[!")
}

/// Whether a paragraph begins a callout as Starlight and VitePress have them: `:::note`.
fn is_directive(text: &str) -> bool {
    let name = text.trim_start_matches(':');
    text.starts_with(":::") && name.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

/// Whether a block of HTML is one tag around Markdown that says no more than that a picture has a caption.
fn is_frame(html: &str) -> bool {
    let tag = html.trim().strip_prefix('<').unwrap_or_default();
    let inside = tag.strip_suffix('>').unwrap_or_default();
    let name = inside.trim_start_matches('/').split_whitespace().next();
    matches!(name, Some("figure" | "figcaption")) && !inside.contains('<')
}

/// The part of a text to remove for such a tag. The blank lines after it go too if there is one before it, which then
/// separates the same paragraphs.
fn frame(text: &str, block: Range<usize>) -> Range<usize> {
    let end = block.start + text[block.clone()].trim_end().len();
    let before = &text[..block.start];
    let rest = match before.is_empty() || before.ends_with("\n\n") || before.ends_with("\n\r\n") {
        true => text[end..].trim_start_matches(['\r', '\n']),
        false => &text[end..],
    };
    block.start..text.len() - rest.len()
}

/// Whether a link is neither an address of its own, nor one of this page, nor of the root.
fn is_within_site(target: &str) -> bool {
    let end = target.find([':', '/', '?', '#']);
    let has_scheme = end.is_some_and(|end| target[end..].starts_with(':'));
    !has_scheme
        && !target.starts_with("//")
        && !target.starts_with('#')
        && !matches!(target, "" | "/")
}

/// The target of a link: from this mark to a title, or the end.
fn target_at(
    text: &str,
    link: &Range<usize>,
    find: fn(&str, &'static str) -> Option<usize>,
    mark: &'static str,
) -> Option<Range<usize>> {
    let whole = &text[link.clone()];
    let start = find(whole, mark)? + mark.len();
    let target = whole[start..].trim_start();
    let start = link.start + whole.len() - target.len();
    let length = match target.strip_prefix('<') {
        Some(target) => target.find('>')? + 2,
        None => target.find(char::is_whitespace).unwrap_or(target.len()),
    };
    Some(start..start + length)
}

/// A fragment as the identifiers of headings are written. The generator's may differ in signs.
fn slug(fragment: &str) -> String {
    let fragment = fragment.strip_prefix("h-").unwrap_or(fragment);
    let fragment = fragment.to_lowercase();
    let is_between = |letter: char| letter.is_whitespace() || letter.is_ascii_punctuation();
    let words = fragment.split(is_between);
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}
