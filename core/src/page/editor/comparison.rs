//! A side-by-side comparison of two versions of a post. It compares lines without their ends, and marks the words that
//! differ.

use std::ops::Range;
use std::time::Instant;

use similar::{DiffTag, diff_ratio, group_diff_ops};

use super::form::Fields;
use super::lines::Lines;
use super::steps::steps;

/// The number of unchanged lines shown around a difference.
const CONTEXT: usize = 3;

const MAX_LINES: usize = 2_000;

/// Stands for the lines that are not shown.
const OMITTED: &str = "⋯\n";

/// The least part of the words that two passages share if one is a new version of the other.
const MIN_SHARED: f32 = 0.5;

pub(super) struct Difference {
    pub(super) field: &'static str,
    /// The lines that differ, and the lines around them, in each version.
    pub(super) sides: [ComparedSide; 2],
}

/// What is shown of one version.
pub(super) struct ComparedSide {
    lines: Lines,
    pieces: Vec<SidePiece>,
    /// How many more lines may be shown.
    remaining_lines: usize,
}

/// Neighbouring lines or words that look the same.
enum SidePiece {
    Shown {
        /// Where they are in the text.
        bytes: Range<usize>,
        /// Whether the other side lacks them.
        is_different: bool,
    },
    Omitted,
}

/// The fields that differ between two versions. After the deadline, the comparison becomes coarser, but stays correct.
pub(super) fn of(first: &Fields, second: &Fields, deadline: Instant) -> Vec<Difference> {
    let fields = first.named();
    let differences = fields.filter_map(|(field, first)| {
        let second = second.get(field);
        Difference::of(field, first, second, deadline)
    });
    differences.collect()
}

impl Difference {
    /// How two texts differ, if they differ in more than the ends of their lines.
    pub(super) fn of(
        field: &'static str,
        first: &str,
        second: &str,
        deadline: Instant,
    ) -> Option<Self> {
        let versions = [first, second].map(Lines::of);
        let all = versions.each_ref().map(|lines| 0..lines.len());
        Self::of_parts(field, versions, &[all], deadline)
    }

    /// How parts of two texts differ: these lines of the one, and those of the other.
    pub(super) fn of_parts(
        field: &'static str,
        versions: [Lines; 2],
        parts: &[[Range<usize>; 2]],
        deadline: Instant,
    ) -> Option<Self> {
        let mut sides = versions.map(ComparedSide::new);
        for part in parts {
            if !add_part(&mut sides, part, deadline) {
                break;
            }
        }
        let is_shown = sides.iter().any(|side| !side.pieces.is_empty());
        is_shown.then_some(Self { field, sides })
    }
}

impl ComparedSide {
    fn new(lines: Lines) -> Self {
        Self {
            lines,
            pieces: Vec::new(),
            remaining_lines: MAX_LINES,
        }
    }

    /// The text in pieces, and whether each is different.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (&str, bool)> {
        self.pieces.iter().map(|piece| match piece {
            SidePiece::Shown {
                bytes,
                is_different,
            } => (self.lines.text(bytes), *is_different),
            SidePiece::Omitted => (OMITTED, false),
        })
    }

    /// As many of these lines as may be shown.
    fn take_lines(&mut self, lines: &Range<usize>) -> Range<usize> {
        let taken = lines.len().min(self.remaining_lines);
        self.remaining_lines -= taken;
        lines.start..lines.start + taken
    }

    fn push(&mut self, bytes: Range<usize>, is_different: bool) {
        match self.pieces.last_mut() {
            Some(SidePiece::Shown {
                bytes: last,
                is_different: last_is_different,
            }) if last.end == bytes.start && *last_is_different == is_different => {
                last.end = bytes.end
            }
            _ if bytes.is_empty() => {}
            _ => self.pieces.push(SidePiece::Shown {
                bytes,
                is_different,
            }),
        }
    }

    /// Shows whole lines. The end of the last one is not marked.
    fn push_lines(&mut self, lines: &Range<usize>, are_different: bool) {
        let bytes = self.lines.bytes(lines);
        let end = bytes.end.saturating_sub(1).max(bytes.start);
        self.push(bytes.start..end, are_different);
        self.push(end..bytes.end, false);
    }
}

