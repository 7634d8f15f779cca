//! The parts of code that pages colour: comments, texts, numbers, keywords and names.
//!
//! It does not parse: it knows what comments and texts look like in a language, and its keywords
//! (`languages`). So it takes linear time whatever the code is. Libraries that know grammars take seconds
//! for some kilobytes.

mod languages;

use self::languages::Kind;
pub(super) use self::languages::Language;

/// The most bytes of an escape sequence with the quote after it (`\u{1F600}'`).
const LONGEST_ESCAPE: usize = 11;

/// What a part of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Comment,
    /// A string literal.
    Text,
    Number,
    Keyword,
    /// The name of a function, a key or an attribute.
    Name,
    /// A line of a difference.
    Inserted,
    Deleted,
}

impl Token {
    /// Whether it is a comment or a text.
    pub(super) fn is_main(self) -> bool {
        matches!(self, Self::Comment | Self::Text)
    }
}

/// A highlighter for the language with this name, which is what follows a fence. Without the feature, there is none.
pub(super) fn language(name: &str) -> Option<&'static Language> {
    if !cfg!(feature = "highlight") {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let knows = |language: &&Language| language.names.split(' ').any(|known| known == name);
    languages::ALL.iter().find(knows)
}

/// The code in parts. Together they are the code.
pub(super) fn parts<'a>(code: &'a str, language: &'static Language) -> Parts<'a> {
    Parts {
        code,
        at: 0,
        is_in_tag: false,
        language,
    }
}

pub(super) struct Parts<'a> {
    code: &'a str,
    at: usize,
    /// Between `<` and `>` of a markup language.
    is_in_tag: bool,
    language: &'static Language,
}

impl<'a> Iterator for Parts<'a> {
    type Item = (Option<Token>, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.code[self.at..];
        let first = rest.chars().next()?;
        let (part, len) = match self.language.kind {
            Kind::Difference => difference(rest),
            Kind::Markup => self.markup(rest, first),
            Kind::Program | Kind::Keys(_) => self.token(rest, first),
        };
        self.at += len;
        Some((part, &rest[..len]))
    }
}

impl Parts<'_> {
    /// What the rest begins with, and its length.
    fn token(&self, rest: &str, first: char) -> (Option<Token>, usize) {
        if let Some(found) = self.comment(rest).or_else(|| self.text(rest)) {
            return found;
        }
        if first.is_ascii_digit() {
            return (Some(Token::Number), number_len(rest));
        }
        if !self.is_in_word(first) {
            // White space and signs, up to what may be something else.
            return (None, first.len_utf8());
        }
        let len = rest.find(|character| !self.is_in_word(character));
        let len = len.unwrap_or(rest.len());
        (self.word(&rest[..len], &rest[len..]), len)
    }

    fn comment(&self, rest: &str) -> Option<(Option<Token>, usize)> {
        for (opening, closing) in self.language.block_comments {
            if let Some(inside) = rest.strip_prefix(opening) {
                let end = inside.find(closing).map(|end| end + closing.len());
                let len = end.map_or(rest.len(), |end| opening.len() + end);
                return Some((Some(Token::Comment), len));
            }
        }
        let begins = |sign: &&&str| rest.starts_with(**sign);
        let sign = self.language.line_comments.iter().find(begins)?;
        // Some signs have other meanings within a word (`$#`, `url(https://…)`).
        let may_be_in_words = *sign == "#" || self.language.kind != Kind::Program;
        let before = self.code[..self.at].chars().next_back();
        let is_apart = !may_be_in_words || before.is_none_or(char::is_whitespace);
        is_apart.then(|| (Some(Token::Comment), line_len(rest)))
    }

    fn text(&self, rest: &str) -> Option<(Option<Token>, usize)> {
        let begins = |quote: &&&str| rest.starts_with(**quote);
        let quote = *self.language.quotes.iter().find(begins)?;
        if quote == "'" && self.language.has_characters {
            // Other single quotes than those around a character are lifetimes and primes.
            let end = character_end(&rest[1..]);
            return Some(end.map_or((None, 1), |end| (Some(Token::Text), 1 + end)));
        }
        let spans_lines = quote.len() > 1 || quote == "`";
        let end = text_end(&rest.as_bytes()[quote.len()..], quote, spans_lines);
        let end = end.unwrap_or_else(|| match spans_lines {
            true => rest.len() - quote.len(),
            false => line_len(&rest[quote.len()..]),
        });
        let len = quote.len() + end;
        Some((self.part_before(&rest[len..]).or(Some(Token::Text)), len))
    }

    fn word(&self, word: &str, after: &str) -> Option<Token> {
        let is = |keyword: &str| match self.language.ignores_case {
            true => keyword.eq_ignore_ascii_case(word),
            false => keyword == word,
        };
        if self.language.keywords.split_ascii_whitespace().any(is) {
            return Some(Token::Keyword);
        }
        let is_call = self.language.kind == Kind::Program && after.starts_with('(');
        is_call.then_some(Token::Name).or(self.part_before(after))
    }

    /// What stands before the sign after keys is a key.
    fn part_before(&self, after: &str) -> Option<Token> {
        let Kind::Keys(sign) = self.language.kind else {
            return None;
        };
        let after = after.trim_start_matches(' ');
        after.starts_with(sign).then_some(Token::Name)
    }

    fn is_in_word(&self, character: char) -> bool {
        character.is_alphanumeric()
            || character == '_'
            || self.language.in_words.contains(character)
    }

    /// A markup language has comments, and in its tags names and texts.
    fn markup(&mut self, rest: &str, first: char) -> (Option<Token>, usize) {
        if let Some(comment) = self.comment(rest) {
            return comment;
        }
        if !self.is_in_tag {
            if first != '<' {
                return (None, rest.find('<').unwrap_or(rest.len()));
            }
            self.is_in_tag = true;
            let name =
                |character: char| !(character.is_alphanumeric() || "</?!:-".contains(character));
            return (Some(Token::Keyword), rest.find(name).unwrap_or(rest.len()));
        }
        if first == '>' {
            self.is_in_tag = false;
            return (Some(Token::Keyword), 1);
        }
        if let Some(text) = self.text(rest) {
            return text;
        }
        let len = rest.find(|character| !self.is_in_word(character));
        match len.unwrap_or(rest.len()) {
            0 => (None, first.len_utf8()),
            len => (Some(Token::Name), len),
        }
    }
}

