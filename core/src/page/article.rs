//! How pages show a post.

use unicode_bidi::{Direction, get_base_direction};

use crate::field;
use crate::markdown::{PageLabels, Style};
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
    let has_name =
        |name: &Option<String>| name.as_deref().is_some_and(field::has_visible_character);
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

/// How pages in this language render the body of a post.
pub(super) fn style(words: &Language) -> Style {
    Style {
        page: Some(PageLabels {
            task_done: words.message("task-done").to_string(),
            task_open: words.message("task-open").to_string(),
            heading_link: words.message("heading-link").to_string(),
            footnotes: words.message("footnotes").to_string(),
            footnote: words.message("footnote").to_string(),
            footnote_back: words.message("footnote-back").to_string(),
        }),
        base: None,
    }
}
