//! Front matter: what a Markdown file says about itself before its text, in YAML between lines `---`, in TOML
//! between lines `+++`, or as an object in JSON.

mod edit;
mod fields;
mod formats;
mod value;

use std::ops::Range;

use handbill::Visibility;
use handbill::store::TextField;
use jiff::Timestamp;

pub(crate) use edit::with_origin;
use fields::Fields;
use formats::{is_json, json_len, parse_json, parse_toml, parse_yaml};

// The names that only Handbill has begin alike, so that they mean nothing else to others.
const SERVER: &str = "handbill_server";
const ID: &str = "handbill_id";
const ETAG: &str = "handbill_etag";
const HASH: &str = "handbill_hash";
pub(crate) const VISIBILITY: &str = "handbill_visibility";
const FOCUS_KEYWORD: &str = "handbill_focus_keyword";

/// What front matter says about a post.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FrontMatter {
    /// The optional texts of the post that it has.
    pub(super) texts: Vec<(TextField, String)>,
    /// Hugo also calls it `publishDate`, `pubDate` or `published`.
    pub(super) date: Option<Timestamp>,
    /// Why the date could not be read. The name of the file may have another one.
    pub(super) date_fault: Option<String>,
    pub(super) lastmod: Option<Timestamp>,
    /// Tags, and then categories.
    pub(super) tags: Vec<String>,
    /// `draft: true`, for Hugo.
    pub(super) draft: bool,
    /// Whether a section page hides what is below it, for Hugo.
    pub(super) hides_all: bool,
    /// `published: false`, for Jekyll, or what says the same to others.
    pub(super) unpublished: bool,
    /// From when on Hugo publishes the post.
    pub(super) publishes: Option<Timestamp>,
    /// From when on Hugo does not publish it any more.
    pub(super) expires: Option<Timestamp>,
    /// Who can find and read the post, for Handbill.
    pub(super) visibility: Option<Visibility>,
    /// Addresses in the old site.
    pub(crate) addresses: Vec<String>,
    /// Which post of which server the file is.
    pub(crate) origin: Origin,
    /// How many fields have a value that could not be read, and that the post can do without.
    pub(super) unread: usize,
}

/// Which post of which server a file is, as `handbill post` and `handbill get` write it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Origin {
    pub(crate) server: Option<String>,
    pub(crate) id: Option<String>,
    /// The entity tag of the post when it was last written or read.
    pub(crate) etag: Option<String>,
    /// The hash of what the post was then.
    pub(crate) hash: Option<String>,
}

impl Origin {
    /// The names that have a value, with their values.
    pub(crate) fn lines(&self) -> Vec<(&'static str, &str)> {
        let names = [SERVER, ID, ETAG, HASH].into_iter();
        let values = [&self.server, &self.id, &self.etag, &self.hash];
        let lines = names.zip(values);
        lines
            .filter_map(|(name, value)| Some((name, value.as_deref()?)))
            .collect()
    }
}

/// The formats of front matter.
#[derive(Clone, Copy)]
enum Format {
    Yaml,
    Toml,
    Json,
}

/// Separates a file into its front matter and its body. A file without front matter is all body.
pub(crate) fn split(text: &str) -> Result<(FrontMatter, &str), String> {
    let Some((format, place)) = find(text)? else {
        return Ok((FrontMatter::default(), &text[mark_len(text)..]));
    };
    let line = 1 + text[..place.start].matches('\n').count();
    let (matter, rest) = (&text[place.clone()], &text[place.end..]);
    let (members, body) = match format {
        Format::Yaml => (parse_yaml(matter, line)?, first_line(rest).1),
        Format::Toml => (parse_toml(matter, line)?, first_line(rest).1),
        // The line of the brace ends before the body.
        Format::Json => (parse_json(matter, line)?, without_empty_line(rest)),
    };
    // One empty line may separate the two.
    Ok((Fields::new(&members)?.parse()?, without_empty_line(body)))
}

/// Where front matter is, without the lines around it.
fn find(text: &str) -> Result<Option<(Format, Range<usize>)>, String> {
    // Hugo ignores space before front matter.
    let start = text[mark_len(text)..].trim_start();
    let (first, rest) = first_line(start);
    let (format, matter, len) = match first {
        "---" => (Format::Yaml, rest, until(rest, &["---", "..."])?),
        "+++" => (Format::Toml, rest, until(rest, &["+++"])?),
        _ if is_json(start) => (Format::Json, start, json_len(start)),
        // Eleventy's JavaScript, for example.
        _ if is_marked(first) && until(rest, &["---"]).is_ok() => {
            let line = 1 + text[..text.len() - start.len()].matches('\n').count();
            let expected = "YAML, TOML or JSON is expected";
            return Err(format!("its front matter: {expected}, at line {line}"));
        }
        _ => return Ok(None),
    };
    let begin = text.len() - matter.len();
    Ok(Some((format, begin..begin + len)))
}

