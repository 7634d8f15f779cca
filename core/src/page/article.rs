//! A post as a page shows it.

use unicode_bidi::{Direction, get_base_direction};

use crate::language::Language;
use crate::markdown::{PageLabels, Style};
use crate::post::PostSummary;

/// The direction of a post's text, for `dir`: that of the first letter which has one. A browser that
/// finds it out by itself (`dir="auto"`) takes time quadratic in how many blocks there are.
pub(super) fn direction(post: &PostSummary) -> &'static str {
    match get_base_direction(post.excerpt.as_str()) {
        Direction::Rtl => "rtl",
        Direction::Ltr | Direction::Mixed => "ltr",
    }
}

/// How a page in this language renders a post's body.
pub(super) fn style(words: &Language) -> Style {
    Style {
        page: Some(PageLabels {
            task_done: words.say("task-done").to_string(),
            task_open: words.say("task-open").to_string(),
        }),
        base: None,
    }
}
