//! Numbers in texts.

use fluent_bundle::FluentValue;
use fluent_bundle::types::FluentNumber;

/// The whole numbers of a language, with its sign between groups of three digits. Everything else is
/// formatted as Fluent does.
pub(super) fn grouped(value: &FluentValue<'_>, separator: char) -> Option<String> {
    let FluentValue::Number(FluentNumber { value, .. }) = value else {
        return None;
    };
    let digits = value.to_string();
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let mut grouped = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    Some(grouped)
}
