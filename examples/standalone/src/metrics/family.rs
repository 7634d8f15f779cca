//! A metric that is made for each scrape, of figures that something else counts.

use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};

/// Makes metrics.
#[derive(Default)]
pub(super) struct Families(Vec<MetricFamily>);

/// A value of a metric, and its label if the metric has one.
pub(super) struct Sample {
    label: Option<(&'static str, String)>,
    value: f64,
}

impl Sample {
    /// The value for this label.
    pub(super) fn labelled(name: &'static str, label: impl Into<String>, value: f64) -> Self {
        let label = Some((name, label.into()));
        Self { label, value }
    }
}

impl From<f64> for Sample {
    fn from(value: f64) -> Self {
        Self { label: None, value }
    }
}

impl Families {
    /// Adds what only grows.
    pub(super) fn counter(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = impl Into<Sample>>,
    ) {
        self.add(MetricType::COUNTER, name, help, samples);
    }

    /// Adds what also sinks.
    pub(super) fn gauge(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = impl Into<Sample>>,
    ) {
        self.add(MetricType::GAUGE, name, help, samples);
    }

    /// Metrics without a sample are left out.
    pub(super) fn finish(self) -> Vec<MetricFamily> {
        let mut families = self.0;
        families.retain(|family| !family.get_metric().is_empty());
        families
    }

    fn add(
        &mut self,
        kind: MetricType,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = impl Into<Sample>>,
    ) {
        let metrics = samples.into_iter().map(|sample| {
            let Sample { label, value } = sample.into();
            let mut metric = Metric::default();
            match kind {
                MetricType::COUNTER => metric.set_counter(counter(value)),
                _ => metric.set_gauge(gauge(value)),
            }
            metric.set_label(label.into_iter().map(pair).collect());
            metric
        });
        let mut family = MetricFamily::default();
        family.set_name(name.to_owned());
        family.set_help(help.to_owned());
        family.set_field_type(kind);
        family.set_metric(metrics.collect());
        self.0.push(family);
    }
}

fn counter(value: f64) -> Counter {
    let mut counter = Counter::default();
    counter.set_value(value);
    counter
}

fn gauge(value: f64) -> Gauge {
    let mut gauge = Gauge::default();
    gauge.set_value(value);
    gauge
}

fn pair((name, value): (&'static str, String)) -> LabelPair {
    let mut pair = LabelPair::default();
    pair.set_name(name.to_owned());
    pair.set_value(value);
    pair
}
