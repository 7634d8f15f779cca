//! The language of a post in the form: people choose it by its name, and a post has its tag (BCP 47).

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use isolang::Language;

use crate::post::{Draft, FieldError, FieldFault, Limits, TextField};

/// The languages that the form suggests. It takes all others, too.
const SUGGESTED: [&str; 20] = [
    "ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "hi", "it", "ja", "ko", "nl", "pl", "pt",
    "ru", "sv", "tr", "zh",
];

/// The names of the suggested languages, each in its own language.
pub(super) fn suggested() -> impl Iterator<Item = Cow<'static, str>> {
    SUGGESTED.iter().map(|tag| shown(tag))
}

/// What the form shows for a tag: the language's own name, unless the tag says more than that.
pub(super) fn shown(tag: &str) -> Cow<'_, str> {
    let name = language(tag).and_then(|language| language.to_autonym());
    match name {
        Some(name) if tag_of(name) == tag => Cow::Borrowed(name),
        _ => Cow::Borrowed(tag),
    }
}

/// The tag of the language with this name, in English or in the language itself. Any other text does not change.
pub(super) fn tag_of(typed: &str) -> &str {
    let typed = typed.trim();
    let name = typed.to_lowercase();
    // A language called “En” has another code.
    if language(&name).is_some() {
        return typed;
    }
    NAMES.get(&name).map_or(typed, |language| code(*language))
}

/// All languages by their names in lower case, in English and in the language itself.
static NAMES: LazyLock<HashMap<String, Language>> = LazyLock::new(|| {
    let named = isolang::languages().flat_map(|language| {
        let english = language.to_name();
        // People say “Greek”, and ISO 639 “Modern Greek”.
        let names = [
            Some(english),
            english.strip_prefix("Modern "),
            language.to_autonym(),
        ];
        let names = names.into_iter().flatten().map(str::to_lowercase);
        names.map(move |name| (name, language))
    });
    let mut named: Vec<_> = named.collect();
    // Languages with a two-letter code come last, so that they win if names are equal.
    named.sort_by_key(|(_, language)| language.to_639_1().is_some());
    named.into_iter().collect()
});

fn code(language: Language) -> &'static str {
    language.to_639_1().unwrap_or(language.to_639_3())
}

/// Wraps the parser of a form: a tag whose language is not registered is a fault, unless the post already has it.
pub(super) fn registered<T>(
    current: Option<String>,
    parse: impl FnOnce(Draft, &Limits) -> Result<T, Vec<FieldError>>,
) -> impl FnOnce(Draft, &Limits) -> Result<T, Vec<FieldError>> {
    move |draft, limits| {
        let tag = &draft.texts[TextField::Language as usize];
        let tag = tag.clone().unwrap_or_default();
        let is_known = tag.is_empty() || current.as_deref() == Some(&tag) || is_registered(&tag);
        match (parse(draft, limits), is_known) {
            (parsed, true) => parsed,
            (Ok(_), false) => Err(vec![unregistered()]),
            (Err(mut errors), false) => {
                if errors.iter().all(|error| error.field != "language") {
                    errors.push(unregistered());
                }
                Err(errors)
            }
        }
    }
}

fn unregistered() -> FieldError {
    let detail = "a registered language, such as en or German";
    FieldError::new("language", FieldFault::NotALanguage, detail)
}

/// Whether ISO 639 has the language of a tag, or the tag is for private use.
fn is_registered(tag: &str) -> bool {
    let code = tag.split('-').next().unwrap_or_default().to_lowercase();
    let is_private = |code: &str| {
        matches!(code, "x" | "i") || (code.len() == 3 && ("qaa"..="qtz").contains(&code))
    };
    is_private(&code) || language(&code).is_some()
}

fn language(code: &str) -> Option<Language> {
    Language::from_639_1(code).or_else(|| Language::from_639_3(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_its_tag() {
        for (typed, tag) in [
            ("German", "de"),
            ("  deutsch ", "de"),
            ("FRANÇAIS", "fr"),
            ("日本語", "ja"),
            ("Hawaiian", "haw"),
            ("pt-BR", "pt-BR"),
            ("EN", "EN"),
            ("de ", "de"),
            (" ", ""),
            ("Greek", "el"),
            ("Klingonish", "Klingonish"),
            ("", ""),
        ] {
            assert_eq!(tag_of(typed), tag, "{typed}");
        }
    }

    #[test]
    fn each_suggested_language_has_a_name_that_leads_back_to_it() {
        for (tag, name) in SUGGESTED.iter().zip(suggested()) {
            assert_ne!(*tag, name);
            assert_eq!(tag_of(&name), *tag);
        }
    }

    #[test]
    fn a_tag_that_says_more_than_the_language_is_shown_as_it_is() {
        for tag in ["pt-BR", "zh-Hant", "mul", "x-whatever", "german", ""] {
            assert_eq!(shown(tag), tag);
        }
    }

    #[test]
    fn only_registered_languages_are_known() {
        for tag in [
            "en-GB",
            "HAW",
            "qaa-x-own",
            "x-whatever",
            "i-klingon",
            "mul",
        ] {
            assert!(is_registered(tag), "{tag}");
        }
        for tag in ["german", "xx", "qqq1", "english-UK"] {
            assert!(!is_registered(tag), "{tag}");
        }
    }
}
