//! The tour on the docs page: the same calls in several programming languages, in steps that can be pasted
//! one after the other.

mod curl;
mod javascript;
mod python;
mod samples;

use std::iter;

/// What the tour is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Curl,
    JavaScript,
    Python,
}

impl Code {
    pub(super) const ALL: [Self; 3] = [Self::Curl, Self::JavaScript, Self::Python];

    /// The one that `?code=` names, or curl.
    pub(super) fn of(parameter: Option<&str>) -> Self {
        let mut all = Self::ALL.into_iter();
        let named = all.find(|code| Some(code.parameter()) == parameter);
        named.unwrap_or(Self::Curl)
    }

    /// The value of `?code=`.
    pub(super) const fn parameter(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::JavaScript => "javascript",
            Self::Python => "python",
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::JavaScript => "JavaScript",
            Self::Python => "Python",
        }
    }

    /// The name of the language, for its colours.
    pub(super) const fn language(self) -> &'static str {
        match self {
            Self::Curl => "bash",
            Self::JavaScript | Self::Python => self.parameter(),
        }
    }

    /// The name of the message that says where to paste the steps.
    pub(super) fn lead(self) -> String {
        format!("tour-lead-{}", self.parameter())
    }
}

/// A step of the tour.
pub(super) struct Step {
    pub(super) id: &'static str,
    /// The lines to paste.
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
pub(super) fn steps(base_url: &str, keys_are_open: bool, code: Code) -> Vec<Step> {
    let (first, others) = match code {
        Code::Curl => (curl::first(base_url, keys_are_open), curl::OTHERS),
        Code::JavaScript => (
            javascript::first(base_url, keys_are_open),
            javascript::OTHERS,
        ),
        Code::Python => (python::first(base_url, keys_are_open), python::OTHERS),
    };
    let lines = iter::once(first).chain(others.map(str::to_owned));
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
