//! Advice on the use of the focus keyword. Each hint is about a part of the post that search engines look
//! at, and says what to do.

use handbill_markdown::is_combining_mark;
use icu_normalizer::DecomposingNormalizerBorrowed;

use crate::page::language::{Language, Message};
use crate::post::PostSummary;

const NFKD: DecomposingNormalizerBorrowed<'_> = DecomposingNormalizerBorrowed::new_nfkd();

/// The number of characters that search engines show of a description, and the minimum for a good one.
const SHOWN_DESCRIPTION: usize = 160;
const GOOD_DESCRIPTION: usize = 50;
/// The maximum number of words in a text without headings.
const SHORT_TEXT: usize = 300;
/// The number of characters of a text that are searched. This bounds the time, since one character can
/// stand for 18 letters.
const MAX_SEARCHED: usize = 30_000;
/// The keyword should appear at most once per this number of words.
const MIN_WORDS_PER_KEYWORD: usize = 50;
/// The keyword should appear at least once per this number of words.
const MAX_WORDS_PER_KEYWORD: usize = 200;

/// A piece of advice, and whether the post already follows it.
pub(super) struct Hint {
    /// The part of the post: `title`, `opening`, `headings`, `description` or `frequency`.
    pub(super) about: &'static str,
    pub(super) is_met: bool,
    pub(super) advice: Message<'static>,
}

/// The hints for a valid post that has a search phrase. Of a long text, they are about the beginning.
pub(super) fn on(language: &'static Language, post: &PostSummary, body: &str) -> Vec<Hint> {
    let hint = |about, (is_met, advice)| Hint {
        about,
        is_met,
        advice,
    };
    let keyword = folded(post.focus_keyword.as_deref().unwrap_or_default());
    if keyword.is_empty() {
        return Vec::new();
    }
    let outline = handbill_markdown::outline(body);
    let contains_keyword = |text: &str| count_matches(&folded(text), &keyword) > 0;

    let title = match &post.title {
        None => (false, language.message("advice-title-missing")),
        Some(title) if contains_keyword(title) => (true, language.message("advice-title-met")),
        Some(_) => (false, language.message("advice-title-todo")),
    };
    let opening = if contains_keyword(&outline.opening) {
        (true, language.message("advice-opening-met"))
    } else {
        (false, language.message("advice-opening-todo"))
    };
    let text = folded(&outline.text);
    let word_count = words_in(&text);
    let headings = match &*outline.headings {
        [] if word_count <= SHORT_TEXT => (true, language.message("advice-headings-not-needed")),
        [] => (false, language.message("advice-headings-missing")),
        headings if count_matches(&folded_lines(headings), &keyword) > 0 => {
            (true, language.message("advice-headings-met"))
        }
        _ => (false, language.message("advice-headings-todo")),
    };
    vec![
        hint("title", title),
        hint("opening", opening),
        hint("headings", headings),
        hint(
            "description",
            of_description(language, &post.excerpt, contains_keyword),
        ),
        hint(
            "frequency",
            of_frequency(language, count_matches(&text, &keyword), word_count),
        ),
    ]
}

/// Links within the text that lead nowhere, as a hint lists them: the first ones.
pub(super) fn listed(dead_links: &[String]) -> String {
    const LISTED: usize = 5;
    let links = dead_links.iter().take(LISTED);
    let links = links.map(|link| handbill_markdown::cut(link.clone(), handbill_markdown::NAME_LEN));
    let more = (dead_links.len() > LISTED).then(|| "…".to_owned());
    links.chain(more).collect::<Vec<_>>().join(", ")
}

/// The hint about the description, which is the post's excerpt.
fn of_description(
    language: &'static Language,
    description: &str,
    contains_keyword: impl Fn(&str) -> bool,
) -> (bool, Message<'static>) {
    let characters = description.chars().count();
    let shown: String = description.chars().take(SHOWN_DESCRIPTION).collect();
    if characters < GOOD_DESCRIPTION {
        let message = language.message("advice-description-short");
        let message = message.with("characters", characters);
        (false, message.with("least", GOOD_DESCRIPTION))
    } else if contains_keyword(&shown) {
        (true, language.message("advice-description-met"))
    } else {
        let message = language.message("advice-description-todo");
        (false, message.with("shown", SHOWN_DESCRIPTION))
    }
}

fn of_frequency(
    language: &'static Language,
    times: usize,
    word_count: usize,
) -> (bool, Message<'static>) {
    let least = word_count.div_ceil(MAX_WORDS_PER_KEYWORD).max(1);
    let most = (word_count / MIN_WORDS_PER_KEYWORD).max(3);
    let message = if times < least {
        language
            .message("advice-frequency-low")
            .with("least", least)
    } else if times > most {
        language.message("advice-frequency-high").with("most", most)
    } else {
        language.message("advice-frequency-met")
    };
    let is_met = (least..=most).contains(&times);
    (is_met, message.with("times", times))
}

