//! Forms as browsers send them.

use crate::app::{App, Call};

pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// The fields as a browser encodes them.
pub(crate) fn encode(fields: &[(&str, &str)]) -> String {
    let encode = |text: &str| -> String {
        let bytes = text.bytes().map(|byte| match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' | b'-' | b'*' => {
                char::from(byte).to_string()
            }
            b' ' => "+".to_owned(),
            other => format!("%{other:02X}"),
        });
        bytes.collect()
    };
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// A form sent from the page that it is on.
pub(crate) fn submit(app: &App, path: &str, fields: &[(&str, &str)]) -> Call {
    let call = app
        .call("POST", path)
        .header("sec-fetch-site", "same-origin");
    call.body(FORM, encode(fields))
}