/// Shows what differs in a part. Returns whether there is room for more.
fn add_part(sides: &mut [ComparedSide; 2], part: &[Range<usize>; 2], deadline: Instant) -> bool {
    let part = [0, 1].map(|side| sides[side].lines.without_empty_end(&part[side]));
    let [old, new] = [0, 1].map(|side| sides[side].lines.iter(&part[side]).collect::<Vec<_>>());
    if old == new {
        return true;
    }
    let steps = steps(&old, &new, deadline);
    // Between two parts are other lines.
    let mut omits = sides.iter().any(|side| !side.pieces.is_empty());
    let mut shown_until = 0;
    for group in group_diff_ops(steps, CONTEXT) {
        let (Some(start), Some(end)) = (group.first(), group.last()) else {
            continue;
        };
        if omits || start.old_range().start.max(start.new_range().start) > shown_until {
            omit(sides);
        }
        omits = false;
        shown_until = end.old_range().end.max(end.new_range().end);
        for step in group {
            let lines = [step.old_range(), step.new_range()];
            let lines = [0, 1].map(|side| shifted(&lines[side], part[side].start));
            let shown = [0, 1].map(|side| sides[side].take_lines(&lines[side]));
            match step.tag() {
                DiffTag::Equal => push_lines(sides, &shown, false),
                DiffTag::Delete | DiffTag::Insert => push_lines(sides, &shown, true),
                DiffTag::Replace => push_replaced(sides, &shown, deadline),
            }
            if shown != lines {
                omit(sides);
                return false;
            }
        }
    }
    true
}

fn shifted(range: &Range<usize>, offset: usize) -> Range<usize> {
    range.start + offset..range.end + offset
}

/// Marks that lines are omitted on both sides.
fn omit(sides: &mut [ComparedSide; 2]) {
    for side in sides {
        if !matches!(side.pieces.last(), Some(SidePiece::Omitted)) {
            side.pieces.push(SidePiece::Omitted);
        }
    }
}

fn push_lines(sides: &mut [ComparedSide; 2], shown: &[Range<usize>; 2], are_different: bool) {
    for (side, lines) in sides.iter_mut().zip(shown) {
        side.push_lines(lines, are_different);
    }
}

/// Shows two passages, of which one replaced the other. If they share enough words, only the words that the other side
/// lacks are marked: one of the two may then have none.
fn push_replaced(sides: &mut [ComparedSide; 2], shown: &[Range<usize>; 2], deadline: Instant) {
    let words = [0, 1].map(|side| words(&sides[side].lines, &shown[side]));
    let [old, new] = [0, 1].map(|side| {
        let words = words[side].iter().map(|word| sides[side].lines.text(word));
        words.collect::<Vec<_>>()
    });
    let steps = steps(&old, &new, deadline);
    let is_all_equal = steps.iter().all(|step| step.tag() == DiffTag::Equal);
    if is_all_equal || diff_ratio(&steps, old.len(), new.len()) < MIN_SHARED {
        return push_lines(sides, shown, true);
    }
    for (number, side) in sides.iter_mut().enumerate() {
        let Range { mut start, end } = side.lines.bytes(&shown[number]);
        for step in &steps {
            let words = &words[number][[step.old_range(), step.new_range()][number].clone()];
            if let (Some(first), Some(last)) = (words.first(), words.last()) {
                // The ends of lines are no words.
                side.push(start..first.start, false);
                side.push(first.start..last.end, step.tag() != DiffTag::Equal);
                start = last.end;
            }
        }
        side.push(start..end, false);
    }
}

