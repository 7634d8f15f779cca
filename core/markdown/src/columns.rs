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
        let alignment = alignment.unwrap_or(&Alignment::None);
        if self.is_head {
            let opening = match alignment {
                Alignment::None => "<th>",
                Alignment::Left => "<th align=\"left\">",
                Alignment::Center => "<th align=\"center\">",
                Alignment::Right => "<th align=\"right\">",
            };
            return (opening, "</th>");
        }
        let opening = match alignment {
            Alignment::None => "<td>",
            Alignment::Left => "<td align=\"left\">",
            Alignment::Center => "<td align=\"center\">",
            Alignment::Right => "<td align=\"right\">",
        };
        (opening, "</td>")
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
