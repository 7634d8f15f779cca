//! How pages show a post.

use unicode_bidi::{Direction, get_base_direction};

use crate::language::Language;
use crate::markdown::{PageLabels, Style};
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

/// How pages in this language render the body of a post.
pub(super) fn style(words: &Language) -> Style {
    Style {
        page: Some(PageLabels {
            task_done: words.say("task-done").to_string(),
            task_open: words.say("task-open").to_string(),
        }),
        base: None,
    }
}
