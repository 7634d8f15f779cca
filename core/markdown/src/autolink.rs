//! Bare addresses in a text (`https://…`, `http://…`, `www.…`), which become links.
//!
//! The rules are those of GitHub's Markdown (GFM, section 6.9), with two additions: an address also ends at
//! characters that no address contains, such as a quotation mark or what ends a sentence in another script, and after a
//! character of a script that has no spaces an address may begin. Each character is looked at a fixed number of times.

use std::ops::Range;

use icu_properties::props::{
    BinaryProperty, EastAsianWidth, EnumeratedProperty, GeneralCategory, GeneralCategoryGroup,
    JoinControl, TerminalPunctuation,
};

use super::address::Address;
use super::character::is_combining_mark;

const PREFIXES: [&str; 3] = ["https://", "http://", "www."];

/// What no address contains beyond ASCII, whatever the script.
const AROUND: GeneralCategoryGroup = GeneralCategoryGroup::Separator
    .union(GeneralCategoryGroup::Control)
    .union(GeneralCategoryGroup::Format)
    .union(GeneralCategoryGroup::DashPunctuation)
    .union(GeneralCategoryGroup::OpenPunctuation)
    .union(GeneralCategoryGroup::ClosePunctuation)
    .union(GeneralCategoryGroup::InitialPunctuation)
    .union(GeneralCategoryGroup::FinalPunctuation);

/// An address in a text.
#[derive(Debug)]
pub(super) struct Autolink {
    pub(super) place: Range<usize>,
    pub(super) address: Address,
}

/// The addresses in a text, from left to right.
pub(super) struct Autolinks<'a> {
    text: &'a str,
    /// What is before this was looked at.
    next: usize,
}

impl<'a> Autolinks<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, next: 0 }
    }

    /// Where the next prefix begins, and which it is.
    fn next_prefix(&self) -> Option<(usize, &'static str)> {
        let bytes = self.text.as_bytes();
        let starts = (self.next..bytes.len()).filter(|at| matches!(bytes[*at] | 0x20, b'h' | b'w'));
        let mut found = starts.filter_map(|at| {
            let begins = |prefix: &&&str| {
                let there = bytes.get(at..at + prefix.len());
                there.is_some_and(|there| there.eq_ignore_ascii_case(prefix.as_bytes()))
            };
            Some((at, *PREFIXES.iter().find(begins)?))
        });
        found.find(|(at, _)| *at == 0 || may_precede(bytes[at - 1]))
    }
}

impl Iterator for Autolinks<'_> {
    type Item = Autolink;

    fn next(&mut self) -> Option<Autolink> {
        while let Some((start, prefix)) = self.next_prefix() {
            let rest = &self.text[start..];
            let end = rest.find(ends_an_address).unwrap_or(rest.len());
            // What is no address as a whole is not looked at again.
            self.next = start + end.max(prefix.len());
            let link = without_end_of_sentence(&rest[..end]);
            if let Some(address) = address_of(link, prefix) {
                let place = start..start + link.len();
                return Some(Autolink { place, address });
            }
        }
        None
    }
}

/// Whether an address may begin after this byte. Those beyond ASCII belong to a letter or a sign of
/// another script.
fn may_precede(byte: u8) -> bool {
    !byte.is_ascii() || byte.is_ascii_whitespace() || b"*_~([{<>\"'|,;!".contains(&byte)
}

/// White space, and what stands around an address but not in it. Beyond ASCII, this is what ends a sentence or a part
/// of one, dashes, brackets, quotation marks, and the wide forms of ASCII's signs. What joins letters (U+200C, U+200D)
/// may be in an address.
fn ends_an_address(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_whitespace()
            || character.is_ascii_control()
            || matches!(character, '<' | '>' | '"' | '`');
    }
    if character.is_alphanumeric() || JoinControl::for_char(character) {
        return false;
    }
    character == '…'
        || AROUND.contains(GeneralCategory::for_char(character))
        || TerminalPunctuation::for_char(character)
        || EastAsianWidth::for_char(character) == EastAsianWidth::Fullwidth
}

/// Leaves out punctuation at the end, and brackets that were not opened in the address.
fn without_end_of_sentence(mut link: &str) -> &str {
    let surplus = |open: char, close: char| {
        let closed = link.matches(close).count();
        closed.saturating_sub(link.matches(open).count())
    };
    let mut surplus = [surplus('(', ')'), surplus('[', ']'), surplus('{', '}')];
    while let Some(last) = link.chars().next_back() {
        let bracket = match last {
            ')' => Some(0),
            ']' => Some(1),
            '}' => Some(2),
            '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' | ';' => None,
            _ => break,
        };
        if let Some(bracket) = bracket {
            if surplus[bracket] == 0 {
                break;
            }
            surplus[bracket] -= 1;
        }
        link = &link[..link.len() - 1];
        if last == ';' {
            link = without_entity(link);
        }
    }
    link
}

