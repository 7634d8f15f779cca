//! Text within a page's markup.

use std::fmt;

/// Text as HTML between tags. Unlike in attributes, quotes stay as they are, which keeps commands
/// short.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A message of ours as HTML: what stands in it between backticks is code.
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

/// A text as one word of a shell, quoted where it has to be.
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
    fn what_stands_between_backticks_is_code() {
        assert_eq!(
            marked("`a<b>` & \"c\", `d`"),
            "<code>a&lt;b&gt;</code> &amp; \"c\", <code>d</code>"
        );
        assert_eq!(marked("no code"), "no code");
    }

    #[test]
    fn an_address_is_one_word_whatever_is_in_it() {
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
