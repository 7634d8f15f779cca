//! The languages of the pages.
//!
//! Each language is a file of messages in this folder, in the syntax of
//! [Fluent](https://projectfluent.org) and named after its language tag (RFC 5646). Adding a file adds a
//! language.
//!
//! Messages are plain text. Some pages show text between backticks as code. The messages of the reference are in a file
//! next to it, in all languages: those other than English are attributes.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::types::FluentNumber;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use http::header::{self, HeaderMap};
use include_dir::{Dir, include_dir};

use crate::http::Head;
use crate::http::accept::weighted;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/page/language");
const REFERENCE: &str = include_str!("../docs/reference.ftl");
static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let messages = FILES.files().filter_map(|file| {
        let tag = file.path().to_str()?.strip_suffix(".ftl")?;
        Some(Language::new(tag, [file.contents_utf8()?, REFERENCE]))
    });
    messages.collect()
});

/// The language for clients that accept none of the others.
const DEFAULT: &str = "en";

pub(crate) struct Language {
    tag: &'static str,
    messages: FluentBundle<FluentResource>,
}

impl Language {
    /// # Panics
    /// If a file is malformed. A test loads each file.
    fn new(tag: &'static str, sources: [&str; 2]) -> Self {
        let locale = tag.parse();
        let locale = locale.unwrap_or_else(|_| panic!("{tag}.ftl is not named after a language"));
        let mut messages = FluentBundle::new_concurrent(vec![locale]);
        // The templates isolate the direction of clients' text with `<bdi>` instead.
        messages.set_use_isolating(false);
        // Only a function fits here, no closure with the separator.
        messages.set_formatter(Some(match tag {
            "fr" => |value, _| grouped(value, '\u{202F}'),
            _ => |value, _| grouped(value, ','),
        }));
        for source in sources {
            let resource = FluentResource::try_new(source.to_owned());
            let resource = resource.unwrap_or_else(|(_, errors)| panic!("{tag}.ftl: {errors:?}"));
            messages
                .add_resource(resource)
                .unwrap_or_else(|errors| panic!("{tag}.ftl: {errors:?}"));
        }
        Self { tag, messages }
    }

    /// All languages, in the order of their tags.
    pub(crate) fn all() -> &'static [Self] {
        &LANGUAGES
    }

    /// The language with this tag, or with its primary language: `fr` for `fr-CA`.
    fn of_tag(tag: &str) -> Option<&'static Self> {
        let primary = tag.split('-').next()?;
        let find = |tag: &str| {
            let mut all = Self::all().iter();
            all.find(|language| language.tag.eq_ignore_ascii_case(tag))
        };
        find(tag).or_else(|| find(primary))
    }

    /// The language of the page that a client gets, and whether `?lang=` chose it.
    pub(crate) fn negotiate(head: &Head) -> (&'static Self, bool) {
        // A duplicate `lang` is ignored, like an unknown language.
        let named = head.query.one("lang").ok().flatten();
        match named.as_deref().and_then(Self::of_tag) {
            Some(chosen) => (chosen, true),
            None => (Self::accepted(head.headers()), false),
        }
    }

    /// The language that a client prefers according to `Accept-Language` (RFC 9110, section 12.5.4).
    fn accepted(headers: &HeaderMap) -> &'static Self {
        let mut best: Option<(f32, &'static Self)> = None;
        for (tag, weight) in weighted(headers, header::ACCEPT_LANGUAGE) {
            if weight > best.map_or(0.0, |(weight, _)| weight)
                && let Some(language) = Self::of_range(tag)
            {
                best = Some((weight, language));
            }
        }
        best.map_or_else(Self::fallback, |(_, language)| language)
    }

    fn of_range(tag: &str) -> Option<&'static Self> {
        match tag {
            "*" => Some(Self::fallback()),
            tag => Self::of_tag(tag),
        }
    }

    pub(crate) fn fallback() -> &'static Self {
        Self::of_tag(DEFAULT).unwrap_or(&Self::all()[0])
    }

    pub(crate) fn tag(&self) -> &'static str {
        self.tag
    }

    /// The direction of its script, as `dir` in HTML names it.
    pub(crate) fn direction(&self) -> String {
        self.message("direction").to_string()
    }

    pub(crate) fn message<'a>(&'a self, name: impl Into<Cow<'a, str>>) -> Message<'a> {
        Message {
            language: self,
            name: name.into(),
            arguments: FluentArgs::new(),
        }
    }

    /// The message with this name, if there is one, or else the other.
    pub(crate) fn message_or(&self, name: String, other: String) -> Message<'_> {
        self.message(match self.messages.has_message(&name) {
            true => name,
            false => other,
        })
    }
}

/// The whole numbers of a language, with its sign between groups of three digits. Everything else is
/// formatted as Fluent does.
fn grouped(value: &FluentValue<'_>, separator: char) -> Option<String> {
    let FluentValue::Number(FluentNumber { value, .. }) = value else {
        return None;
    };
    let digits = value.to_string();
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let mut grouped = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    Some(grouped)
}

/// A message with its arguments. `Display` formats the complete text.
pub(crate) struct Message<'a> {
    language: &'a Language,
    name: Cow<'a, str>,
    arguments: FluentArgs<'a>,
}

