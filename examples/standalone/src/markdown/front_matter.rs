//! Front matter: what a Markdown file says about itself before its text, in YAML between lines `---`, or in TOML
//! between lines `+++`.

use std::fmt;

use handbill::Timestamp;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

use crate::dates;

/// The names that a post has. Others are passed over.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FrontMatter {
    pub(super) title: Option<String>,
    pub(super) date: Option<Timestamp>,
    pub(super) lastmod: Option<Timestamp>,
    pub(super) tags: Vec<String>,
    pub(super) author: Option<String>,
    pub(super) language: Option<String>,
    pub(super) draft: bool,
}

/// Front matter before its dates are parsed.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Raw {
    title: Option<String>,
    date: Option<String>,
    lastmod: Option<String>,
    tags: Tags,
    author: Option<String>,
    language: Option<String>,
    draft: Option<bool>,
}

/// A list, or one text with commas.
#[derive(Default)]
struct Tags(Vec<String>);

/// Separates a file into its front matter and its body. A file without front matter is all body.
pub(super) fn split(text: &str) -> Result<(FrontMatter, &str), String> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let (first, rest) = first_line(text);
    let (raw, body) = match first {
        "---" => {
            let (matter, body) = until(rest, &["---", "..."])?;
            (parse_yaml(matter)?, body)
        }
        "+++" => {
            let (matter, body) = until(rest, &["+++"])?;
            (parse_toml(matter)?, body)
        }
        _ => return Ok((FrontMatter::default(), text)),
    };
    // One empty line may separate the two.
    let body = match first_line(body) {
        ("", rest) => rest,
        _ => body,
    };
    Ok((raw.parse()?, body))
}

impl Raw {
    fn parse(self) -> Result<FrontMatter, String> {
        let date = |name: &str, text: Option<String>| {
            let text = text.filter(|text| !text.trim().is_empty());
            text.map(|text| dates::parse(&text).map_err(|error| format!("{name}: {error}")))
                .transpose()
        };
        Ok(FrontMatter {
            title: self.title,
            date: date("date", self.date)?,
            lastmod: date("lastmod", self.lastmod)?,
            tags: self.tags.0,
            author: self.author,
            language: self.language,
            draft: self.draft.unwrap_or(false),
        })
    }
}

/// The first line without its end, and what follows it.
fn first_line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.trim_end(), rest)
}

/// What stands before a line that is one of these, and after it.
fn until<'a>(text: &'a str, ends: &[&str]) -> Result<(&'a str, &'a str), String> {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = first_line(rest);
        if ends.contains(&line) {
            return Ok((&text[..text.len() - rest.len()], after));
        }
        rest = after;
    }
    Err(format!("the front matter has no end: a line {}", ends[0]))
}

fn parse_yaml(text: &str) -> Result<Raw, String> {
    let options = serde_saphyr::options! { with_snippet: false };
    let parsed: Result<Option<Raw>, _> = serde_saphyr::from_str_with_options(text, options);
    let raw = parsed.map_err(|error| format!("its YAML: {}", in_one_line(&error)))?;
    Ok(raw.unwrap_or_default())
}

fn parse_toml(text: &str) -> Result<Raw, String> {
    let mut table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| format!("its TOML: {}", in_one_line(&error.message())))?;
    let mut text = |name: &str| {
        let value = table.remove(name).map(|value| toml_text(name, value));
        value.transpose()
    };
    let (title, author, language) = (text("title")?, text("author")?, text("language")?);
    let (date, lastmod) = (text("date")?, text("lastmod")?);
    let tags = match table.remove("tags") {
        None => Tags::default(),
        Some(toml::Value::Array(items)) => {
            let items = items.into_iter().map(|item| toml_text("tags", item));
            Tags(items.collect::<Result<_, _>>()?)
        }
        Some(value) => Tags::from_text(&toml_text("tags", value)?),
    };
    let draft = match table.remove("draft") {
        None => None,
        Some(toml::Value::Boolean(draft)) => Some(draft),
        Some(_) => return Err("draft: true or false is expected".to_owned()),
    };
    Ok(Raw {
        title,
        date,
        lastmod,
        tags,
        author,
        language,
        draft,
    })
}

/// A text, or what stands for one, such as a date.
fn toml_text(name: &str, value: toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Float(number) => Ok(number.to_string()),
        toml::Value::Boolean(value) => Ok(value.to_string()),
        toml::Value::Datetime(date) => Ok(date.to_string()),
        toml::Value::Array(_) | toml::Value::Table(_) => Err(format!("{name}: a text is expected")),
    }
}

fn in_one_line(error: &dyn fmt::Display) -> String {
    let text = error.to_string();
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ")
}

impl Tags {
    fn from_text(text: &str) -> Self {
        Self(text.split(',').map(str::to_owned).collect())
    }
}

impl<'de> Deserialize<'de> for Tags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TagsVisitor)
    }
}

struct TagsVisitor;

