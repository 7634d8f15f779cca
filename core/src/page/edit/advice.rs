//! Advice on the use of the focus keyword. Each hint is about a part of the post that search engines look
//! at, and says what to do.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::form::Fields;
use crate::context::Context;
use crate::language::{Language, Message};
use crate::markdown::{self, Style};

/// The number of characters that search engines show of a description, and the minimum for a good one.
const SHOWN_DESCRIPTION: usize = 160;
const GOOD_DESCRIPTION: usize = 50;
/// The maximum number of words in a text without headings.
const SHORT_TEXT: usize = 300;
/// The keyword should appear at most once per this number of words.
const MIN_WORDS_PER_KEYWORD: usize = 50;
/// The keyword should appear at least once per this number of words.
const MAX_WORDS_PER_KEYWORD: usize = 200;

/// A piece of advice, and whether the post already follows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hint {
    /// The part of the post: `keyword`, `title`, `opening`, `headings`, `description` or `frequency`.
    pub(super) about: &'static str,
    pub(super) is_met: bool,
    advice: Advice,
}

#[derive(Debug, PartialEq, Eq)]
enum Advice {
    NoKeyword,
    TitleMet,
    TitleTodo,
    TitleMissing,
    OpeningMet,
    OpeningTodo,
    HeadingsMet,
    HeadingsTodo,
    HeadingsMissing,
    HeadingsNotNeeded,
    DescriptionMet,
    DescriptionShort { characters: usize },
    DescriptionTodo,
    FrequencyMet { times: usize },
    FrequencyLow { times: usize, least: usize },
    FrequencyHigh { times: usize, most: usize },
}

/// The hints for the content of the form.
pub(super) async fn on(context: &Context, fields: &Fields) -> Vec<Hint> {
    let fields = fields.clone();
    let size = fields.body.len();
    context.blocking.run(size, move || hints(&fields)).await
}

fn hints(fields: &Fields) -> Vec<Hint> {
    let keyword = folded(&fields.focus_keyword);
    if keyword.is_empty() {
        return vec![Hint {
            about: "keyword",
            is_met: false,
            advice: Advice::NoKeyword,
        }];
    }
    let rendered = markdown::render(&fields.body, &Style::default());
    let outline = rendered.outline;
    let has = |text: &str| times(&folded(text), &keyword) > 0;

    let title = match fields.title.trim() {
        "" => (false, Advice::TitleMissing),
        title if has(title) => (true, Advice::TitleMet),
        _ => (false, Advice::TitleTodo),
    };
    let opening = if has(&outline.opening) {
        (true, Advice::OpeningMet)
    } else {
        (false, Advice::OpeningTodo)
    };
    let text = folded(&outline.text);
    let words = words_in(&text);
    let headings = match &*outline.headings {
        [] if words <= SHORT_TEXT => (true, Advice::HeadingsNotNeeded),
        [] => (false, Advice::HeadingsMissing),
        headings if headings.iter().any(|heading| has(heading)) => (true, Advice::HeadingsMet),
        _ => (false, Advice::HeadingsTodo),
    };
    [
        ("title", title),
        ("opening", opening),
        ("headings", headings),
        ("description", of_description(&rendered.excerpt, has)),
        ("frequency", of_frequency(times(&text, &keyword), words)),
    ]
    .into_iter()
    .map(|(about, (is_met, advice))| Hint {
        about,
        is_met,
        advice,
    })
    .collect()
}

/// The hint about the description, which is the post's excerpt.
fn of_description(description: &str, has: impl Fn(&str) -> bool) -> (bool, Advice) {
    let characters = description.chars().count();
    let shown: String = description.chars().take(SHOWN_DESCRIPTION).collect();
    if characters < GOOD_DESCRIPTION {
        (false, Advice::DescriptionShort { characters })
    } else if has(&shown) {
        (true, Advice::DescriptionMet)
    } else {
        (false, Advice::DescriptionTodo)
    }
}

fn of_frequency(times: usize, words: usize) -> (bool, Advice) {
    let least = words.div_ceil(MAX_WORDS_PER_KEYWORD).max(1);
    let most = (words / MIN_WORDS_PER_KEYWORD).max(3);
    if times < least {
        (false, Advice::FrequencyLow { times, least })
    } else if times > most {
        (false, Advice::FrequencyHigh { times, most })
    } else {
        (true, Advice::FrequencyMet { times })
    }
}

