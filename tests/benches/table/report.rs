//! The report: the text of `BENCHMARKS.md`, with the floors beside the figures.

use std::fmt::Write;

use crate::figure::Figure;
use crate::rounds::Figures;

/// The floor or ceiling of a ratio, or of a figure that is compared with none.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    Nothing,
    AtLeast(f64),
    AtMost(f64),
}

impl Wanted {
    /// The limit, and whether the value meets it.
    fn judge(self, value: f64) -> (String, &'static str) {
        let (wanted, met) = match self {
            Self::Nothing => return (String::new(), ""),
            Self::AtLeast(least) => (format!("≥ {least}"), value >= least),
            Self::AtMost(most) => (format!("≤ {most}"), value <= most),
        };
        (wanted, if met { "yes" } else { "**no**" })
    }
}

/// The report as far as it is written: one table for each group.
pub(crate) struct Report {
    text: String,
}

impl Report {
    pub(crate) fn new(intro: String) -> Self {
        Self { text: intro }
    }

    /// Begins a table of figures.
    pub(crate) fn table(&mut self, title: &str, about: &str) {
        let columns = [
            "measured",
            "Handbill",
            "compared with",
            "ratio (lowest–highest)",
            "wanted",
            "met",
        ];
        self.table_of(title, about, &columns);
    }

    /// Begins a table with these columns.
    pub(crate) fn table_of(&mut self, title: &str, about: &str, columns: &[&str]) {
        eprintln!("{title}");
        let rule = "---|".repeat(columns.len());
        let columns = columns.join(" | ");
        self.text += &format!("\n## {title}\n\n{about}\n\n| {columns} |\n|{rule}\n");
    }

    /// A row that compares two subjects, if both took part.
    pub(crate) fn compare(
        &mut self,
        measured: &str,
        figures: &Figures,
        [ours, reference]: [&str; 2],
        wanted: Wanted,
    ) {
        if let (Some(ours), Some(reference)) = (figures.of(ours), figures.of(reference)) {
            self.ratio(measured, ours, reference, wanted);
        }
    }

    /// A row that compares two figures.
    pub(crate) fn ratio(
        &mut self,
        measured: &str,
        ours: &Figure,
        reference: &Figure,
        wanted: Wanted,
    ) {
        let ratio = ours.ratio_to(reference);
        let (wanted, met) = wanted.judge(ratio.median);
        self.row(&format!(
            "{measured} | {ours} | {reference} | {ratio} | {wanted} | {met}"
        ));
    }

    /// A row with a figure that has a limit of its own.
    pub(crate) fn figure(&mut self, measured: &str, ours: &Figure, wanted: Wanted) {
        let (wanted, met) = wanted.judge(ours.median());
        self.row(&format!("{measured} | {ours} | | | {wanted} | {met}"));
    }

    /// A row of these cells, with `|` between them.
    pub(crate) fn row(&mut self, cells: &str) {
        // Shows the progress. The report itself is printed at the end.
        eprintln!("| {cells} |");
        let _ = writeln!(self.text, "| {cells} |");
    }

    pub(crate) fn print(&self) {
        print!("{}", self.text);
    }
}
