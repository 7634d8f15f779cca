//! The languages of the pages. Each is one file of messages beside this one, in
//! [Fluent](https://projectfluent.org)'s syntax, named after its language tag (RFC 5646): to add a
//! language is to add a file.
//!
//! A message is text; where a page shows it so, what stands in it between backticks is code. The names
//! `op-`, `param-` and `field-` begin what `openapi.json` says too, in English.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use http::header::{self, HeaderMap};
use include_dir::{Dir, include_dir};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/language");
static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let messages = FILES.files().filter_map(|file| {
        let tag = file.path().to_str()?.strip_suffix(".ftl")?;
        Some(Language::new(tag, file.contents_utf8()?))
    });
    messages.collect()
});

/// What is spoken to whoever names none that there is.
const DEFAULT: &str = "en";

/// A language that the pages speak.
pub(crate) struct Language {
    tag: &'static str,
    messages: FluentBundle<FluentResource>,
}

impl Language {
    /// # Panics
    /// Where a file does not read as its syntax demands: a test opens each of them.
    fn new(tag: &'static str, source: &str) -> Self {
        let locale = tag.parse();
        let locale = locale.unwrap_or_else(|_| panic!("{tag}.ftl is not named after a language"));
        let resource = FluentResource::try_new(source.to_owned());
        let resource = resource.unwrap_or_else(|(_, errors)| panic!("{tag}.ftl: {errors:?}"));
        let mut messages = FluentBundle::new_concurrent(vec![locale]);
        // What is put into a message is told apart by `<bdi>` where it is a client's.
        messages.set_use_isolating(false);
        messages
            .add_resource(resource)
            .unwrap_or_else(|errors| panic!("{tag}.ftl: {errors:?}"));
        Self { tag, messages }
    }

    /// All languages that there are, in the order of their tags.
    pub(crate) fn all() -> &'static [Self] {
        &LANGUAGES
    }

    /// The language of this tag, or of the one that this is a kind of: `fr` for `fr-CA`.
    pub(crate) fn of_tag(tag: &str) -> Option<&'static Self> {
        let kind = tag.split('-').next()?;
        let found = |tag: &str| {
            let mut all = Self::all().iter();
            all.find(|language| language.tag.eq_ignore_ascii_case(tag))
        };
        found(tag).or_else(|| found(kind))
    }

    /// The language that a client likes best, by `Accept-Language` (RFC 9110, section 12.5.4).
    pub(crate) fn accepted(headers: &HeaderMap) -> &'static Self {
        let lines = headers.get_all(header::ACCEPT_LANGUAGE).iter();
        let ranges = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(','));
        let mut best: Option<(f32, &'static Self)> = None;
        for range in ranges {
            let (tag, weight) = weighted(range);
            if weight > best.map_or(0.0, |(weight, _)| weight)
                && let Some(language) = Self::of_range(tag)
            {
                best = Some((weight, language));
            }
        }
        best.map_or_else(Self::default_one, |(_, language)| language)
    }

    fn of_range(tag: &str) -> Option<&'static Self> {
        match tag {
            "*" => Some(Self::default_one()),
            tag => Self::of_tag(tag),
        }
    }

    /// What is spoken to whoever names none that there is.
    pub(crate) fn default_one() -> &'static Self {
        Self::of_tag(DEFAULT).unwrap_or(&Self::all()[0])
    }

    /// Its language tag (RFC 5646).
    pub(crate) fn tag(&self) -> &'static str {
        self.tag
    }

    /// A message, to be printed.
    pub(crate) fn say<'a>(&'a self, name: impl Into<Cow<'a, str>>) -> Message<'a> {
        Message {
            language: self,
            name: name.into(),
            arguments: FluentArgs::new(),
        }
    }
}

/// A language range and its weight: 1 where none is given, 0 where it is none.
fn weighted(range: &str) -> (&str, f32) {
    let mut parts = range.split(';').map(str::trim);
    let tag = parts.next().unwrap_or_default();
    let weight = parts.find_map(|parameter| parameter.strip_prefix("q="));
    let weight = weight.map_or(Some(1.0), |weight| weight.parse().ok());
    (
        tag,
        weight
            .filter(|weight| (0.0..=1.0).contains(weight))
            .unwrap_or_default(),
    )
}

/// A message with what is to be put into it. Displays as the whole.
pub(crate) struct Message<'a> {
    language: &'a Language,
    name: Cow<'a, str>,
    arguments: FluentArgs<'a>,
}

impl<'a> Message<'a> {
    /// Puts a value where the message has `{ $name }`.
    pub(crate) fn with(mut self, name: &'static str, value: impl Argument<'a>) -> Self {
        self.arguments.set(name, value.into_value());
        self
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        let messages = &self.language.messages;
        let pattern = messages.get_message(&self.name)?.value()?;
        let mut errors = Vec::new();
        let text = messages.format_pattern(pattern, Some(&self.arguments), &mut errors);
        debug_assert!(errors.is_empty(), "{}: {errors:?}", self.name);
        Some(text)
    }
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        debug_assert!(
            text.is_some(),
            "{}.ftl has no {}",
            self.language.tag,
            self.name
        );
        f.write_str(text.as_deref().unwrap_or(&self.name))
    }
}

