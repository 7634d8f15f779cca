//! What the program says to people.

use std::fmt::Display;

use serde_json::Value;

/// The text of something, in which what a terminal could obey is escaped: control characters, and characters that
/// override the direction of text. Names of files and errors repeat what strangers wrote.
pub(crate) fn printable(text: impl Display) -> String {
    let escape = |letter: char| letter.escape_default().to_string();
    escaped(&text.to_string(), escape)
}

/// A JSON document, which says the same with these characters escaped.
pub(crate) fn printable_json(json: &Value) -> String {
    let escape = |letter| format!("\\u{:04x}", u32::from(letter));
    escaped(&json.to_string(), escape)
}

fn escaped(text: &str, escape: fn(char) -> String) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        let is_direction = matches!(letter, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        match letter.is_control() || is_direction {
            true => escaped += &escape(letter),
            false => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_terminal_could_obey_is_escaped() {
        assert_eq!(
            printable("a\u{1b}[31mb\tc\nd\u{9b}e\u{202e}f"),
            r"a\u{1b}[31mb\tc\nd\u{9b}e\u{202e}f"
        );
        assert_eq!(
            printable("“Grüße”, \\ 'x' \u{1F44B}"),
            "“Grüße”, \\ 'x' \u{1F44B}"
        );
        let json = Value::from("\u{1b}\u{7f}\u{9b}\u{202e}é\n");
        assert_eq!(printable_json(&json), r#""\u001b\u007f\u009b\u202eé\n""#);
    }
}
