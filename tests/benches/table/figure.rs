//! Figures: what was measured in each round, and the ratio of two that took turns.

use std::fmt;

use handbill_tests::load::median;

/// One value for each round.
#[derive(Clone)]
pub(crate) struct Figure {
    /// The subject that it was measured on.
    pub(crate) subject: &'static str,
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
    pub(crate) fn empty(subject: &'static str, unit: Unit) -> Self {
        Self {
            subject,
            unit,
            values: Vec::new(),
        }
    }

    /// The ratio of this figure to another one, round by round.
    pub(crate) fn ratio_to(&self, other: &Self) -> Spread {
        let pairs = self.values.iter().zip(&other.values);
        let ratios: Vec<f64> = pairs.map(|(ours, theirs)| ours / theirs).collect();
        Spread::of(&ratios)
    }

    pub(crate) fn median(&self) -> f64 {
        median(&self.values)
    }
}

/// `SQLite 12,345/s`
impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let median = self.median();
        let (number, unit) = match self.unit {
            Unit::PerSecond => (with_thousands(median), "/s"),
            Unit::Micros => (with_thousands(median), " µs"),
            Unit::Millis => (format!("{median:.1}"), " ms"),
            Unit::Megabytes => (format!("{median:.1}"), " MB"),
        };
        write!(f, "{} {number}{unit}", self.subject)
    }
}

/// The median of the rounds, with the lowest and the highest.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    lowest: f64,
    highest: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        Self {
            median: median(values),
            lowest: values.iter().copied().fold(f64::INFINITY, f64::min),
            highest: values.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// `0.87 (0.85–0.91)`
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.median < 10.0 { 2 } else { 0 };
        let Self {
            median,
            lowest,
            highest,
        } = self;
        write!(
            f,
            "{median:.digits$} ({lowest:.digits$}–{highest:.digits$})"
        )
    }
}

/// `12,345`, or `1.4` where the digits before the point say too little.
pub(crate) fn with_thousands(value: f64) -> String {
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
