//! Fuzz targets: each takes any bytes, sends them to a service in one form, and panics if what comes
//! back breaks a promise.
//!
//! `.ci/fuzz` runs them under libFuzzer; the test of this crate runs them on the stored corpus.

#[path = "../../tests/http/markdown/sanitiser.rs"]
mod sanitiser;
mod service;
mod targets;

/// Takes one input.
pub type Target = fn(&[u8]);

/// All targets by name, which is also the name of their folder in the corpus.
pub const TARGETS: [(&str, Target); 7] = [
    ("markdown", targets::markdown),
    ("json", targets::json),
    ("form", targets::form),
    ("address", targets::address),
    ("conditions", targets::conditions),
    ("fields", targets::fields),
    ("connection", targets::connection),
];

/// The target with this name. Panics if there is none.
pub fn target(name: &str) -> Target {
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    found
        .unwrap_or_else(|| panic!("{name}: there is no such target"))
        .1
}
