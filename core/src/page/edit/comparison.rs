//! A side-by-side comparison of the published post and the submitted one, for an edit conflict.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::form::{Fields, with_line_feeds};
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

/// A line of one side, including its line break.
pub(super) struct Line {
    pub(super) text: String,
    /// Whether the other side lacks this line.
    pub(super) is_different: bool,
}

/// The fields that differ.
pub(super) async fn of(context: &Context, published: Fields, typed: &Fields) -> Vec<Difference> {
    let turn = context
        .blocking
        .turn(Work::Read, published.len() + typed.len())
        .await;
    let typed = typed.clone();
    let compare = move || {
        let fields = published.named().into_iter().zip(typed.named());
        let fields = fields.map(|((field, published), (_, typed))| {
            (field, with_line_feeds(published), with_line_feeds(typed))
        });
        let fields = fields.filter(|(_, published, typed)| published != typed);
        fields
            .map(|(field, published, typed)| Difference::new(field, &published, &typed))
            .collect()
    };
    turn.run(compare).await
}

impl Difference {
    fn new(field: &'static str, published: &str, typed: &str) -> Self {
        let difference = TextDiff::configure()
            .timeout(MAX_TIME)
            .diff_lines(published, typed);
        let line = |text: &str, is_different| Line {
            text: text.to_owned(),
            is_different,
        };
        let (mut published, mut typed) = (Vec::new(), Vec::new());
        let mut shown_until = 0;
        for group in difference.grouped_ops(CONTEXT) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            if first.old_range().start > shown_until || first.new_range().start > shown_until {
                // Marks omitted lines on both sides.
                published.push(line("⋯\n", false));
                typed.push(line("⋯\n", false));
            }
            shown_until = last.old_range().end.max(last.new_range().end);
            for change in group.iter().flat_map(|part| difference.iter_changes(part)) {
                let (tag, text) = (change.tag(), change.value());
                if tag != ChangeTag::Insert {
                    published.push(line(text, tag == ChangeTag::Delete));
                }
                if tag != ChangeTag::Delete {
                    typed.push(line(text, tag == ChangeTag::Insert));
                }
            }
        }
        Self {
            field,
            published,
            typed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_the_other_side_lacks_are_marked() {
        let row = Difference::new("body", "one\ntwo\nthree", "one\n2\nthree");
        let marked = |lines: &[Line]| -> Vec<(String, bool)> {
            let lines = lines.iter();
            lines
                .map(|line| (line.text.trim_end().to_owned(), line.is_different))
                .collect()
        };
        let line = |text: &str, is_different| (text.to_owned(), is_different);
        assert_eq!(
            marked(&row.published),
            [line("one", false), line("two", true), line("three", false)]
        );
        assert_eq!(
            marked(&row.typed),
            [line("one", false), line("2", true), line("three", false)]
        );

        let many = "same\n".repeat(50);
        let row = Difference::new("body", &format!("{many}old"), &format!("{many}new"));
        let same = || line("same", false);
        assert_eq!(
            marked(&row.typed),
            [line("⋯", false), same(), same(), same(), line("new", true)]
        );
    }
}
