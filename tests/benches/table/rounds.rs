//! Rounds: all subjects of a comparison take turns in each, so that whatever disturbs the machine
//! disturbs all of them.

use std::time::Duration;

use handbill_tests::load::median;

use crate::figure::{Figure, Unit};
use crate::load::Load;
use crate::plan::Plan;

/// A server under load, which one figure of a comparison is about.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) load: Load,
}

/// The figures of one comparison.
pub(crate) struct Figures(pub(crate) Vec<Figure>);

impl Figures {
    /// None where the subject did not take part, as those on PostgreSQL do where it is not installed.
    pub(crate) fn of(&self, subject: &str) -> Option<&Figure> {
        self.0.iter().find(|figure| figure.subject == subject)
    }
}

/// How many requests per second each subject gets through.
pub(crate) async fn rates(plan: &Plan, subjects: &[Subject]) -> Figures {
    for subject in subjects {
        subject.load.rate(plan.warm_up).await;
    }
    let empty = |subject: &Subject| Figure::empty(subject.name, Unit::PerSecond);
    let mut figures: Vec<Figure> = subjects.iter().map(empty).collect();
    for _ in 0..plan.rounds {
        for (subject, figure) in subjects.iter().zip(&mut figures) {
            figure.values.push(subject.load.rate(plan.window).await);
        }
    }
    Figures(figures)
}

/// The median of several times, in microseconds.
pub(crate) fn median_micros(times: &[Duration]) -> f64 {
    let micros: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e6).collect();
    median(&micros)
}

/// The time that 99 of 100 stay below, in microseconds.
pub(crate) fn percentile_99_micros(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() * 99 / 100].as_secs_f64() * 1e6
}
