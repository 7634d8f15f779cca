//! A post's HTML, made fit for a page: what scrolls by itself can be reached by keyboard, and
//! a task says whether it is done (WCAG 2.2, 2.1.1 and 4.1.2); and nothing in it takes a browser longer
//! than its length is worth.

use unicode_bidi::{Direction, get_base_direction};
use unicode_normalization::char::is_combining_mark;

use crate::language::Language;
use crate::markdown::{Part, parts};
use crate::post::PostSummary;

/// Combining marks in a row after which a line may break: browsers take time quadratic in how many
/// stand together.
const MARKS_TOGETHER: usize = 30;

/// The direction of a post's text, for `dir`: that of the first letter which has one. A browser that
/// finds it out by itself (`dir="auto"`) takes time quadratic in how many blocks there are.
pub(super) fn direction(post: &PostSummary) -> &'static str {
    match get_base_direction(post.excerpt.as_str()) {
        Direction::Rtl => "rtl",
        Direction::Ltr | Direction::Mixed => "ltr",
    }
}

/// The same safe HTML with what a page adds to tags.
pub(super) fn for_page(html: &str, words: &Language) -> String {
    let mut page = String::with_capacity(html.len() + html.len() / 16);
    for part in parts(html) {
        let tag = match part {
            Part::Tag(tag) => tag,
            Part::Text(text) => {
                push_text(&mut page, text);
                continue;
            }
        };
        match tag {
            "<pre>" => page.push_str("<pre tabindex=\"0\">"),
            "<table>" => page.push_str("<div class=\"scroll\" tabindex=\"0\"><table>"),
            "</table>" => page.push_str("</table></div>"),
            _ => match tag.strip_prefix("<input ") {
                Some(attributes) => {
                    let label = if attributes.contains("checked") {
                        words.say("task-done")
                    } else {
                        words.say("task-open")
                    };
                    page.push_str(&format!("<input aria-label=\"{label}\" {attributes}"));
                }
                None => page.push_str(tag),
            },
        }
    }
    page
}

fn push_text(page: &mut String, text: &str) {
    if text.is_ascii() {
        page.push_str(text);
        return;
    }
    let mut together = 0;
    for character in text.chars() {
        together = if is_combining_mark(character) {
            together + 1
        } else {
            0
        };
        page.push(character);
        if together == MARKS_TOGETHER {
            page.push_str("<wbr>");
            together = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;

    #[test]
    fn what_scrolls_can_be_focused_and_tasks_have_names() {
        let english = Language::of_tag("en").unwrap();
        let source = "|a|\n|-|\n\n    code\n\n- [x] a\n- [ ] b\n\n![<pre>](a \"<table>\")\n<pre>";
        let html = markdown::render(source);
        let page = for_page(&html, english);
        for part in [
            "<div class=\"scroll\" tabindex=\"0\"><table>",
            "</table></div>",
            "<pre tabindex=\"0\"><code>code",
            "<input aria-label=\"Done\" ",
            "<input aria-label=\"Not done\" ",
            "&lt;pre&gt;",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
        assert_eq!(page.matches("tabindex").count(), 2, "{page}");
        let bare = page
            .replace("<div class=\"scroll\" tabindex=\"0\">", "")
            .replace("</table></div>", "</table>")
            .replace(" tabindex=\"0\"", "")
            .replace(" aria-label=\"Done\"", "")
            .replace(" aria-label=\"Not done\"", "");
        assert_eq!(bare, html);
    }

    #[test]
    fn marks_beyond_all_measure_are_taken_apart() {
        let english = Language::of_tag("en").unwrap();
        let html = format!("<p>a{}</p>", "\u{301}".repeat(70));
        let page = for_page(&html, english);
        assert_eq!(page.matches("<wbr>").count(), 2);
        assert_eq!(page.replace("<wbr>", ""), html);
        let vietnamese = "<p>Việt Nam, e\u{302}\u{301}</p>";
        assert_eq!(for_page(vietnamese, english), vietnamese);
    }
}