impl<'de> Visitor<'de> for TagsVisitor {
    type Value = Tags;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tags, or tags with commas between them")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tags, A::Error> {
        let mut tags = Vec::new();
        while let Some(tag) = items.next_element::<Option<String>>()? {
            tags.extend(tag);
        }
        Ok(Tags(tags))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Tags, E> {
        Ok(Tags::from_text(text))
    }

    fn visit_unit<E: Error>(self) -> Result<Tags, E> {
        Ok(Tags::default())
    }

    fn visit_none<E: Error>(self) -> Result<Tags, E> {
        Ok(Tags::default())
    }

    fn visit_bool<E: Error>(self, tag: bool) -> Result<Tags, E> {
        Ok(Tags(vec![tag.to_string()]))
    }

    fn visit_i64<E: Error>(self, tag: i64) -> Result<Tags, E> {
        Ok(Tags(vec![tag.to_string()]))
    }

    fn visit_u64<E: Error>(self, tag: u64) -> Result<Tags, E> {
        Ok(Tags(vec![tag.to_string()]))
    }

    fn visit_f64<E: Error>(self, tag: f64) -> Result<Tags, E> {
        Ok(Tags(vec![tag.to_string()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn expected() -> FrontMatter {
        FrontMatter {
            title: some("Hello: a “title”"),
            date: Some(dates::parse("2024-01-02T01:04:05Z").unwrap()),
            lastmod: Some(dates::parse("2024-02-03").unwrap()),
            tags: vec!["Rust".to_owned(), "2024".to_owned()],
            author: some("Ada"),
            language: some("en"),
            draft: true,
        }
    }

    #[test]
    fn yaml_and_toml_say_the_same() {
        let yaml = "---\n# A comment\ntitle: 'Hello: a “title”'\ndate: 2024-01-02 03:04:05 +0200\n\
            lastmod: 2024-02-03\nslug: hello\ntags: [Rust, 2024]\nauthor: Ada\nlanguage: en\ndraft: true\n\
            params:\n  nested: {deep: [1, 2]}\n  1: one\n---\n\nThe *body*.\n";
        assert_eq!(split(yaml), Ok((expected(), "The *body*.\n")));
        let toml = "+++\n# A comment\ntitle = 'Hello: a “title”'\ndate = 2024-01-02T03:04:05+02:00\n\
            lastmod = 2024-02-03\nslug = 'hello'\ntags = ['Rust', 2024]\nauthor = 'Ada'\nlanguage = 'en'\n\
            draft = true\n[params]\nnested = {deep = [1, 2]}\n+++\nThe *body*.\n";
        assert_eq!(split(toml), Ok((expected(), "The *body*.\n")));
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
    }

    #[test]
    fn values_are_taken_as_they_were_typed() {
        let (front_matter, _) = split(
            "---\ntitle: 1.10\ntags: C++, Rust , \nauthor: ~\nlanguage:\ndate: \"\"\ndraft: false\n---\n",
        )
        .unwrap();
        assert_eq!(front_matter.title, some("1.10"));
        assert_eq!(front_matter.tags, ["C++", " Rust ", ""]);
        assert_eq!((front_matter.author, front_matter.language), (None, None));
        assert_eq!(front_matter.date, None);
        let (front_matter, _) = split("---\ntags:\n  - 1.10\n  - yes\n  -\n---\n").unwrap();
        assert_eq!(front_matter.tags, ["1.10", "yes"]);
        for tags in ["", "~", "[]"] {
            let (front_matter, _) = split(&format!("---\ntags: {tags}\n---\n")).unwrap();
            assert_eq!(front_matter.tags, [""; 0], "{tags:?}");
        }
    }

    #[test]
    fn faulty_front_matter_is_refused() {
        for (text, expected) in [
            ("---\ntitle: x\n", "no end: a line ---"),
            ("+++\ntitle = 'x'\n---\n", "no end: a line +++"),
            ("---\ntitle: [\n---\n", "its YAML: "),
            ("---\ntitle: {a: b}\n---\n", "its YAML: "),
            ("---\n- a\n- b\n---\n", "its YAML: "),
            ("---\ndraft: maybe\n---\n", "its YAML: "),
            ("---\ntitle: a\ntitle: b\n---\n", "its YAML: "),
            ("---\ndate: soon\n---\n", "date: “soon” is not a date"),
            (
                "---\nlastmod: 2024-02-30\n---\n",
                "lastmod: “2024-02-30” is not a date",
            ),
            ("+++\ntitle = \n+++\n", "its TOML: "),
            ("+++\ntitle = ['x']\n+++\n", "title: a text is expected"),
            (
                "+++\ndate = 07:32:00\n+++\n",
                "date: “07:32:00” is not a date",
            ),
            ("+++\ndraft = 'yes'\n+++\n", "draft: true or false"),
        ] {
            let error = split(text).unwrap_err();
            assert!(error.contains(expected), "{text:?}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
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