/// A text in the form in which people type searches: lowercase, without accents, and with single spaces
/// in place of everything that is neither letter nor digit.
fn folded(text: &str) -> String {
    let letters = NFKD.normalize_iter(text.chars()).take(MAX_SEARCHED);
    let letters = letters.filter(|c| !is_combining_mark(*c));
    let mut folded = String::with_capacity(text.len());
    let mut has_gap = false;
    for character in letters.flat_map(char::to_lowercase) {
        if !character.is_alphanumeric() {
            has_gap = true;
            continue;
        }
        if std::mem::take(&mut has_gap) && !folded.is_empty() {
            folded.push(' ');
        }
        folded.push(character);
    }
    folded
}

/// Folded texts, one a line. A search through all of them begins once, which takes as long as the keyword
/// is long. A folded keyword is within one line, since it has no line break.
fn folded_lines(texts: &[String]) -> String {
    let mut lines = String::new();
    for text in texts {
        lines.push_str(&folded(text));
        lines.push('\n');
        if lines.len() > MAX_SEARCHED {
            break;
        }
    }
    lines
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
fn count_matches(text: &str, keyword: &str) -> usize {
    let is_whole = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at + keyword.len()..].chars().next();
        is_boundary(before, keyword.chars().next())
            && is_boundary(after, keyword.chars().next_back())
    };
    let found = text.match_indices(keyword);
    found.filter(|(at, _)| is_whole(*at)).count()
}

/// Whether there is a word boundary between the first or last character of a keyword and the character
/// next to it.
fn is_boundary(outside: Option<char>, inside: Option<char>) -> bool {
    let is_in_spaced_word =
        |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post::id::PostId;
    use crate::post::time::Timestamp;

    fn hints(title: &str, body: &str, focus_keyword: &str) -> Vec<Hint> {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let post = PostSummary::new(PostId::generate(), Timestamp::from_micros(0))
            .with_title(text(title))
            .with_excerpt(handbill_markdown::check(body).unwrap().excerpt)
            .with_focus_keyword(text(focus_keyword));
        on(Language::fallback(), &post, body)
    }

    fn advice(title: &str, body: &str, focus_keyword: &str) -> Vec<String> {
        let hints = hints(title, body, focus_keyword).into_iter();
        hints.map(|hint| hint.advice.to_string()).collect()
    }

    fn met(title: &str, body: &str, focus_keyword: &str) -> Vec<&'static str> {
        let hints = hints(title, body, focus_keyword);
        assert!(hints.len() == 5 || hints.len() == 1);
        let met = hints.into_iter().filter(|hint| hint.is_met);
        met.map(|hint| hint.about).collect()
    }

    #[test]
    fn a_post_that_uses_its_keyword_well_meets_every_hint() {
        let good = "## On sourdough bread\n\nSourdough bread is what one makes of flour, water, \
            salt and patience.\n\nMore.";
        assert_eq!(
            met("How to bake sourdough bread", good, "Sourdough Bread"),
            ["title", "opening", "headings", "description", "frequency"]
        );
    }

    #[test]
    fn each_hint_says_what_to_do() {
        let language = Language::fallback();
        let text = |message: Message<'_>| message.to_string();
        let say = |message: &'static str| text(language.message(message));

        let short = language.message("advice-description-short");
        let low = language.message("advice-frequency-low").with("times", 0);
        assert_eq!(
            advice("Hello", "A short text.", "bread"),
            [
                say("advice-title-todo"),
                say("advice-opening-todo"),
                say("advice-headings-not-needed"),
                text(short.with("characters", 13).with("least", 50)),
                text(low.with("least", 1)),
            ]
        );

        let high = language.message("advice-frequency-high").with("times", 400);
        assert_eq!(
            advice("", &"bread ".repeat(400), "bread"),
            [
                say("advice-title-missing"),
                say("advice-opening-met"),
                say("advice-headings-missing"),
                say("advice-description-met"),
                text(high.with("most", 8)),
            ]
        );
        for none in ["", "?"] {
            assert!(advice("a", "b", none).is_empty(), "{none}");
        }
    }

    #[test]
    fn the_first_links_that_lead_nowhere_are_listed() {
        let links = |count| vec!["#a".to_owned(); count];
        assert_eq!(listed(&links(2)), "#a, #a");
        assert_eq!(listed(&links(9)), "#a, #a, #a, #a, #a, …");
    }

    #[test]
    fn a_keyword_is_found_within_one_heading_only() {
        let body = |headings: &str| format!("{headings}\n\nText.");
        for (headings, is_met) in [
            ("# On sour\n# dough bread", false),
            ("# On dough\n# Sour, dough", true),
            ("# Sour doughs", false),
        ] {
            let met = met("", &body(headings), "sour dough");
            assert_eq!(met.contains(&"headings"), is_met, "{headings}");
        }
    }

    #[test]
    fn of_a_long_text_the_beginning_is_searched() {
        let ligatures = "\u{FDFA}".repeat(100_000);
        assert!(folded(&ligatures).chars().count() <= MAX_SEARCHED);
        let headings = vec![ligatures; 3];
        assert!(folded_lines(&headings).chars().count() <= MAX_SEARCHED + 1);
        let headings = vec!["heading".to_owned(); 50_000];
        assert!(folded_lines(&headings).len() <= MAX_SEARCHED + 8);
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
            assert_eq!(
                count_matches(&folded(text), &folded(keyword)),
                found,
                "{text}"
            );
        }
    }
}
