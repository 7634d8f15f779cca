//! Text in HTML and in shell commands.

use std::fmt;

/// Escapes text for use between tags. Quotes stay as they are, unlike in attributes, so that commands are
/// short.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A message as HTML. Text between backticks becomes `<code>`.
pub(super) fn marked(message: impl fmt::Display) -> String {
    let mut html = String::new();
    for (n, part) in message.to_string().split('`').enumerate() {
        let part = escaped(part);
        if n % 2 == 0 {
            html.push_str(&part);
        } else {
            html.push_str(&format!("<code>{part}</code>"));
        }
    }
    html
}

/// Text as one word of a shell command, quoted if necessary.
pub(super) fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/%@+,=".contains(c);
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_backticks_is_code() {
        assert_eq!(
            marked("`a<b>` & \"c\", `d`"),
            "<code>a&lt;b&gt;</code> &amp; \"c\", <code>d</code>"
        );
        assert_eq!(marked("no code"), "no code");
    }

    #[test]
    fn an_address_is_one_word_of_a_shell_command() {
        assert_eq!(
            shell_word("http://127.0.0.1:8080/blog"),
            "http://127.0.0.1:8080/blog"
        );
        assert_eq!(
            shell_word("http://[::1]/it's;$HOME&(b)"),
            r"'http://[::1]/it'\''s;$HOME&(b)'"
        );
    }
}