/// Leaves out what looks like a character reference (`&copy`).
fn without_entity(link: &str) -> &str {
    let name = link.trim_end_matches(|character: char| character.is_ascii_alphanumeric());
    match name.strip_suffix('&') {
        Some(before) if name.len() < link.len() => before,
        _ => link,
    }
}

fn address_of(link: &str, prefix: &'static str) -> Option<Address> {
    let is_domain = |character: char| {
        character.is_alphanumeric() || is_combining_mark(character) || "-_.".contains(character)
    };
    let host = link.get(prefix.len()..)?;
    let end = host.find(|character| !is_domain(character));
    let domain = &host[..end.unwrap_or(host.len())];
    let has_begun = domain.starts_with(char::is_alphanumeric);
    let mut last_two = domain.rsplit('.').take(2);
    if !has_begun || last_two.any(|segment| segment.contains('_')) {
        return None;
    }
    match prefix {
        "www." => Address::of_link(&format!("http://{link}")),
        _ => Address::of_link(link),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let links = Autolinks::new(text);
        links.map(|link| &text[link.place]).collect()
    }

    #[test]
    fn addresses_are_found_as_github_finds_them() {
        for (text, expected) in [
            ("www.commonmark.org", vec!["www.commonmark.org"]),
            (
                "Visit www.commonmark.org/help for",
                vec!["www.commonmark.org/help"],
            ),
            ("Visit www.commonmark.org.", vec!["www.commonmark.org"]),
            ("www.commonmark.org/a.b.", vec!["www.commonmark.org/a.b"]),
            ("www.x.example/?q=(a)", vec!["www.x.example/?q=(a)"]),
            ("(www.x.example/?q=(a))", vec!["www.x.example/?q=(a)"]),
            ("(www.x.example/?q=(a))))", vec!["www.x.example/?q=(a)"]),
            ("www.x.example/?q=(a)+ok", vec!["www.x.example/?q=(a)+ok"]),
            ("www.x.example/?q=a&hl=en", vec!["www.x.example/?q=a&hl=en"]),
            ("www.x.example/?q=a&hl;", vec!["www.x.example/?q=a"]),
            ("www.x.example/he<lp", vec!["www.x.example/he"]),
            ("http://x.example/b?c=\"d", vec!["http://x.example/b?c="]),
            (
                "HTTPS://X.example Www.y.example",
                vec!["HTTPS://X.example", "Www.y.example"],
            ),
            (
                "~https://a.example~*www.b.example*",
                vec!["https://a.example~*www.b.example"],
            ),
            (
                "http://localhost:8080/a_b_c?!*",
                vec!["http://localhost:8080/a_b_c"],
            ),
            (
                "https://a_b.x.example https://x.a_b.example",
                vec!["https://a_b.x.example"],
            ),
            ("www. www.. http:// https://. http://-a www.a_b", vec![]),
            ("xhttps://x.example awww.x.example ftp://x.example", vec![]),
            ("javascript:https://x.example /https://x.example", vec![]),
            ("a@www.x.example https://[::1]/ https:/x http", vec![]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn addresses_end_where_a_sentence_of_any_script_does() {
        for (text, expected) in [
            (
                "\"https://a.example\", [https://b.example].",
                vec!["https://a.example", "https://b.example"],
            ),
            (
                "请看https://例え.jp/谢谢。然后（www.x.example）",
                vec!["https://例え.jp/谢谢", "www.x.example"],
            ),
            (
                "«https://a.example» “www.b.example”…",
                vec!["https://a.example", "www.b.example"],
            ),
            (
                "زوروا https://a.example/ب، https://b.example؟ثم https://c.example؛",
                vec![
                    "https://a.example/ب",
                    "https://b.example",
                    "https://c.example",
                ],
            ),
            (
                "https://a.example/क। https://b.example։ https://c.example/d። https://e.example\u{37E}",
                vec![
                    "https://a.example/क",
                    "https://b.example",
                    "https://c.example/d",
                    "https://e.example",
                ],
            ),
            (
                "https://a.example/人々～https://b.example…… https://c.example—d",
                vec![
                    "https://a.example/人々",
                    "https://b.example",
                    "https://c.example",
                ],
            ),
            (
                "https://a.example/می\u{200C}شود https://b.example/col·legi https://c.example/བོད་ཡིག",
                vec![
                    "https://a.example/می\u{200C}شود",
                    "https://b.example/col·legi",
                    "https://c.example/བོད་ཡིག",
                ],
            ),
            ("https://a.example/\u{202E}b", vec!["https://a.example/"]),
            ("https://a.example\u{200B}.b", vec!["https://a.example"]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn an_address_without_a_scheme_gets_one() {
        for (text, address) in [
            ("www.x.example/ü?[1]", "http://www.x.example/%C3%BC?%5B1%5D"),
            ("https://x.example/", "https://x.example/"),
        ] {
            let link = Autolinks::new(text).next().unwrap();
            assert_eq!(link.address.as_str(), address);
        }
    }
}
