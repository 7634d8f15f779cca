//! The report: the text of `BENCHMARKS.md`, with the floors beside the figures.

use std::fmt::Write;

use crate::figure::Figure;
use crate::rounds::Figures;

/// What the project means to meet: the floor or ceiling of a ratio, or of a figure that is compared with none.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    limit: Option<Limit>,
    /// Why it is not met, where that is known.
    because: &'static str,
}

#[derive(Clone, Copy)]
enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

impl Wanted {
    pub(crate) const NOTHING: Self = Self {
        limit: None,
        because: "",
    };

    pub(crate) const fn at_least(least: f64) -> Self {
        Self {
            limit: Some(Limit::AtLeast(least)),
            because: "",
        }
    }

    pub(crate) const fn at_most(most: f64) -> Self {
        Self {
            limit: Some(Limit::AtMost(most)),
            because: "",
        }
    }

    /// Says beside a **no** why the limit is not met.
    pub(crate) const fn unless(self, because: &'static str) -> Self {
        Self { because, ..self }
    }

    /// The limit, and whether the value meets it.
    fn judge(self, value: f64) -> (String, String) {
        let (wanted, is_met) = match self.limit {
            None => return Default::default(),
            Some(Limit::AtLeast(least)) => (format!("≥ {least}"), value >= least),
            Some(Limit::AtMost(most)) => (format!("≤ {most}"), value <= most),
        };
        let met = match is_met {
            true => "yes".to_owned(),
            false => format!("**no**: {}", self.because),
        };
        (wanted, met)
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