impl<'a> Message<'a> {
    /// Sets the value of `{ $name }` in the message.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<FluentValue<'a>>) -> Self {
        self.arguments.set(name, value);
        self
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        let messages = &self.language.messages;
        let message = messages.get_message(&self.name)?;
        let translated = message.get_attribute(self.language.tag);
        let pattern = translated.map_or(message.value(), |text| Some(text.value()))?;
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::page::docs;
    use crate::post::{DueField, TextField, Visibility};
    use crate::problem::Code;

    /// The variables and HTML tags in each message.
    fn messages(tag: &str) -> BTreeMap<String, BTreeSet<String>> {
        let source = source_of(tag);
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut name = String::new();
        for line in source.lines().filter(|line| !line.starts_with('#')) {
            let mut text = line;
            if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let (named, rest) = line.split_once(" =").unwrap();
                named.clone_into(&mut name);
                let again = all.insert(name.clone(), BTreeSet::new());
                assert_eq!(again, None, "{name} appears twice");
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

    /// The messages of the pages, and those of the reference in this language.
    fn source_of(tag: &str) -> String {
        let folder = format!("{}/src/page/language", env!("CARGO_MANIFEST_DIR"));
        let mut source = fs::read_to_string(format!("{folder}/{tag}.ftl")).unwrap();
        let attribute = format!("    .{tag} = ");
        let mut name = "";
        for line in REFERENCE.lines() {
            if let Some(text) = line.strip_prefix(&attribute) {
                source += &format!("{name} = {text}\n");
            } else if !line.starts_with(' ') {
                name = line.split(" = ").next().unwrap();
                if tag == DEFAULT {
                    source += &format!("{line}\n");
                }
            }
        }
        source
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
        assert_eq!(
            files("src/page/language", "ftl").len(),
            Language::all().len()
        );
        assert!(Language::all().len() >= 2);
        let english = messages("en");
        for language in Language::all() {
            let tag = language.tag();
            assert_eq!(messages(tag), english, "{tag}");
        }
    }

    /// Prefixes of message names that are built at run time.
    const BUILT_AT_RUN_TIME: [&str; 2] = ["fault-", "label-"];

    #[test]
    fn every_used_message_exists_and_every_message_is_used() {
        let english = messages("en");
        let mut used = BTreeSet::new();
        let sources = ["html", "txt", "rs"].map(|extension| files("src", extension));
        for file in sources.iter().flatten() {
            let source = fs::read_to_string(file).unwrap();
            let calls = source.split(".message(\"").skip(1);
            used.extend(calls.filter_map(|call| Some(call.split_once('"')?.0.to_owned())));
        }
        for code in Code::ALL {
            used.extend([code.title_message(), code.help_message()]);
        }
        let names = Code::ALL.iter().map(|code| code.as_str());
        for name in names.chain(["search", "private_link"]) {
            let kinds = ["reader-*", "reader-*-title", "refused-*"];
            let optional = kinds.map(|kind| kind.replace('*', name)).into_iter();
            used.extend(optional.filter(|name| english.contains_key(name)));
        }
        used.extend(Visibility::ALL.map(|visibility| format!("visibility-{visibility}")));
        for field in TextField::ALL {
            used.insert(format!("label-{}", field.name()));
        }
        for field in TextField::ALL_BUT_TITLE {
            used.insert(format!("hint-{}", field.name()));
        }
        for field in DueField::ALL {
            let kinds = ["label", "hint", "due", "cancel"];
            used.extend(kinds.map(|kind| format!("{kind}-{}", field.name())));
        }
        used.extend(docs::messages());
        for name in &used {
            assert!(english.contains_key(name), "{name} does not exist");
        }
        for name in english.keys().filter(|name| !used.contains(*name)) {
            let is_built = BUILT_AT_RUN_TIME
                .iter()
                .any(|prefix| name.starts_with(prefix));
            assert!(is_built, "{name} is never used");
        }
    }

    #[test]
    fn an_error_names_its_text_field() {
        for language in Language::all() {
            let sentence = |field: &str| {
                let message = language.message("fault-not_a_language");
                message.with("field", field.to_owned()).to_string()
            };
            for &field in TextField::ALL {
                assert_ne!(sentence(field.name()), sentence("body"), "{field:?}");
            }
        }
    }

    /// French puts a space before some punctuation marks. It must not break the line.
    #[test]
    fn french_punctuation_stays_on_the_line_of_its_word() {
        for line in source_of("fr").lines() {
            let Some((name, text)) = line.split_once(" = ") else {
                continue;
            };
            for breakable in [" :", " ;", " !", " ?", " »", "« ", "'"] {
                assert!(!text.contains(breakable), "{name}: `{breakable}`");
            }
        }
    }

    #[test]
    fn a_problem_has_the_same_title_in_the_api_and_on_the_pages() {
        let english = Language::of_tag("en").unwrap();
        for code in Code::ALL {
            assert_eq!(
                english.message(code.title_message()).to_string(),
                code.title()
            );
        }
    }

    #[test]
    fn numbers_are_grouped_as_in_the_language() {
        for (tag, number, text) in [
            ("en", 999, "At most 999 characters."),
            ("en", 100_000, "At most 100,000 characters."),
            (
                "fr",
                1_000_000,
                "1\u{202F}000\u{202F}000 caractères au plus.",
            ),
        ] {
            let message = Language::of_tag(tag).unwrap().message("at-most");
            assert_eq!(message.with("max", number).to_string(), text);
        }
    }

    #[test]
    fn the_language_is_the_one_that_a_client_prefers() {
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
