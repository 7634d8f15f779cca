//! What the program says to people.

use std::fmt::{Display, Write};

/// The text of something, in which what a terminal could obey is escaped: control characters, and characters that
/// override the direction of text. Names of files and errors repeat what strangers wrote.
pub(crate) fn printable(text: impl Display) -> String {
    let mut printable = String::new();
    for letter in text.to_string().chars() {
        let is_direction = matches!(letter, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        // Writing to a string does not fail.
        let _ = match letter.is_control() || is_direction {
            true => write!(printable, "{}", letter.escape_default()),
            false => write!(printable, "{letter}"),
        };
    }
    printable
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
    }
}