/// The length of the byte order mark that a file may begin with.
fn mark_len(text: &str) -> usize {
    text.len() - text.strip_prefix('\u{FEFF}').unwrap_or(text).len()
}

/// What a text of a post is called in front matter.
pub(crate) fn name_of(field: TextField) -> &'static str {
    match field {
        TextField::FocusKeyword => FOCUS_KEYWORD,
        field => field.name(),
    }
}

/// Whether a line begins front matter and names its format.
fn is_marked(line: &str) -> bool {
    let format = line.strip_prefix("---").unwrap_or_default();
    format.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// The first line without its end, and what follows it.
fn first_line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.trim_end(), rest)
}

fn without_empty_line(text: &str) -> &str {
    match first_line(text) {
        ("", rest) => rest,
        _ => text,
    }
}

/// The length of what stands before a line that is one of these.
fn until(text: &str, ends: &[&str]) -> Result<usize, String> {
    let mut len = 0;
    for line in text.split_inclusive('\n') {
        if ends.contains(&line.trim_end()) {
            return Ok(len);
        }
        len += line.len();
    }
    Err(format!("the front matter has no end: a line {}", ends[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::dates;

    fn expected() -> FrontMatter {
        FrontMatter {
            texts: vec![
                (TextField::Title, "Hello: a “title”".to_owned()),
                (TextField::Author, "Ada".to_owned()),
                (TextField::Language, "en".to_owned()),
            ],
            date: Some(dates::instant("2024-01-02T01:04:05Z").unwrap()),
            lastmod: Some(dates::instant("2024-02-03").unwrap()),
            tags: vec!["Rust".to_owned(), "2024".to_owned()],
            draft: true,
            addresses: vec!["hello".to_owned()],
            ..FrontMatter::default()
        }
    }

    #[test]
    fn yaml_toml_and_json_say_the_same() {
        let yaml = "---\n# A comment\ntitle: 'Hello: a “title”'\ndate: 2024-01-02 03:04:05 +0200\n\
            lastmod: 2024-02-03\nslug: hello\ntags: [Rust, 2024]\nauthor: Ada\nlanguage: en\ndraft: true\n\
            params:\n  nested: {deep: [1, 2]}\n  1: one\n---\n\nThe *body*.\n";
        assert_eq!(split(yaml), Ok((expected(), "The *body*.\n")));
        let toml = "+++\n# A comment\ntitle = 'Hello: a “title”'\ndate = 2024-01-02T03:04:05+02:00\n\
            lastmod = 2024-02-03\nslug = 'hello'\ntags = ['Rust', 2024]\nauthor = 'Ada'\nlanguage = 'en'\n\
            draft = true\n[params]\nnested = {deep = [1, 2]}\n+++\nThe *body*.\n";
        assert_eq!(split(toml), Ok((expected(), "The *body*.\n")));
        let json = "{\n\"title\": \"Hello: a “title”\", \"date\": \"2024-01-02T03:04:05+02:00\",\n\
            \"lastmod\": \"2024-02-03\", \"slug\": \"hello\", \"tags\": [\"Rust\", 2024], \"author\": \"Ada\",\n\
            \"language\": \"en\", \"draft\": true, \"params\": {\"nested\": [1, 2]}\n}\n\nThe *body*.\n";
        assert_eq!(split(json), Ok((expected(), "The *body*.\n")));
    }

    #[test]
    fn flags_have_all_spellings_of_yaml_and_of_hugo() {
        for (value, expected) in [
            ("true", true),
            ("True", true),
            ("yes", true),
            ("On", true),
            ("y", true),
            ("1", true),
            ("'true'", true),
            ("false", false),
            ("NO", false),
            ("off", false),
            ("0", false),
            ("\"False\"", false),
        ] {
            let (draft, _) = split(&format!("---\ndraft: {value}\n---\n")).unwrap();
            assert_eq!(draft.draft, expected, "{value}");
            let (published, _) = split(&format!("---\npublished: {value}\n---\n")).unwrap();
            assert_eq!(published.unpublished, !expected, "{value}");
        }
        let (empty, _) = split("---\ndraft:\npublished:\n---\n").unwrap();
        assert_eq!(
            (empty.draft, empty.unpublished),
            (false, true),
            "as Hugo and Jekyll do"
        );
    }

    #[test]
    fn hugo_s_other_names_of_dates_are_read() {
        let day = |text: &str| Some(dates::instant(text).unwrap());
        for name in ["publishDate", "pubDate", "published"] {
            let text = format!("---\n{name}: 2024-01-02\nunpublishdate: 2024-01-03\n---\n");
            let (front_matter, _) = split(&text).unwrap();
            assert_eq!(front_matter.date, day("2024-01-02"), "{name}");
            assert_eq!(front_matter.publishes, day("2024-01-02"), "{name}");
            assert_eq!(front_matter.expires, day("2024-01-03"), "{name}");
            assert!(!front_matter.unpublished);
        }
    }

    #[test]
    fn the_body_stays_byte_for_byte() {
        let none = |body| Ok((FrontMatter::default(), body));
        assert_eq!(
            split("# No front matter\n\n---\n"),
            none("# No front matter\n\n---\n")
        );
        assert_eq!(split("---\n---\n\n\n  body \n\n"), none("\n  body \n\n"));
        assert_eq!(
            split("\u{FEFF}---\r\n---\r\n\r\nbody\r\n"),
            none("body\r\n")
        );
        assert_eq!(split("---\n...\nbody"), none("body"));
        assert_eq!(split("--- \n# only a comment\n---\nbody"), none("body"));
        assert_eq!(split("+++\n+++\nbody"), none("body"));
        assert_eq!(split("----\nbody"), none("----\nbody"));
        assert_eq!(split(""), none(""));
        for body in ["\n\nbody", "{% include x %}", "{{< x >}}", "{a}"] {
            assert_eq!(split(body), none(body));
        }
        assert_eq!(split("{}body"), none("body"));
        assert_eq!(split("{}\r\n\r\n body"), none(" body"));
    }

    #[test]
    fn values_are_taken_as_they_were_typed() {
        let (front_matter, _) = split(
            "---\ntitle: 1.10\ntags: C++, Rust , \nauthor: ~\nlanguage:\ndate: \"\"\ndraft: false\n---\n",
        )
        .unwrap();
        assert_eq!(front_matter.texts, [(TextField::Title, "1.10".to_owned())]);
        assert_eq!(front_matter.tags, ["C++", "Rust"]);
        assert_eq!(front_matter.date, None);
        let (front_matter, _) = split("---\ntitle: |\n  one\n  two\n---\n").unwrap();
        assert_eq!(
            front_matter.texts,
            [(TextField::Title, "one two".to_owned())]
        );
        let (front_matter, _) = split("---\ntags:\n  - 1.10\n  - yes\n  -\n---\n").unwrap();
        assert_eq!(front_matter.tags, ["1.10", "yes"]);
        for tags in ["", "~", "[]"] {
            let (front_matter, _) = split(&format!("---\ntags: {tags}\n---\n")).unwrap();
            assert_eq!(front_matter.tags, [""; 0], "{tags:?}");
        }
    }

    #[test]
    fn the_names_of_handbill_are_read_and_a_misspelled_one_is_refused() {
        let (front_matter, _) = split(
            "---\nhandbill_server: https://a.example\nhandbill_id: bcdfghjklm\nhandbill_etag: 1-ab\nhandbill_hash: 1e5\n\
             handbill_visibility: unlisted\nhandbill_focus_keyword: tea\n---\n",
        )
        .unwrap();
        let text = |text: &str| Some(text.to_owned());
        let origin = Origin {
            server: text("https://a.example"),
            id: text("bcdfghjklm"),
            etag: text("1-ab"),
            hash: text("1e5"),
        };
        assert_eq!(front_matter.origin, origin);
        assert_eq!(front_matter.visibility, Some(Visibility::Unlisted));
        assert_eq!(
            front_matter.texts,
            [(TextField::FocusKeyword, "tea".to_owned())]
        );
        for text in [
            "---\nhandbill_visiblity: draft\n---\n",
            "+++\nHandbill_visiblity = 'draft'\n+++\n",
            "{\"handbill_visiblity\": \"draft\"}\n",
        ] {
            let error = split(text).unwrap_err();
            assert!(error.contains("andbill_visiblity is not a name"), "{error}");
        }
        let error = split("---\nhandbill_visibility: everybody\n---\n").unwrap_err();
        assert!(error.contains("public, unlisted or draft"), "{error}");
    }

    #[test]
    fn faulty_front_matter_is_refused() {
        for (text, expected) in [
            ("---\ntitle: x\n", "no end: a line ---"),
            ("+++\ntitle = 'x'\n---\n", "no end: a line +++"),
            ("---\ntitle: [\n---\n", "its YAML: "),
            (
                "---\ntitle: \"C:\\Users\"\n---\n",
                "double a \\ in double quotes",
            ),
            ("\n---js\n{}\n---\n", "JSON is expected, at line 2"),
            (
                "---\nx\n---\n",
                "its YAML: lines “name: value” are expected",
            ),
            ("---\n- a\n- b\n---\n", "its YAML: "),
            ("---\ndraft: maybe\n---\n", "draft: true or false"),
            (
                "---\ndraft: true\nDraft: false\n---\n",
                "draft is there twice",
            ),
            (
                "---\npublished: maybe\n---\n",
                "published: true, false or a date",
            ),
            (
                "---\nexpiryDate: soon\n---\n",
                "expirydate: “soon” is not a date",
            ),
            (
                "\n---\ntitle: a\nTitle: b\n---\n",
                "title is there twice, at line 4",
            ),
            ("---\ntitle: a\nb: c: d\n---\n", "at line 3"),
            ("+++\na = 1\nb = = 2\n+++\n", "at line 3"),
            ("\n{\"a\": 1,\n\"b\": }\n", "at line 3"),
            (
                "+++\na = 1\ndraft = 'x'\n+++\n",
                "draft: true or false is expected, at line 3",
            ),
            (
                "{\"a\": 1,\n\"draft\": \"x\"}\n",
                "draft: true or false is expected, at line 2",
            ),
            ("+++\ntitle = \n+++\n", "its TOML: "),
            (
                "+++\nexpiryDate = 07:32:00\n+++\n",
                "expirydate: “07:32:00” is not a date",
            ),
            ("+++\ndraft = 'maybe'\n+++\n", "draft: true or false"),
            (
                "+++\ntags = ['a']\nTags = ['b']\n+++\n",
                "tags is there twice",
            ),
            ("{\"title\": \n", "its JSON: "),
            ("{\"draft\": [\"x\"]}\n", "draft: a text is expected"),
        ] {
            let error = split(text).unwrap_err();
            assert!(error.contains(expected), "{text:?}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn authors_and_tags_are_texts_lists_and_maps() {
        let read = |text: &str| {
            split(text)
                .unwrap_or_else(|error| panic!("{text}: {error}"))
                .0
        };
        for author in [
            "---\nauthor: [Ada, Bob]\n---\n",
            "---\nauthors:\n- name: Ada\n  url: x\n- Bob\n---\n",
            "+++\nauthor = ['Ada', {name = 'Bob'}]\n+++\n",
            "+++\n[taxonomies]\nauthors = ['Ada', 'Bob']\n+++\n",
            "{\"author\": {\"name\": \"Ada, Bob\"}}\n",
            "---\nauthor:\n  login: a\n  display_name: Ada, Bob\n---\n",
        ] {
            let expected = [(TextField::Author, "Ada, Bob".to_owned())];
            assert_eq!(read(author).texts, expected, "{author}");
        }
        for tags in [
            "---\ntags: one two three\n---\n",
            "---\ntags: one,two,three\n---\n",
            "---\ntags: one，two、three\n---\n",
            "---\ntags: [one]\ncategories: two three\n---\n",
            "---\ntags: [\"one, two\", three]\n---\n",
            "---\ntag: one\ncategories:\n- name: two\n- three\n---\n",
            "---\ntags:\n  one: 1\n  two: 2\ncategory: three\n---\n",
            "+++\n[taxonomies]\ntags = ['one', 'two']\ncategories = ['three']\n+++\n",
        ] {
            assert_eq!(read(tags).tags, ["one", "two", "three"], "{tags}");
        }
    }

    #[test]
    fn a_field_that_cannot_be_read_does_not_cost_the_file() {
        let text =
            "---\ntitle: [x]\nauthor: [[1]]\ntags: [[a]]\nlastmod: soon\nlanguage: {a: b}\n---\n";
        let (front_matter, _) = split(text).unwrap();
        let expected = FrontMatter {
            unread: 5,
            ..FrontMatter::default()
        };
        assert_eq!(front_matter, expected);
    }

    #[test]
    fn aliases_that_multiply_are_refused() {
        let mut bomb = "---\na0: &a0 [x, x]\n".to_owned();
        for level in 1..40 {
            let before = level - 1;
            bomb += &format!("a{level}: &a{level} [*a{before}, *a{before}]\n");
        }
        bomb += "tags: *a39\n---\nbody";
        assert!(split(&bomb).is_err());
    }
}