/// Where the words of these lines are in the text, and the spaces between them.
fn words(lines: &Lines, shown: &Range<usize>) -> Vec<Range<usize>> {
    let mut start = lines.bytes(shown).start;
    let mut words = Vec::new();
    for mut rest in lines.iter(shown) {
        while let Some(first) = rest.chars().next() {
            let is_space = first.is_whitespace();
            let len = rest.find(|next: char| next.is_whitespace() != is_space);
            let len = len.unwrap_or(rest.len());
            words.push(start..start + len);
            start += len;
            rest = &rest[len..];
        }
        start += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The text of a side, with `[` and `]` around each piece that is marked.
    fn marked(side: &ComparedSide) -> String {
        let pieces = side
            .pieces()
            .map(|(text, is_different)| match is_different {
                true => format!("[{text}]"),
                false => text.to_owned(),
            });
        pieces.collect()
    }

    fn difference(published: &str, typed: &str) -> Option<Difference> {
        let deadline = Instant::now() + Duration::from_secs(60);
        Difference::of("body", published, typed, deadline)
    }

    fn sides(published: &str, typed: &str) -> [String; 2] {
        difference(published, typed)
            .unwrap()
            .sides
            .each_ref()
            .map(marked)
    }

    #[test]
    fn lines_that_the_other_side_lacks_are_marked() {
        let [published, typed] = sides("one\ntwo\nthree", "one\n2\nthree");
        assert_eq!(published, "one\n[two]\nthree\n");
        assert_eq!(typed, "one\n[2]\nthree\n");

        let many = "same\n".repeat(50);
        let [_, typed] = sides(&format!("{many}old"), &format!("{many}new\nand more"));
        assert_eq!(typed, "⋯\nsame\nsame\nsame\n[new\nand more]\n");
    }

    #[test]
    fn in_a_line_the_words_that_differ_are_marked() {
        let [published, typed] = sides(
            "The harbour is quiet at night.\n",
            "The harbour is loud at night.\n",
        );
        assert_eq!(published, "The harbour is [quiet] at night.\n");
        assert_eq!(typed, "The harbour is [loud] at night.\n");

        let [published, typed] = sides("A **nasty** crash in the night.", "A crash in the night.");
        assert_eq!(published, "A [**nasty** ]crash in the night.\n");
        assert_eq!(typed, "A crash in the night.\n");

        let [published, typed] = sides("One line here.\nTwo here.", "One line here.\nTwo there.");
        assert_eq!(published, "One line here.\nTwo [here.]\n");
        assert_eq!(typed, "One line here.\nTwo [there.]\n");
    }

    #[test]
    fn the_end_of_a_line_is_no_difference() {
        assert!(difference("a\r\nb\rc\n", "a\nb\nc").is_none());
        let [published, typed] = sides("First.\n\nLeft alone.", "First!\n\nLeft alone.\n");
        assert!(published.ends_with("Left alone.\n"));
        assert!(typed.ends_with("Left alone.\n"));
    }

    #[test]
    fn only_the_first_lines_of_a_long_difference_are_shown() {
        let text = |word: &str| {
            (0..3 * MAX_LINES)
                .map(|line| format!("{word}{line}\n"))
                .collect::<String>()
        };
        let difference = difference(&text("published"), &text("typed")).unwrap();
        for side in &difference.sides {
            assert!(side.pieces.len() <= 3);
            let shown = marked(side);
            assert_eq!(shown.lines().count(), MAX_LINES + 1);
            assert!(shown.ends_with(OMITTED));
        }
        let parts: Vec<_> = (0..2 * MAX_LINES)
            .map(|line| [line..line + 1, line..line + 1])
            .collect();
        let versions = ["published", "typed"].map(|word| Lines::of(&text(word)));
        let deadline = Instant::now() + Duration::from_secs(60);
        let parts = Difference::of_parts("body", versions, &parts, deadline).unwrap();
        for side in &parts.sides {
            assert_eq!(
                side.pieces()
                    .filter(|(_, is_different)| *is_different)
                    .count(),
                MAX_LINES
            );
        }
    }
}
