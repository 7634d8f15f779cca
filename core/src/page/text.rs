//! Text in HTML, in Markdown and in shell commands.

use std::fmt;
use std::ops::Range;

/// Escapes text for use between tags. Quotes stay as they are, unlike in attributes, so that commands are
/// short.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A message as HTML. Text between backticks becomes `<code>`.
pub(super) fn with_code(message: impl fmt::Display) -> String {
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

/// Text as HTML in which these bytes are marked.
pub(super) fn with_marks(text: &str, marks: &[Range<usize>]) -> String {
    let (mut html, mut end) = (String::new(), 0);
    for mark in marks {
        let (before, marked) = (&text[end..mark.start], &text[mark.clone()]);
        html.push_str(&format!(
            "{}<mark>{}</mark>",
            escaped(before),
            escaped(marked)
        ));
        end = mark.end;
    }
    html + &escaped(&text[end..])
}

/// Text as a part of a line of Markdown in which it means nothing but itself: no link, no list, no markup.
pub(super) fn plain_markdown(text: impl AsRef<str>) -> String {
    let mut line = String::new();
    for (n, word) in text.as_ref().split_whitespace().enumerate() {
        if n > 0 {
            line.push(' ');
        }
        // `-`, `+`, `=` and `1.` begin a list or underline a heading at the start of a line.
        let number = word.trim_end_matches(['.', ')']);
        let is_number = n == 0 && number.bytes().all(|byte| byte.is_ascii_digit());
        for c in word.chars() {
            let begins_block =
                line.is_empty() && "-+=".contains(c) || is_number && ".)".contains(c);
            if begins_block || r"\`*_[]<>&~|#!".contains(c) {
                line.push('\\');
            }
            line.push(c);
        }
    }
    line
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
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    /// The text of a piece of Markdown, and everything in it that is not text.
    fn parsed(markdown: &str) -> (String, Vec<String>) {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_GFM;
        let (mut text, mut others) = (String::new(), Vec::new());
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(part) => text.push_str(&part),
                Event::Start(Tag::Link { dest_url, .. }) => others.push(dest_url.into_string()),
                Event::Start(tag) => others.push(format!("{:?}", tag.to_end())),
                Event::End(_) => {}
                other => others.push(format!("{other:?}")),
            }
        }
        (text, others)
    }

    proptest! {
        /// Whatever a text contains, it is one line of text in each place where `llms.txt` has it.
        #[test]
        fn a_text_in_markdown_is_one_line_of_text(
            text in r"[-\\\[\]()<>`*_~|#!&=+.:;/'^$@{}^a1é \n\t]{1,24}|\PC{1,24}",
        ) {
            let words: Vec<_> = text.split_whitespace().collect();
            let plain = words.join(" ");
            prop_assume!(!plain.is_empty());
            let line = plain_markdown(&text);
            for (before, after) in [
                ("# ", ""),
                ("> ", ""),
                ("- [", "](http://a.example/x.md)"),
                ("- [a](http://a.example/x.md): ", ""),
            ] {
                let (shown, others) = parsed(&format!("{before}{line}{after}"));
                let (around, expected) = parsed(&format!("{before}b{after}"));
                prop_assert_eq!(shown, around.replace('b', &plain));
                prop_assert_eq!(others, expected);
            }
        }
    }

    #[test]
    fn text_between_backticks_is_code() {
        assert_eq!(
            with_code("`a<b>` & \"c\", `d`"),
            "<code>a&lt;b&gt;</code> &amp; \"c\", <code>d</code>"
        );
        assert_eq!(with_code("no code"), "no code");
    }

    #[test]
    fn markdown_in_a_text_means_nothing() {
        for (text, line) in [
            ("a  plain\n text, 1.5 (so)", "a plain text, 1.5 (so)"),
            ("[x](http://a.example)", r"\[x\](http://a.example)"),
            (
                "![x] <b> &amp; `c` *d* _e_ ~f~ |g|",
                r"\!\[x\] \<b\> \&amp; \`c\` \*d\* \_e\_ \~f\~ \|g\|",
            ),
            ("# C#", r"\# C\#"),
            ("- a - b", r"\- a - b"),
            ("1. a", r"1\. a"),
            ("12) a", r"12\) a"),
            ("=== x", r"\=== x"),
            ("127.0.0.1 1. b", "127.0.0.1 1. b"),
            (r"a\", r"a\\"),
            ("", ""),
        ] {
            assert_eq!(plain_markdown(text), line);
        }
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
