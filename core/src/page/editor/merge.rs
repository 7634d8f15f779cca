//! Merges what two people made of one post: fields that only one of them changed, and the body line by line.
//!
//! The form remembers a hash of each line that its user opened. That is enough: a line that nobody changed is in both
//! texts.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::DiffTag;

use super::comparison::Difference;
use super::form::{Fields, Form};
use super::lines::{self, OpenedLines, with_line_feeds};
use super::steps::steps;
use crate::blocking::Work;
use crate::context::Context;

/// After this time, changes are found as larger ones. So there may be more conflicts, but nothing is lost.
const MAX_TIME: Duration = Duration::from_millis(200);

/// A form with the changes of both people. What both changed is as it was typed.
pub(super) struct MergedForm {
    pub(super) fields: Fields,
    /// What both changed: as it is published, and as it was typed.
    pub(super) conflicts: Vec<Difference>,
}

/// The same for a text.
struct MergedText {
    text: String,
    conflicts: Vec<(String, String)>,
}

/// Merges a submitted form with the published fields, which another user changed since the form was opened. Without the
/// opened lines, as in a form of an earlier release, everything that differs counts as changed by both.
pub(super) async fn merge(context: &Context, published: Fields, form: &Form) -> MergedForm {
    let (mut fields, hashes) = (form.fields.clone(), form.opened_hashes.clone());
    let opened_lines = form.opened_lines.clone();
    let work = published.len() + fields.len();
    let permit = context.blocking.permit(Work::Read, work).await;
    let merge = move || {
        let hashes = hashes.unwrap_or_default();
        fields = fields.with_unedited_from(&hashes, &published);
        let opened = opened_lines.map(|lines| (lines, published.unchanged_since(&hashes)));
        let mut conflicts = Vec::new();
        for (field, theirs) in published.named() {
            let ours = fields.get(field);
            conflicts.extend(match &opened {
                Some((_, unchanged)) if unchanged.contains(&field) => None,
                Some((lines, _)) if field == "body" && ours != theirs => {
                    let merged = merge_text(lines, theirs, ours);
                    fields.set_body(&merged.text, theirs);
                    let parts = merged.conflicts.iter();
                    Difference::of_parts(field, parts.map(|(theirs, ours)| (&**theirs, &**ours)))
                }
                _ => Difference::of(field, theirs, ours),
            });
        }
        MergedForm { fields, conflicts }
    };
    permit.run(merge).await
}

/// Merges the published text and the typed one, which two people made of the opened lines.
fn merge_text(opened: &OpenedLines, published: &str, typed: &str) -> MergedText {
    let deadline = Instant::now() + MAX_TIME;
    let (published, typed) = (with_line_feeds(published), with_line_feeds(typed));
    let published: Vec<_> = published.split('\n').collect();
    let typed: Vec<_> = typed.split('\n').collect();
    let mut published = Side::new(opened, &published, deadline);
    let mut typed = Side::new(opened, &typed, deadline);
    let (mut text, mut conflicts) = (Vec::new(), Vec::new());
    for region in changed_regions(&published, &typed) {
        let (theirs, ours) = (published.take(&region), typed.take(&region));
        text.extend_from_slice(ours.unchanged);
        text.extend_from_slice(if ours.is_changed {
            ours.lines
        } else {
            theirs.lines
        });
        if theirs.is_changed && ours.is_changed && theirs.lines != ours.lines {
            conflicts.push((theirs.lines.join("\n"), ours.lines.join("\n")));
        }
    }
    text.extend_from_slice(&typed.lines[typed.taken..]);
    MergedText {
        text: text.join("\n"),
        conflicts,
    }
}

/// Opened lines, by their numbers, that one person replaced by others. Where lines were only added, it is empty.
type Region = Range<usize>;

struct Change {
    opened: Region,
    /// The number of lines that are there now.
    made: usize,
}

/// One of the two texts.
struct Side<'a> {
    lines: &'a [&'a str],
    /// The changes that are not taken yet.
    changes: VecDeque<Change>,
    /// How many of the lines are taken, and what number the next opened line has.
    taken: usize,
    opened: usize,
}

/// What one side has for a region.
struct Taken<'a> {
    /// The lines between the region before and this one.
    unchanged: &'a [&'a str],
    lines: &'a [&'a str],
    is_changed: bool,
}

impl<'a> Side<'a> {
    fn new(opened: &OpenedLines, lines: &'a [&'a str], deadline: Instant) -> Self {
        let hashes: Vec<_> = lines.iter().map(|line| lines::hash(line)).collect();
        let mut changes = VecDeque::<Change>::new();
        for step in steps(opened.hashes(), &hashes, deadline) {
            let (tag, opened, made) = step.as_tag_tuple();
            match changes.back_mut() {
                _ if tag == DiffTag::Equal => {}
                Some(last) if last.opened.end == opened.start => {
                    last.opened.end = opened.end;
                    last.made += made.len();
                }
                _ => changes.push_back(Change {
                    opened,
                    made: made.len(),
                }),
            }
        }
        Self {
            lines,
            changes,
            taken: 0,
            opened: 0,
        }
    }

    /// Takes the lines up to the end of the region.
    fn take(&mut self, region: &Region) -> Taken<'a> {
        let from = self.taken;
        let start = from + region.start - self.opened;
        let (mut added, mut removed, mut is_changed) = (0, 0, false);
        while let Some(change) = self
            .changes
            .pop_front_if(|change| meet(region, &change.opened))
        {
            added += change.made;
            removed += change.opened.len();
            is_changed = true;
        }
        self.taken = start + region.len() + added - removed;
        self.opened = region.end;
        Taken {
            unchanged: &self.lines[from..start],
            lines: &self.lines[start..self.taken],
            is_changed,
        }
    }
}

/// The regions that either of them changed, in order. Changes that meet are one region.
fn changed_regions(published: &Side<'_>, typed: &Side<'_>) -> Vec<Region> {
    let changes = published.changes.iter().chain(&typed.changes);
    let mut changes: Vec<_> = changes.map(|change| change.opened.clone()).collect();
    changes.sort_by_key(|change| (change.start, change.end));
    let mut regions = Vec::<Region>::new();
    for change in changes {
        match regions.last_mut() {
            Some(region) if meet(region, &change) => region.end = region.end.max(change.end),
            _ => regions.push(change),
        }
    }
    regions
}

/// Whether a region and a change that does not start before it are about the same lines, or add lines in the same
/// place.
fn meet(region: &Region, change: &Region) -> bool {
    change.start < region.end || (region.is_empty() && *change == *region)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENED: &str = "one\ntwo\nthree\nfour\nfive";

    fn merged(published: &str, typed: &str) -> (String, usize) {
        let opened = OpenedLines::of(OPENED).unwrap();
        let opened = OpenedLines::parse(&opened.to_field()).unwrap();
        let merged = merge_text(&opened, published, typed);
        (merged.text, merged.conflicts.len())
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
