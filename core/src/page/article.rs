//! How pages show a post.

use handbill_markdown::{Headings, PageLabels, Style};
use unicode_bidi::{Direction, get_base_direction};

use crate::page::language::Language;
use crate::post::PostSummary;

/// The direction of a post's text, for `dir`. The first letter with a direction decides.
///
/// `dir="auto"` would leave this to the browser, but takes it quadratic time in the number of blocks.
pub(super) fn direction(post: &PostSummary) -> &'static str {
    match get_base_direction(post.excerpt.as_str()) {
        Direction::Rtl => "rtl",
        Direction::Ltr | Direction::Mixed => "ltr",
    }
}

/// How a list shows a post without title and headings: the first sentence, which links to the post, and the
/// rest of the excerpt. `None` for any other post.
pub(super) fn note(post: &PostSummary) -> Option<(String, &str)> {
    let has_name = |name: &Option<String>| {
        name.as_deref()
            .is_some_and(handbill_markdown::has_visible_character)
    };
    if has_name(&post.title) || has_name(&post.heading) {
        return None;
    }
    let name = post.name()?;
    // A name that was cut continues in the rest.
    let beginning = name.trim_end_matches('…').trim_end();
    let start = post.excerpt.find(beginning)?;
    let rest = &post.excerpt[start + beginning.len()..];
    Some((beginning.to_owned(), rest))
}

/// The minutes that reading a text takes, if it is two or more.
pub(super) fn reading_minutes(body: &str) -> Option<u64> {
    const WORDS_A_MINUTE: u64 = 230;
    /// Chinese and Japanese have no spaces between words, which are of about two characters.
    const CHARACTERS_A_WORD: u64 = 2;
    let is_ideograph = |c: &char| matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}');
    let words = body.split_whitespace().count() as u64;
    let characters = body.chars().filter(is_ideograph).count() as u64;
    let minutes = (words + characters / CHARACTERS_A_WORD).div_ceil(WORDS_A_MINUTE);
    (minutes >= 2).then_some(minutes)
}

/// Code as HTML, with a few colours.
pub(super) fn code(words: &Language, code: &str, language: &str) -> String {
    let code = code.trim_end();
    let source = format!("~~~~~~{language}\n{code}\n~~~~~~\n");
    let style = Style {
        few_colours: true,
        ..style(words)
    };
    handbill_markdown::render(&source, &style).html
}

/// The levels of the headings in a post's body. Without a title, a heading at its start is the title of the page.
pub(super) fn headings(post: &PostSummary) -> Headings {
    match post.title {
        Some(_) => Headings::BelowTitle,
        None => Headings::WithTitle,
    }
}

/// How pages in this language render Markdown.
pub(super) fn style(language: &Language) -> Style {
    Style {
        page: Some(PageLabels {
            task_done: language.message("task-done").to_string(),
            task_open: language.message("task-open").to_string(),
            heading_link: language.message("heading-link").to_string(),
            table: language.message("table").to_string(),
            footnotes: language.message("footnotes").to_string(),
            footnote: language.message("footnote").to_string(),
            footnote_back: language.message("footnote-back").to_string(),
        }),
        ..Style::default().with_language(Some(language.tag()))
    }
}
