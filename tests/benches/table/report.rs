//! The report: tables in Markdown, with what is wanted beside what is.

use std::fmt::Write;

use crate::figure::Figure;

/// What is wanted of a ratio, or of a figure that is compared with none.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    Nothing,
    AtLeast(f64),
    Above(f64),
    AtMost(f64),
}

impl Wanted {
    /// What is wanted, and whether it is so.
    fn judge(self, value: f64) -> (String, &'static str) {
        let (wanted, met) = match self {
            Self::Nothing => return (String::new(), ""),
            Self::AtLeast(least) => (format!("≥ {least}"), value >= least),
            Self::Above(least) => (format!("> {least}"), value > least),
            Self::AtMost(most) => (format!("≤ {most}"), value <= most),
        };
        (wanted, if met { "yes" } else { "**no**" })
    }
}

/// What is printed, a table a group.
pub(crate) struct Report {
    text: String,
}

impl Report {
    pub(crate) fn begun_with(text: String) -> Self {
        Self { text }
    }

    /// Begins a table.
    pub(crate) fn table(&mut self, title: &str, about: &str) {
        self.text += &format!(
            "\n## {title}\n\n{about}\n\n\
             | what | Handbill | against | ratio (lowest–highest) | wanted | met |\n\
             |---|---|---|---|---|---|\n"
        );
    }

    /// A row that compares.
    pub(crate) fn ratio(&mut self, what: &str, ours: &Figure, reference: &Figure, wanted: Wanted) {
        let ratio = ours.of(reference);
        let (wanted, met) = wanted.judge(ratio.middle);
        self.row(&format!(
            "{what} | {ours} | {reference} | {ratio} | {wanted} | {met}"
        ));
    }

    /// A row of a figure that is wanted for itself.
    pub(crate) fn figure(&mut self, what: &str, ours: &Figure, wanted: Wanted) {
        let (wanted, met) = wanted.judge(ours.spread().middle);
        self.row(&format!("{what} | {ours} | | | {wanted} | {met}"));
    }

    fn row(&mut self, cells: &str) {
        // Whoever waits sees that it goes on; the report itself comes whole, at the end.
        eprintln!("| {cells} |");
        let _ = writeln!(self.text, "| {cells} |");
    }

    pub(crate) fn print(&self) {
        print!("{}", self.text);
    }
}
