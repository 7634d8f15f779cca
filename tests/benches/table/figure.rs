//! Figures: what was measured in each round, and what becomes of two that were measured in turn.

use std::fmt;

use handbill_tests::load::median;

/// One value for each round.
#[derive(Clone)]
pub(crate) struct Figure {
    /// Whose it is.
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    pub(crate) values: Vec<f64>,
}

#[derive(Clone, Copy)]
pub(crate) enum Unit {
    PerSecond,
    Micros,
    Millis,
    Megabytes,
}

impl Figure {
    pub(crate) fn none(name: &'static str, unit: Unit) -> Self {
        Self {
            name,
            unit,
            values: Vec::new(),
        }
    }

    /// What it is of another one, round by round.
    pub(crate) fn of(&self, other: &Self) -> Spread {
        let pairs = self.values.iter().zip(&other.values);
        Spread::of(
            &pairs
                .map(|(ours, theirs)| ours / theirs)
                .collect::<Vec<_>>(),
        )
    }

    pub(crate) fn spread(&self) -> Spread {
        Spread::of(&self.values)
    }
}

/// `SQLite 12,345/s`
impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let middle = self.spread().middle;
        let (number, unit) = match self.unit {
            Unit::PerSecond => (in_thousands(middle), "/s"),
            Unit::Micros => (in_thousands(middle), " µs"),
            Unit::Millis => (format!("{middle:.1}"), " ms"),
            Unit::Megabytes => (format!("{middle:.1}"), " MB"),
        };
        write!(f, "{} {number}{unit}", self.name)
    }
}

/// The middle of the rounds, and how far they are apart.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) middle: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        Self {
            middle: median(values),
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// `0.87 (0.85–0.91)`
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.middle < 10.0 { 2 } else { 0 };
        let Self {
            middle,
            least,
            most,
        } = self;
        write!(f, "{middle:.digits$} ({least:.digits$}–{most:.digits$})")
    }
}

fn in_thousands(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
