//! The columns of a table, and how each is aligned.

use pulldown_cmark::Alignment;

/// Where in a table the writer is.
#[derive(Default)]
pub(super) struct Columns {
    alignments: Vec<Alignment>,
    is_head: bool,
    next: usize,
}

impl Columns {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self {
            alignments,
            ..Self::default()
        }
    }

    pub(super) const fn start_row(&mut self, is_head: bool) {
        self.is_head = is_head;
        self.next = 0;
    }

    /// What opens and closes the next cell. It has `align`: no strict Content-Security-Policy allows
    /// `style`.
    pub(super) fn next_cell(&mut self) -> (&'static str, &'static str) {
        let alignment = self.alignments.get(self.next);
        self.next += 1;
        match (self.is_head, alignment.unwrap_or(&Alignment::None)) {
            (true, Alignment::None) => ("<th>", "</th>"),
            (true, Alignment::Left) => ("<th align=\"left\">", "</th>"),
            (true, Alignment::Center) => ("<th align=\"center\">", "</th>"),
            (true, Alignment::Right) => ("<th align=\"right\">", "</th>"),
            (false, Alignment::None) => ("<td>", "</td>"),
            (false, Alignment::Left) => ("<td align=\"left\">", "</td>"),
            (false, Alignment::Center) => ("<td align=\"center\">", "</td>"),
            (false, Alignment::Right) => ("<td align=\"right\">", "</td>"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Style, render};

    #[test]
    fn tables_align_their_columns_without_a_style() {
        assert_eq!(
            render("|a|b|c|\n|:-:|-:|-|\n|d|e|f|", &Style::default()).html,
            "<table><thead><tr><th align=\"center\">a</th><th align=\"right\">b</th><th>c</th></tr>\
             </thead><tbody>\n<tr><td align=\"center\">d</td><td align=\"right\">e</td><td>f</td></tr>\n\
             </tbody></table>\n"
        );
    }
}