/// What can be put into a message.
pub(crate) trait Argument<'a> {
    fn into_value(self) -> FluentValue<'a>;
}

macro_rules! as_they_are {
    ($($value:ty),*) => {$(
        impl<'a> Argument<'a> for $value {
            fn into_value(self) -> FluentValue<'a> {
                self.into()
            }
        }
    )*};
}

as_they_are!(&'a str, String, u64, usize);

impl<'a, T: Argument<'a> + Copy> Argument<'a> for &T {
    fn into_value(self) -> FluentValue<'a> {
        (*self).into_value()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::api::openapi;
    use crate::page::docs;
    use crate::problem::Code;

    /// Each message with the variables and the tags that are in it.
    fn messages(file: &Path) -> BTreeMap<String, BTreeSet<String>> {
        let source = fs::read_to_string(file).unwrap();
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut name = String::new();
        for line in source.lines().filter(|line| !line.starts_with('#')) {
            let mut text = line;
            if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let (named, rest) = line.split_once(" =").unwrap();
                named.clone_into(&mut name);
                let again = all.insert(name.clone(), BTreeSet::new());
                assert_eq!(again, None, "{name} stands there twice");
                text = rest;
            }
            let Some(parts) = all.get_mut(&name) else {
                continue;
            };
            for (opening, closing) in [("{ $", ' '), ("<", '>')] {
                let found = text.split(opening).skip(1);
                let found = found.filter_map(|part| part.split_once(closing));
                parts.extend(found.map(|(part, _)| format!("{opening}{part}")));
            }
        }
        all
    }

    fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(files(path.to_str().unwrap(), extension));
            } else if path.extension().is_some_and(|known| known == extension) {
                found.push(path);
            }
        }
        found
    }

    #[test]
    fn every_language_has_every_message_with_the_same_parts() {
        let languages = files("src/language", "ftl");
        assert_eq!(languages.len(), Language::all().len());
        assert!(languages.len() >= 2);
        let english = messages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/language/en.ftl"));
        for file in languages {
            assert_eq!(messages(&file), english, "{}", file.display());
        }
    }

    /// Names that are put together from a fixed beginning and what the program knows.
    const PUT_TOGETHER: [&str; 2] = ["fault-", "label-"];

    #[test]
    fn every_message_that_is_said_is_there_and_every_one_that_is_there_is_said() {
        let english = messages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/language/en.ftl"));
        let mut said = BTreeSet::new();
        for file in files("src", "html").iter().chain(&files("src", "rs")) {
            let source = fs::read_to_string(file).unwrap();
            let calls = source.split("say(\"").skip(1);
            said.extend(calls.filter_map(|call| Some(call.split_once('"')?.0.to_owned())));
        }
        for code in Code::ALL {
            said.extend([code.title_message(), code.help_message()]);
        }
        said.extend(openapi::messages());
        said.extend(docs::messages());
        for name in &said {
            let is_there = english.contains_key(name);
            assert!(is_there, "{name} is said, and not there");
        }
        for name in english.keys().filter(|name| !said.contains(*name)) {
            let is_known = PUT_TOGETHER
                .iter()
                .any(|beginning| name.starts_with(beginning));
            assert!(is_known, "{name} is there, and never said");
        }
    }

    /// What French sets before a mark does not let a line end there.
    #[test]
    fn french_keeps_its_marks_beside_their_words() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/language/fr.ftl");
        for line in fs::read_to_string(file).unwrap().lines() {
            let Some((name, text)) = line.split_once(" = ") else {
                continue;
            };
            for torn in [" :", " ;", " !", " ?", " »", "« ", "'"] {
                assert!(!text.contains(torn), "{name}: `{torn}`");
            }
        }
    }

    #[test]
    fn a_problem_is_called_alike_in_the_api_and_on_the_pages() {
        let english = Language::of_tag("en").unwrap();
        for code in Code::ALL {
            assert_eq!(english.say(code.title_message()).to_string(), code.title());
        }
    }

    #[test]
    fn the_language_is_the_one_that_a_client_likes_best() {
        for (accepted, tag) in [
            ("fr", "fr"),
            ("fr-CA,en;q=0.5", "fr"),
            ("de, fr;q=0.3, en;q=0.7", "en"),
            ("de", "en"),
            ("*", "en"),
            ("fr;q=0", "en"),
            ("fr;q=nan, fr;q=2", "en"),
            ("EN-gb;q=0.2, FR;q=0.9", "fr"),
            ("fr;q=0.5, en;q=0.5", "fr"),
            ("", "en"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, accepted.parse().unwrap());
            assert_eq!(Language::accepted(&headers).tag(), tag, "{accepted}");
        }
        assert_eq!(Language::accepted(&HeaderMap::new()).tag(), "en");
    }
}
