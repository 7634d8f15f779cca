//! What is published and what was typed, side by side.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::form::{Fields, with_line_feeds};
use crate::context::Context;

/// A comparison that takes longer is less fine, and no less right.
const MAX_TIME: Duration = Duration::from_millis(200);

/// Lines that are shown around those that differ.
const CONTEXT: usize = 3;

/// The fields in which what is published now and what was typed differ.
pub(super) struct Comparison {
    pub(super) rows: Vec<Row>,
}

pub(super) struct Row {
    /// The field's name.
    pub(super) field: &'static str,
    /// The lines that differ, and those around them.
    pub(super) published: Vec<Line>,
    pub(super) typed: Vec<Line>,
}

/// A line of one side, its end included.
pub(super) struct Line {
    pub(super) text: String,
    /// Whether the other side does not have it.
    pub(super) is_different: bool,
}

impl Comparison {
    pub(super) async fn of(context: &Context, published: Fields, typed: &Fields) -> Self {
        let typed = typed.clone();
        let size = published.body.len() + typed.body.len();
        let compare = move || {
            let fields = [
                ("title", published.title, typed.title),
                (
                    "body",
                    with_line_feeds(&published.body),
                    with_line_feeds(&typed.body),
                ),
                ("tags", published.tags, typed.tags),
                (
                    "focus_keyword",
                    published.focus_keyword,
                    typed.focus_keyword,
                ),
            ];
            let rows = fields.into_iter().filter(|(_, now, mine)| now != mine);
            rows.map(|(field, now, mine)| Row::new(field, &now, &mine))
                .collect()
        };
        Self {
            rows: context.blocking.run(size, compare).await,
        }
    }
}

impl Row {
    fn new(field: &'static str, published: &str, typed: &str) -> Self {
        let difference = TextDiff::configure()
            .timeout(MAX_TIME)
            .diff_lines(published, typed);
        let mut row = Self {
            field,
            published: Vec::new(),
            typed: Vec::new(),
        };
        let mut seen = 0;
        for group in difference.grouped_ops(CONTEXT) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            if first.old_range().start > seen || first.new_range().start > seen {
                row.skip();
            }
            seen = last.old_range().end.max(last.new_range().end);
            for change in group.iter().flat_map(|part| difference.iter_changes(part)) {
                row.take(change.tag(), change.value());
            }
        }
        row
    }

    fn take(&mut self, tag: ChangeTag, text: &str) {
        let line = || Line {
            text: text.to_owned(),
            is_different: tag != ChangeTag::Equal,
        };
        if tag != ChangeTag::Insert {
            self.published.push(line());
        }
        if tag != ChangeTag::Delete {
            self.typed.push(line());
        }
    }

    fn skip(&mut self) {
        for side in [&mut self.published, &mut self.typed] {
            side.push(Line {
                text: "⋯\n".to_owned(),
                is_different: false,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_the_other_side_lacks_are_marked() {
        let row = Row::new("body", "one\ntwo\nthree", "one\n2\nthree");
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
        let row = Row::new("body", &format!("{many}old"), &format!("{many}new"));
        let same = || line("same", false);
        assert_eq!(
            marked(&row.typed),
            [line("⋯", false), same(), same(), same(), line("new", true)]
        );
    }
}
