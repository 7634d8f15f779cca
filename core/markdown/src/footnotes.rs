//! Footnotes: their definitions are taken out of the text, and numbered as the text refers to them.

use std::collections::HashMap;

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};
use unicase::UniCase;

/// The name of a footnote in the source. The parser compares names in the same way.
pub(super) type Label<'a> = UniCase<CowStr<'a>>;

/// The definitions of a source, in its order.
#[derive(Default)]
pub(super) struct Definitions<'a> {
    pub(super) labels: Vec<Label<'a>>,
    contents: HashMap<Label<'a>, Vec<Event<'a>>>,
    /// The definitions that have begun and not ended, outermost first.
    open: Vec<(Label<'a>, Vec<Event<'a>>)>,
}

impl<'a> Definitions<'a> {
    /// Takes what belongs to a definition, and returns what belongs to the text.
    pub(super) fn take(&mut self, event: Event<'a>) -> Option<Event<'a>> {
        match event {
            Event::Start(Tag::FootnoteDefinition(label)) => {
                self.open.push((UniCase::new(label), Vec::new()));
            }
            Event::End(TagEnd::FootnoteDefinition) => {
                if let Some((label, content)) = self.open.pop()
                    && !self.contents.contains_key(&label)
                {
                    self.labels.push(label.clone());
                    self.contents.insert(label, content);
                }
            }
            event => match self.open.last_mut() {
                Some((_, content)) => content.push(event),
                None => return Some(event),
            },
        }
        None
    }

    /// Takes the content of a definition out. A footnote that is defined twice has its first one.
    pub(super) fn remove(&mut self, label: &Label<'a>) -> Vec<Event<'a>> {
        self.contents.remove(label).unwrap_or_default()
    }
}

/// The numbers of footnotes, in the order in which the text refers to them.
#[derive(Default)]
pub(super) struct Numbers<'a> {
    numbers: HashMap<Label<'a>, usize>,
    labels: Vec<Label<'a>>,
    /// How many references each has.
    references: Vec<usize>,
}

impl<'a> Numbers<'a> {
    /// The number of a footnote, counted from 1. One without a number gets the next.
    pub(super) fn of(&mut self, label: &Label<'a>) -> usize {
        if let Some(number) = self.numbers.get(label) {
            return *number;
        }
        self.labels.push(label.clone());
        self.references.push(0);
        self.numbers.insert(label.clone(), self.labels.len());
        self.labels.len()
    }

    /// Counts a reference to a footnote, and returns how many there are.
    pub(super) fn refer(&mut self, number: usize) -> usize {
        self.references[number - 1] += 1;
        self.references[number - 1]
    }

    /// The footnote with a number.
    pub(super) fn label(&self, number: usize) -> Option<Label<'a>> {
        self.labels.get(number - 1).cloned()
    }

    /// Whether a fragment is the identifier of a footnote or of a reference to one.
    pub(super) fn has(&self, fragment: &str) -> bool {
        let mut parts = fragment.split('-');
        let kind = parts.next();
        let mut numbers = parts.map(|part| part.parse().unwrap_or(0_usize));
        let (footnote, reference) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(1));
        let place = footnote.checked_sub(1);
        let references = place.and_then(|place| self.references.get(place));
        match kind {
            Some("fn") => references.is_some(),
            Some("fnref") => references.is_some_and(|count| (1..=*count).contains(&reference)),
            _ => false,
        }
    }

    /// How many references a footnote has by now.
    pub(super) fn references(&self, number: usize) -> usize {
        self.references[number - 1]
    }
}
