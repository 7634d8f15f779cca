//! A side-by-side comparison of two versions of a post. It compares lines without their ends, and marks the words that
//! differ.

use std::iter;
use std::time::{Duration, Instant};

use similar::{DiffTag, diff_ratio, group_diff_ops};

use super::form::Fields;
use super::steps::steps;
use crate::blocking::Work;
use crate::context::Context;

/// After this time the comparison becomes coarser, but stays correct.
const MAX_TIME: Duration = Duration::from_millis(200);

/// The number of unchanged lines shown around a difference.
const CONTEXT: usize = 3;

/// The least part of the words that two passages share if one is a new version of the other.
const MIN_SHARED: f32 = 0.5;

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
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let mut shown_until = 0;
        for group in group_diff_ops(steps(&old, &new, deadline), CONTEXT) {
            let (Some(start), Some(end)) = (group.first(), group.last()) else {
                continue;
            };
            if start.old_range().start > shown_until || start.new_range().start > shown_until {
                // Marks omitted lines on both sides.
                first.push(Line::whole("⋯", false));
                second.push(Line::whole("⋯", false));
            }
            shown_until = end.old_range().end.max(end.new_range().end);
            for step in group {
                let (old, new) = (&old[step.old_range()], &new[step.new_range()]);
                let sides = match step.tag() {
                    DiffTag::Equal => [old, new].map(|lines| whole(lines, false)),
                    DiffTag::Delete | DiffTag::Insert => [old, new].map(|lines| whole(lines, true)),
                    DiffTag::Replace => replaced(old, new, deadline),
                };
                let [of_old, of_new] = sides;
                first.extend(of_old);
                second.extend(of_new);
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
                side.push(Line::whole("⋯", false));
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

/// Two passages, of which one replaced the other. If they share enough words, only those are marked that the other lacks:
/// one of the two may then have none.
fn replaced(old: &[&str], new: &[&str], deadline: Instant) -> [Vec<Line>; 2] {
    let [old_words, new_words] = [old, new].map(|lines| {
        let words = lines.iter().flat_map(|line| words(line));
        words.collect::<Vec<_>>()
    });
    let steps = steps(&old_words, &new_words, deadline);
    let is_all_equal = steps.iter().all(|step| step.tag() == DiffTag::Equal);
    if is_all_equal || diff_ratio(&steps, old_words.len(), new_words.len()) < MIN_SHARED {
        return [old, new].map(|lines| whole(lines, true));
    }
    let mut shared = [vec![false; old_words.len()], vec![false; new_words.len()]];
    for step in steps.iter().filter(|step| step.tag() == DiffTag::Equal) {
        shared[0][step.old_range()].fill(true);
        shared[1][step.new_range()].fill(true);
    }
    [by_words(old, &shared[0]), by_words(new, &shared[1])]
}

/// The words of a line, and the spaces between them.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    iter::from_fn(move || {
        let is_space = rest.chars().next()?.is_whitespace();
        let end = rest.find(|next: char| next.is_whitespace() != is_space);
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(word)
    })
}

fn whole(lines: &[&str], are_different: bool) -> Vec<Line> {
    let lines = lines.iter();
    lines.map(|line| Line::whole(line, are_different)).collect()
}

/// Lines with the words marked that are not shared.
fn by_words(lines: &[&str], are_shared: &[bool]) -> Vec<Line> {
    let mut are_shared = are_shared.iter();
    let line = |line: &&str| {
        let mut parts = Vec::<Span>::new();
        for (word, is_shared) in words(line).zip(&mut are_shared) {
            let is_different = !is_shared;
            match parts.last_mut() {
                Some(last) if last.is_different == is_different => last.text.push_str(word),
                _ => parts.push(Span {
                    text: word.to_owned(),
                    is_different,
                }),
            }
        }
        Line { parts }
    };
    lines.iter().map(line).collect()
}

impl Line {
    fn whole(text: &str, is_different: bool) -> Self {
        let part = Span {
            text: text.to_owned(),
            is_different,
        };
        Self { parts: vec![part] }
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
