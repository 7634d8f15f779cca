//! Merges what two people made of one post: fields that only one of them changed, and the body line by line.
//!
//! The form remembers a hash of each line that its user opened. That is enough: a line that was not changed is in both
//! texts.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::DiffTag;

use super::comparison::{self, Difference};
use super::form::{Fields, Form};
use super::lines::{self, Lines, OpenedLines};
use super::steps::steps;

/// After this time, differences are coarser: there may be more conflicts, but nothing is lost.
const MAX_TIME: Duration = Duration::from_millis(200);

/// A form with the changes of both people. What both changed is as it was typed.
pub(super) struct MergedForm {
    pub(super) fields: Fields,
    /// What both changed: as it is published, and as it was typed.
    pub(super) conflicts: Vec<Difference>,
    /// What came in, if there are no conflicts: as it was typed, and as it is now.
    pub(super) merged_changes: Vec<Difference>,
}

/// Merges a submitted form with the published fields, which another user changed since the form was opened. Without the
/// opened lines, as in a form of an earlier release, everything that differs counts as changed by both.
pub(super) fn merge(published: &Fields, form: &Form) -> MergedForm {
    let deadline = Instant::now() + MAX_TIME;
    let hashes = form.opened_hashes.as_deref().unwrap_or_default();
    let mut fields = form.fields.clone().with_unedited_from(hashes, published);
    let opened = form.opened_lines.as_ref();
    let opened = opened.map(|lines| (lines, published.unchanged_since(hashes)));
    let mut conflicts = Vec::new();
    for (field, theirs) in published.named() {
        let ours = fields.get(field);
        conflicts.extend(match &opened {
            Some((_, unchanged)) if unchanged.contains(&field) => None,
            Some((lines, _)) if field == "body" && ours != theirs => {
                let versions = [theirs, ours].map(Lines::of);
                let (text, conflicts) = merge_text(lines, &versions, deadline);
                fields.set_body(&text, theirs);
                Difference::of_parts(field, versions, &conflicts, deadline)
            }
            _ => Difference::of(field, theirs, ours, deadline),
        });
    }
    let merged_changes = match conflicts.is_empty() {
        true => comparison::of(&form.fields, &fields, deadline),
        false => Vec::new(),
    };
    MergedForm {
        fields,
        conflicts,
        merged_changes,
    }
}

/// Merges the published text and the typed one, which two people made of the opened lines. Also returns the lines that
/// both changed, in each of the two texts.
fn merge_text(
    opened: &OpenedLines,
    versions: &[Lines; 2],
    deadline: Instant,
) -> (String, Vec<[Range<usize>; 2]>) {
    let [mut published, mut typed] = versions
        .each_ref()
        .map(|lines| MergeSide::new(opened, lines, deadline));
    let (mut text, mut conflicts) = (String::new(), Vec::new());
    for region in changed_regions(&published, &typed) {
        let (theirs, ours) = (published.take(&region), typed.take(&region));
        text.push_str(typed.text(&ours.unchanged));
        let (their_text, our_text) = (published.text(&theirs.lines), typed.text(&ours.lines));
        text.push_str(if ours.is_changed {
            our_text
        } else {
            their_text
        });
        if theirs.is_changed && ours.is_changed && their_text != our_text {
            conflicts.push([theirs.lines, ours.lines]);
        }
    }
    text.push_str(typed.text(&(typed.next_line..typed.lines.len())));
    // The end of the last line.
    text.pop();
    (text, conflicts)
}

/// Opened lines, by their numbers, that one person replaced by others. Where lines were only added, it is empty.
type Region = Range<usize>;

struct ReplacedLines {
    opened: Region,
    /// The number of lines that are there now.
    new_len: usize,
}

/// One of the two texts.
struct MergeSide<'a> {
    lines: &'a Lines,
    /// The changes that are not taken yet.
    changes: VecDeque<ReplacedLines>,
    /// The numbers of the first line that is not taken, and of the first opened line after the last region.
    next_line: usize,
    next_opened_line: usize,
}

/// What one side has for a region.
struct TakenLines {
    /// The lines between the region before and this one.
    unchanged: Range<usize>,
    lines: Range<usize>,
    is_changed: bool,
}