/// A text in the form in which people type searches: lowercase, without accents, and with single spaces
/// in place of everything that is neither letter nor digit.
fn folded(text: &str) -> String {
    let letters = text
        .nfkd()
        .filter(|character| !is_combining_mark(*character));
    let letters = letters.flat_map(char::to_lowercase);
    let spaced: String = letters
        .map(|character| {
            if character.is_alphanumeric() {
                character
            } else {
                ' '
            }
        })
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The number of words in a folded text. In scripts without spaces, two characters count as a word.
fn words_in(text: &str) -> usize {
    let words = text.split(' ').map(|word| {
        let unspaced = word.chars().filter(|character| is_unspaced(*character));
        unspaced.count().div_ceil(2).max(1)
    });
    words.sum()
}

/// How often a keyword appears in a text, both folded. In scripts with spaces, only whole words count.
fn times(text: &str, keyword: &str) -> usize {
    let found = text.match_indices(keyword);
    found
        .filter(|(at, _)| {
            let before = text[..*at].chars().next_back();
            let after = text[at + keyword.len()..].chars().next();
            is_boundary(before, keyword.chars().next())
                && is_boundary(after, keyword.chars().next_back())
        })
        .count()
}

/// Whether there is a word boundary between the first or last character of a keyword and the character
/// next to it.
fn is_boundary(outside: Option<char>, inside: Option<char>) -> bool {
    let is_in_spaced_word =
        |character: Option<char>| character.is_some_and(|c| c != ' ' && !is_unspaced(c));
    !(is_in_spaced_word(outside) && is_in_spaced_word(inside))
}

/// Whether a character belongs to a script without spaces between words: Thai, Lao, Khmer, Burmese,
/// Chinese and Japanese.
const fn is_unspaced(character: char) -> bool {
    matches!(
        character,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
            | '\u{2E80}'..='\u{A4CF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}'
    )
}

impl Hint {
    /// The message with the hint.
    pub(super) fn said<'a>(&self, words: &'a Language) -> Message<'a> {
        match self.advice {
            Advice::NoKeyword => words.say("advice-no-keyword"),
            Advice::TitleMet => words.say("advice-title-met"),
            Advice::TitleTodo => words.say("advice-title-todo"),
            Advice::TitleMissing => words.say("advice-title-missing"),
            Advice::OpeningMet => words.say("advice-opening-met"),
            Advice::OpeningTodo => words.say("advice-opening-todo"),
            Advice::HeadingsMet => words.say("advice-headings-met"),
            Advice::HeadingsTodo => words.say("advice-headings-todo"),
            Advice::HeadingsMissing => words.say("advice-headings-missing"),
            Advice::HeadingsNotNeeded => words.say("advice-headings-not-needed"),
            Advice::DescriptionMet => words.say("advice-description-met"),
            Advice::DescriptionShort { characters } => words
                .say("advice-description-short")
                .with("characters", characters)
                .with("least", GOOD_DESCRIPTION),
            Advice::DescriptionTodo => words
                .say("advice-description-todo")
                .with("shown", SHOWN_DESCRIPTION),
            Advice::FrequencyMet { times } => {
                words.say("advice-frequency-met").with("times", times)
            }
            Advice::FrequencyLow { times, least } => words
                .say("advice-frequency-low")
                .with("times", times)
                .with("least", least),
            Advice::FrequencyHigh { times, most } => words
                .say("advice-frequency-high")
                .with("times", times)
                .with("most", most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(title: &str, body: &str, focus_keyword: &str) -> Fields {
        Fields {
            title: title.to_owned(),
            body: body.to_owned(),
            tags: String::new(),
            focus_keyword: focus_keyword.to_owned(),
        }
    }

    fn met(fields: &Fields) -> Vec<&'static str> {
        let hints = hints(fields);
        assert!(hints.len() == 5 || hints.len() == 1);
        let met = hints.into_iter().filter(|hint| hint.is_met);
        met.map(|hint| hint.about).collect()
    }

    #[test]
    fn a_post_that_uses_its_keyword_well_meets_every_hint() {
        let good = "## On sourdough bread\n\nSourdough bread is what one makes of flour, water, \
            salt and patience.\n\nMore.";
        assert_eq!(
            met(&fields(
                "How to bake sourdough bread",
                good,
                "Sourdough Bread"
            )),
            ["title", "opening", "headings", "description", "frequency"]
        );
    }

    #[test]
    fn each_hint_says_what_to_do() {
        let none = fields("Hello", "A short text.", "bread");
        let found: Vec<_> = hints(&none).into_iter().map(|hint| hint.advice).collect();
        assert_eq!(
            found,
            [
                Advice::TitleTodo,
                Advice::OpeningTodo,
                Advice::HeadingsNotNeeded,
                Advice::DescriptionShort { characters: 13 },
                Advice::FrequencyLow { times: 0, least: 1 },
            ]
        );
        let stuffed = fields("", &"bread ".repeat(400), "bread");
        let found: Vec<_> = hints(&stuffed)
            .into_iter()
            .map(|hint| hint.advice)
            .collect();
        assert_eq!(
            found,
            [
                Advice::TitleMissing,
                Advice::OpeningMet,
                Advice::HeadingsMissing,
                Advice::DescriptionMet,
                Advice::FrequencyHigh {
                    times: 400,
                    most: 8
                },
            ]
        );
        assert_eq!(hints(&fields("a", "b", " "))[0].advice, Advice::NoKeyword);
    }

    #[test]
    fn words_are_counted_in_scripts_without_spaces_too() {
        assert_eq!(words_in(&folded("Bread, and wine.")), 3);
        assert_eq!(words_in(&folded("我们的面包很好吃。")), 4);
    }

    #[test]
    fn keywords_are_found_as_people_search_them() {
        for (text, keyword, found) in [
            ("Breads and bread, BREAD.", "bread", 2),
            ("La crème brûlée", "creme brulee", 1),
            ("snow\u{a0}white, snow-white", "Snow White", 2),
            ("我们的面包很好吃", "面包", 1),
            ("C++ and C", "c", 2),
            ("ﬁne", "fine", 1),
        ] {
            assert_eq!(times(&folded(text), &folded(keyword)), found, "{text}");
        }
    }
}
