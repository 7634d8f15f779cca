//! The source's structure, made fit for the sanitiser: nesting cut, columns aligned without `style`.

use pulldown_cmark::{Alignment, CowStr, Event, Tag};

/// Containers nested deeper than this are left out; their text stays.
pub(super) const MAX_DEPTH: usize = 32;

/// Which of the containers that are open at this point are kept, outermost first.
#[derive(Default)]
pub(super) struct Nesting {
    open: Vec<bool>,
}

impl Nesting {
    pub(super) fn keeps(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(tag) => {
                let kept = self.has_room_for(tag);
                self.open.push(kept);
                kept
            }
            Event::End(_) => self.open.pop().unwrap_or(false),
            _ => true,
        }
    }

    /// A part goes where its whole goes, so that no table is left without its rows.
    fn has_room_for(&self, tag: &Tag<'_>) -> bool {
        let room_inside = match tag {
            Tag::TableHead | Tag::TableRow | Tag::TableCell | Tag::Item => {
                return self.open.last().copied().unwrap_or(false);
            }
            Tag::Table(_) => 3,
            Tag::List(_) => 1,
            _ => 0,
        };
        self.open.len() + room_inside < MAX_DEPTH
    }
}

/// Writes a column's alignment as `align`: the `style` that the HTML writer would use is one that
/// no strict Content-Security-Policy lets through.
#[derive(Default)]
pub(super) struct TableColumns {
    alignments: Vec<Alignment>,
    in_head: bool,
    column: usize,
}

impl TableColumns {
    pub(super) fn align<'a>(&mut self, event: Event<'a>) -> Event<'a> {
        match event {
            Event::Start(Tag::Table(alignments)) => {
                self.alignments = alignments;
                return Event::Start(Tag::Table(Vec::new()));
            }
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                self.in_head = matches!(event, Event::Start(Tag::TableHead));
                self.column = 0;
            }
            Event::Start(Tag::TableCell) => {
                let alignment = self.alignments.get(self.column);
                self.column += 1;
                return self.cell(alignment.copied().unwrap_or(Alignment::None));
            }
            _ => {}
        }
        event
    }

    fn cell<'a>(&self, alignment: Alignment) -> Event<'a> {
        let opening = match (self.in_head, alignment) {
            (_, Alignment::None) => return Event::Start(Tag::TableCell),
            (true, Alignment::Left) => r#"<th align="left">"#,
            (true, Alignment::Center) => r#"<th align="center">"#,
            (true, Alignment::Right) => r#"<th align="right">"#,
            (false, Alignment::Left) => r#"<td align="left">"#,
            (false, Alignment::Center) => r#"<td align="center">"#,
            (false, Alignment::Right) => r#"<td align="right">"#,
        };
        Event::InlineHtml(CowStr::Borrowed(opening))
    }
}