impl<'a> MergeSide<'a> {
    fn new(opened: &OpenedLines, lines: &'a Lines, deadline: Instant) -> Self {
        let hashes: Vec<_> = lines.iter(&(0..lines.len())).map(lines::hash).collect();
        let mut changes = VecDeque::<ReplacedLines>::new();
        for step in steps(opened.hashes(), &hashes, deadline) {
            let (tag, opened, new) = step.as_tag_tuple();
            match changes.back_mut() {
                _ if tag == DiffTag::Equal => {}
                Some(last) if last.opened.end == opened.start => {
                    last.opened.end = opened.end;
                    last.new_len += new.len();
                }
                _ => changes.push_back(ReplacedLines {
                    opened,
                    new_len: new.len(),
                }),
            }
        }
        Self {
            lines,
            changes,
            next_line: 0,
            next_opened_line: 0,
        }
    }

    /// Takes the lines up to the end of the region.
    fn take(&mut self, region: &Region) -> TakenLines {
        let from = self.next_line;
        let start = from + region.start - self.next_opened_line;
        let (mut added, mut removed, mut is_changed) = (0, 0, false);
        while let Some(change) = self
            .changes
            .pop_front_if(|change| overlap(region, &change.opened))
        {
            added += change.new_len;
            removed += change.opened.len();
            is_changed = true;
        }
        self.next_line = start + region.len() + added - removed;
        self.next_opened_line = region.end;
        TakenLines {
            unchanged: from..start,
            lines: start..self.next_line,
            is_changed,
        }
    }

    fn text(&self, lines: &Range<usize>) -> &'a str {
        self.lines.text(&self.lines.bytes(lines))
    }
}

/// The regions that either of them changed, in order. Changes that meet are one region.
fn changed_regions(published: &MergeSide<'_>, typed: &MergeSide<'_>) -> Vec<Region> {
    let changes = published.changes.iter().chain(&typed.changes);
    let mut changes: Vec<_> = changes.map(|change| change.opened.clone()).collect();
    changes.sort_by_key(|change| (change.start, change.end));
    let mut regions = Vec::<Region>::new();
    for change in changes {
        match regions.last_mut() {
            Some(region) if overlap(region, &change) => region.end = region.end.max(change.end),
            _ => regions.push(change),
        }
    }
    regions
}

/// Whether a change overlaps a region or adds lines in the same place. The change must not start before the region.
fn overlap(region: &Region, change: &Region) -> bool {
    change.start < region.end || (region.is_empty() && *change == *region)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENED: &str = "one\ntwo\nthree\nfour\nfive";

    fn merged(published: &str, typed: &str) -> (String, usize) {
        let opened = OpenedLines::of(OPENED).unwrap();
        let opened = OpenedLines::parse(&opened.to_field()).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let (text, conflicts) = merge_text(&opened, &[published, typed].map(Lines::of), deadline);
        (text, conflicts.len())
    }

    #[test]
    fn changes_in_different_lines_are_merged() {
        for (published, typed, expected) in [
            (
                "1\ntwo\nthree\nfour\nfive",
                "one\ntwo\nthree\nfour\n5",
                "1\ntwo\nthree\nfour\n5",
            ),
            (
                "1\ntwo\nthree\nfour\nfive",
                "one\n2\nthree\nfour\nfive",
                "1\n2\nthree\nfour\nfive",
            ),
            (
                "one\nthree\nfour\nfive",
                "one\ntwo\nthree\nfour\nfive\nsix",
                "one\nthree\nfour\nfive\nsix",
            ),
            (
                "zero\none\ntwo\nthree\nfour\nfive",
                "1\ntwo\nthree\nfour\nfive",
                "zero\n1\ntwo\nthree\nfour\nfive",
            ),
            (
                "one\ntwo\nfour\nfive",
                "one\ntwo\nfour\nfive",
                "one\ntwo\nfour\nfive",
            ),
            (
                "one\r\ntwo\r\nthree\r\n4\r\nfive",
                "1\ntwo\nthree\nfour\nfive",
                "1\ntwo\nthree\n4\nfive",
            ),
        ] {
            assert_eq!(merged(published, typed), (expected.to_owned(), 0));
            assert_eq!(merged(typed, published), (expected.to_owned(), 0));
        }
    }

    #[test]
    fn changes_of_the_same_lines_are_conflicts() {
        for (published, typed) in [
            ("1\ntwo\nthree\nfour\nfive", "uno\ntwo\nthree\nfour\nfive"),
            (
                "one\ntwo\na\nthree\nfour\nfive",
                "one\ntwo\nb\nthree\nfour\nfive",
            ),
            ("one\nfive", "one\ntwo\n3\nfour\nfive"),
            ("", "one\ntwo\n3\nfour\nfive"),
        ] {
            assert_eq!(merged(published, typed), (typed.to_owned(), 1));
            assert_eq!(merged(typed, published), (published.to_owned(), 1));
        }
    }
}
