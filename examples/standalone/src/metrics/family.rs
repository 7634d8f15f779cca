//! Figures that something else counts, in the text format of Prometheus, as they are at a scrape.

use std::fmt::Write;

/// A label with its value, or nothing, and a figure.
pub(super) type Sample = (String, f64);

/// The sample of a metric without labels.
pub(super) fn one(figure: impl Into<Option<f64>>) -> Option<Sample> {
    Some((String::new(), figure.into()?))
}

/// The sample for this label.
pub(super) fn labelled(name: &str, value: &str, figure: f64) -> Sample {
    let value = value.replace('\\', r"\\").replace('\n', r"\n");
    let value = value.replace('"', r#"\""#);
    (format!("{{{name}=\"{value}\"}}"), figure)
}

/// Adds a metric. One without a sample is left out.
pub(super) fn add(
    text: &mut String,
    kind: &str,
    [name, help]: [&str; 2],
    samples: impl IntoIterator<Item = Sample>,
) {
    for (number, (label, figure)) in samples.into_iter().enumerate() {
        if number == 0 {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        }
        let _ = writeln!(text, "{name}{label} {figure}");
    }
}

/// Adds metrics: a row for each, with its type, name, help and samples.
macro_rules! figures {
    ($text:ident: $($kind:ident $name:literal $help:literal, $samples:expr;)*) => {
        $(super::family::add($text, stringify!($kind), [$name, $help], $samples);)*
    };
}
pub(super) use figures;