/// A line of a difference.
fn difference(rest: &str) -> (Option<Token>, usize) {
    let part = match rest.as_bytes()[0] {
        b'+' => Some(Token::Inserted),
        b'-' => Some(Token::Deleted),
        b'@' => Some(Token::Keyword),
        _ => None,
    };
    let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
    (part, end)
}

/// The length of the line without its end.
fn line_len(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

/// Digits of any base, with a fraction.
fn number_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let continues = |at: &usize| {
        let next = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        bytes[*at].is_ascii_alphanumeric() || bytes[*at] == b'_' || (bytes[*at] == b'.' && next)
    };
    let end = (1..bytes.len()).find(|at| !continues(at));
    end.unwrap_or(bytes.len())
}

/// Where one character or an escape sequence ends, its closing quote included.
fn character_end(rest: &str) -> Option<usize> {
    let first = rest.chars().next()?;
    if first == '\\' {
        return text_end(
            &rest.as_bytes()[..rest.len().min(LONGEST_ESCAPE)],
            "'",
            false,
        );
    }
    let end = first.len_utf8();
    rest[end..].starts_with('\'').then_some(end + 1)
}

/// Where a text ends, its closing quote included.
fn text_end(rest: &[u8], quote: &str, spans_lines: bool) -> Option<usize> {
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b'\n' if !spans_lines => return None,
            b'\\' => at += 2,
            _ if rest[at..].starts_with(quote.as_bytes()) => return Some(at + quote.len()),
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts that have a meaning.
    fn found<'a>(name: &str, code: &'a str) -> Vec<(Token, &'a str)> {
        let all: Vec<_> = parts(code, language(name).unwrap()).collect();
        let whole: String = all.iter().map(|(_, text)| *text).collect();
        assert_eq!(whole, code);
        let meant = all
            .into_iter()
            .filter_map(|(part, text)| Some((part?, text)));
        meant.collect()
    }

    #[test]
    fn comments_texts_numbers_keywords_and_names_are_told_apart() {
        use Token::*;
        for (name, code, expected) in [
            (
                "rust",
                "fn f<'a>(x: &'a str) -> u8 { b'\\'' } // \"é\"\n/* 1\n*/ 0x1F.max(1.5)..2",
                vec![
                    (Keyword, "fn"),
                    (Keyword, "str"),
                    (Keyword, "u8"),
                    (Text, "'\\''"),
                    (Comment, "// \"é\""),
                    (Comment, "/* 1\n*/"),
                    (Number, "0x1F"),
                    (Name, "max"),
                    (Number, "1.5"),
                    (Number, "2"),
                ],
            ),
            (
                "Python",
                "def f(x): # c\n  \"\"\"a\n\"b\" \"\"\"\n  return 'it\\'s' % x['y",
                vec![
                    (Keyword, "def"),
                    (Name, "f"),
                    (Comment, "# c"),
                    (Text, "\"\"\"a\n\"b\" \"\"\""),
                    (Keyword, "return"),
                    (Text, "'it\\'s'"),
                    (Text, "'y"),
                ],
            ),
            (
                "sh",
                "echo $# a#b # c",
                vec![(Keyword, "echo"), (Comment, "# c")],
            ),
            (
                "sql",
                "Select 'a''b' -- c",
                vec![
                    (Keyword, "Select"),
                    (Text, "'a'"),
                    (Text, "'b'"),
                    (Comment, "-- c"),
                ],
            ),
            (
                "json",
                "{\"a\" : \"b\", \"c\": true}",
                vec![
                    (Name, "\"a\""),
                    (Text, "\"b\""),
                    (Name, "\"c\""),
                    (Keyword, "true"),
                ],
            ),
            (
                "css",
                "a { color: url(https://b); // c",
                vec![(Name, "color"), (Name, "https"), (Comment, "// c")],
            ),
            (
                "html",
                "<!-- a --><p class=\"b\">c 'd'</p>",
                vec![
                    (Comment, "<!-- a -->"),
                    (Keyword, "<p"),
                    (Name, "class"),
                    (Text, "\"b\""),
                    (Keyword, ">"),
                    (Keyword, "</p"),
                    (Keyword, ">"),
                ],
            ),
            (
                "diff",
                "@@ 1\n-a\n+b\n c",
                vec![(Keyword, "@@ 1\n"), (Deleted, "-a\n"), (Inserted, "+b\n")],
            ),
        ] {
            assert_eq!(found(name, code), expected, "{name}: {code}");
        }
    }

    #[test]
    fn the_usual_languages_are_known_and_take_any_text() {
        let names = languages::ALL
            .iter()
            .flat_map(|language| language.names.split(' '));
        let mut names: Vec<_> = names.collect();
        for name in names.iter().copied() {
            for code in [
                "",
                "\\",
                "'\\",
                "\"é\\é",
                "/*",
                "<é",
                "#",
                "\"\"\"",
                "1.é",
                "'''\u{301}`",
                "\r\n+é",
            ] {
                found(name, code);
            }
        }
        assert!(languages::ALL.len() >= 30, "{}", languages::ALL.len());
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(language("nonsense").is_none());
    }
}
