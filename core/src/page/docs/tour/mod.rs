//! The tour on the docs page: calls for bash with curl, in steps that can be pasted one after the other.

mod curl;
mod samples;

use std::iter;

pub(super) struct Step {
    pub(super) id: &'static str,
    pub(super) lines: String,
    /// The expected statuses, in the order of the requests.
    statuses: &'static [u16],
    /// The body of the response, as an example.
    pub(super) sample: Option<String>,
}

impl Step {
    /// The name of the message with the title.
    pub(super) fn title(&self) -> String {
        format!("tour-{}", self.id)
    }

    /// The name of the message with the explanation.
    pub(super) fn text(&self) -> String {
        format!("tour-{}-text", self.id)
    }

    /// The expected statuses as the page shows them. Empty if the step sends no request.
    pub(super) fn expected(&self) -> String {
        let statuses: Vec<_> = self.statuses.iter().map(u16::to_string).collect();
        match &*statuses {
            [] => String::new(),
            statuses => format!("→ {}", statuses.join(" ")),
        }
    }
}

/// The steps with the statuses of their requests.
const STEPS: [(&str, &[u16]); 9] = [
    ("key", &[201]),
    ("create", &[201]),
    ("read", &[200, 200]),
    ("list", &[200]),
    ("change", &[200]),
    ("seen", &[200, 304, 200, 412]),
    ("once", &[201, 201]),
    ("token", &[200]),
    ("delete", &[204, 410]),
];

/// The tour for the service at this address. If clients cannot request keys freely, it begins with a key
/// that the reader already has.
pub(super) fn steps(base_url: &str, keys_are_open: bool) -> Vec<Step> {
    let first = curl::first(base_url, keys_are_open);
    let lines = iter::once(first).chain(curl::OTHERS.map(str::to_owned));
    let steps = STEPS.into_iter().zip(lines);
    let steps = steps.map(|((id, statuses), lines)| {
        let sends_nothing = id == "key" && !keys_are_open;
        Step {
            id,
            lines,
            statuses: if sends_nothing { &[] } else { statuses },
            sample: samples::of(id, base_url).filter(|_| !sends_nothing),
        }
    });
    steps.collect()
}
