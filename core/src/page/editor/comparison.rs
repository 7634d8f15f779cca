//! A side-by-side comparison of the published post and the submitted one, for an edit conflict. It
//! compares lines without their ends, and marks the words that differ.

use std::time::{Duration, Instant};

use similar::{ChangeTag, TextDiff};

use super::form::Fields;
use crate::blocking::Work;
use crate::context::Context;

/// After this time the comparison becomes coarser, but stays correct.
const MAX_TIME: Duration = Duration::from_millis(200);

/// The number of unchanged lines shown around a difference.
const CONTEXT: usize = 3;

/// A field that differs.
pub(super) struct Difference {
    /// The field's name.
    pub(super) field: &'static str,
    /// The lines that differ, and the lines around them.
    pub(super) published: Vec<Line>,
    pub(super) typed: Vec<Line>,
}

/// A line of one side, without its end.
pub(super) struct Line {
    pub(super) parts: Vec<Span>,
}

/// A part of a line.
pub(super) struct Span {
    pub(super) text: String,
    /// Whether the other side lacks this part.
    pub(super) is_different: bool,
}

/// The fields that differ.
pub(super) async fn of(context: &Context, published: Fields, typed: &Fields) -> Vec<Difference> {
    let permit = context
        .blocking
        .permit(Work::Read, published.len() + typed.len())
        .await;
    let typed = typed.clone();
    let compare = move || {
        let fields = published.named();
        fields
            .filter_map(|(field, published)| Difference::of(field, published, typed.get(field)))
            .collect()
    };
    permit.run(compare).await
}

impl Difference {
    /// How two texts differ, if they differ in more than the ends of their lines.
    fn of(field: &'static str, published: &str, typed: &str) -> Option<Self> {
        let deadline = Instant::now() + MAX_TIME;
        let (old, new) = (lines(published), lines(typed));
        if old == new {
            return None;
        }
        let difference = TextDiff::configure()
            .deadline(deadline)
            .diff_slices(&old, &new);
        let (mut published, mut typed) = (Vec::new(), Vec::new());
        let mut shown_until = 0;
        for group in difference.grouped_ops(CONTEXT) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            if first.old_range().start > shown_until || first.new_range().start > shown_until {
                // Marks omitted lines on both sides.
                published.push(Line::plain("⋯"));
                typed.push(Line::plain("⋯"));
            }
            shown_until = last.old_range().end.max(last.new_range().end);
            let changes = group
                .iter()
                .flat_map(|part| difference.iter_inline_changes_deadline(part, Some(deadline)));
            for change in changes {
                let tag = change.tag();
                if tag != ChangeTag::Insert {
                    published.push(Line::of(tag, change.values()));
                }
                if tag != ChangeTag::Delete {
                    typed.push(Line::of(tag, change.values()));
                }
            }
        }
        Some(Self {
            field,
            published,
            typed,
        })
    }
}

/// The lines of a text, whatever they end with.
fn lines(text: &str) -> Vec<&str> {
    let lines = text.split('\n');
    let lines = lines.map(|line| line.strip_suffix('\r').unwrap_or(line));
    let lines = lines.flat_map(|line| line.split('\r'));
    let mut lines: Vec<_> = lines.collect();
    // The end of the last line is no other line.
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

impl Line {
    fn plain(text: &str) -> Self {
        let part = Span {
            text: text.to_owned(),
            is_different: false,
        };
        Self { parts: vec![part] }
    }

    /// A line of a change. If none of its parts is emphasised, the other side has no line like it.
    fn of(tag: ChangeTag, parts: &[(bool, &str)]) -> Self {
        let is_new =
            tag != ChangeTag::Equal && parts.iter().all(|(is_emphasised, _)| !is_emphasised);
        let parts = parts.iter().map(|(is_emphasised, text)| Span {
            text: (*text).to_owned(),
            is_different: is_new || *is_emphasised,
        });
        Self {
            parts: parts.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a side, with `[` and `]` around each part that is marked.
    fn marked(lines: &[Line]) -> Vec<String> {
        let part = |part: &Span| match part.is_different {
            true => format!("[{}]", part.text),
            false => part.text.clone(),
        };
        let lines = lines.iter();
        lines
            .map(|line| line.parts.iter().map(part).collect())
            .collect()
    }

    fn sides(published: &str, typed: &str) -> (Vec<String>, Vec<String>) {
        let row = Difference::of("body", published, typed).unwrap();
        (marked(&row.published), marked(&row.typed))
    }

    #[test]
    fn lines_that_the_other_side_lacks_are_marked() {
        let (published, typed) = sides("one\ntwo\nthree", "one\n2\nthree");
        assert_eq!(published, ["one", "[two]", "three"]);
        assert_eq!(typed, ["one", "[2]", "three"]);

        let many = "same\n".repeat(50);
        let (_, typed) = sides(&format!("{many}old"), &format!("{many}new"));
        assert_eq!(typed, ["⋯", "same", "same", "same", "[new]"]);
    }

    #[test]
    fn in_a_line_the_words_that_differ_are_marked() {
        let (published, typed) = sides(
            "The harbour is quiet at night.\n",
            "The harbour is loud at night.\n",
        );
        assert_eq!(published, ["The harbour is [quiet] at night."]);
        assert_eq!(typed, ["The harbour is [loud] at night."]);
    }

    #[test]
    fn the_end_of_a_line_is_no_difference() {
        assert!(Difference::of("body", "a\r\nb\rc\n", "a\nb\nc").is_none());
        let (published, typed) = sides("First.\n\nLeft alone.", "First!\n\nLeft alone.\n");
        assert_eq!(published.last().unwrap(), "Left alone.");
        assert_eq!(typed.last().unwrap(), "Left alone.");
    }
}
