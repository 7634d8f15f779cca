//! A side-by-side comparison of two versions of a post. It compares lines without their ends, and marks the words that
//! differ.

use std::time::{Duration, Instant};

use similar::{ChangeTag, InlineChange, TextDiff};

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
    /// The lines that differ, and the lines around them, in each version.
    pub(super) sides: [Vec<Line>; 2],
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

/// What is marked in the lines of a change.
#[derive(Clone, Copy)]
enum Marks {
    /// They are on both sides.
    None,
    /// The other side has no lines like these.
    Lines,
    /// The other side has lines that differ in some words. One of the two may only lack words, and have none to mark.
    Words,
}

impl Marks {
    fn of(changes: &[InlineChange<'_, str>]) -> Self {
        let is_emphasised = |change: &InlineChange<'_, str>| {
            let mut parts = change.values().iter();
            parts.any(|(is_emphasised, _)| *is_emphasised)
        };
        if changes
            .iter()
            .all(|change| change.tag() == ChangeTag::Equal)
        {
            Self::None
        } else if changes.iter().any(is_emphasised) {
            Self::Words
        } else {
            Self::Lines
        }
    }
}

/// The fields that differ between two versions.
pub(super) async fn of(context: &Context, first: Fields, second: Fields) -> Vec<Difference> {
    let work = first.len() + second.len();
    let permit = context.blocking.permit(Work::Read, work).await;
    let compare = move || {
        let fields = first.named();
        fields
            .filter_map(|(field, text)| Difference::of(field, text, second.get(field)))
            .collect()
    };
    permit.run(compare).await
}

impl Difference {
    /// How two texts differ, if they differ in more than the ends of their lines.
    pub(super) fn of(field: &'static str, first: &str, second: &str) -> Option<Self> {
        let deadline = Instant::now() + MAX_TIME;
        let (old, new) = (lines(first), lines(second));
        if old == new {
            return None;
        }
        let difference = TextDiff::configure()
            .deadline(deadline)
            .diff_slices(&old, &new);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let mut shown_until = 0;
        for group in difference.grouped_ops(CONTEXT) {
            let (Some(start), Some(end)) = (group.first(), group.last()) else {
                continue;
            };
            if start.old_range().start > shown_until || start.new_range().start > shown_until {
                // Marks omitted lines on both sides.
                first.push(Line::plain("⋯"));
                second.push(Line::plain("⋯"));
            }
            shown_until = end.old_range().end.max(end.new_range().end);
            for operation in group {
                let changes: Vec<_> = difference
                    .iter_inline_changes_deadline(&operation, Some(deadline))
                    .collect();
                let marks = Marks::of(&changes);
                for change in &changes {
                    if change.tag() != ChangeTag::Insert {
                        first.push(Line::of(marks, change.values()));
                    }
                    if change.tag() != ChangeTag::Delete {
                        second.push(Line::of(marks, change.values()));
                    }
                }
            }
        }
        Some(Self {
            field,
            sides: [first, second],
        })
    }

    /// The same for several parts of the field, if there are any.
    pub(super) fn of_parts<'a>(
        field: &'static str,
        parts: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Option<Self> {
        let parts = parts.filter_map(|(first, second)| Self::of(field, first, second));
        parts.reduce(|mut all, part| {
            for (side, more) in all.sides.iter_mut().zip(part.sides) {
                side.push(Line::plain("⋯"));
                side.extend(more);
            }
            all
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

    fn of(marks: Marks, parts: &[(bool, &str)]) -> Self {
        let parts = parts.iter().map(|(is_emphasised, text)| Span {
            text: (*text).to_owned(),
            is_different: match marks {
                Marks::None => false,
                Marks::Lines => true,
                Marks::Words => *is_emphasised,
            },
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
        let sides = Difference::of("body", published, typed).unwrap().sides;
        sides.map(|side| marked(&side)).into()
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

        let (published, typed) = sides("A **nasty** crash in the night.", "A crash in the night.");
        assert_eq!(published, ["A [**nasty** ]crash in the night."]);
        assert_eq!(typed, ["A crash in the night."]);
    }

    #[test]
    fn the_end_of_a_line_is_no_difference() {
        assert!(Difference::of("body", "a\r\nb\rc\n", "a\nb\nc").is_none());
        let (published, typed) = sides("First.\n\nLeft alone.", "First!\n\nLeft alone.\n");
        assert_eq!(published.last().unwrap(), "Left alone.");
        assert_eq!(typed.last().unwrap(), "Left alone.");
    }
}
