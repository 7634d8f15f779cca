//! Links to the headings of the same text, as this and other tools write them.

use std::collections::HashMap;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::props::{EnumeratedProperty, GeneralCategory, GeneralCategoryGroup};

use super::heading_ids::Heading;
use super::html::Id;

const NFC: ComposingNormalizerBorrowed<'_> = ComposingNormalizerBorrowed::new_nfc();

/// What GitHub keeps of a heading, besides hyphens.
const WORD: GeneralCategoryGroup = GeneralCategoryGroup::Letter
    .union(GeneralCategoryGroup::Mark)
    .union(GeneralCategoryGroup::DecimalNumber)
    .union(GeneralCategoryGroup::ConnectorPunctuation);

/// The headings of a text by what a fragment may call them.
pub(super) struct Targets<'a> {
    /// By their identifiers, without the prefix.
    by_identifier: HashMap<String, &'a Id>,
    /// By the slugs that GitHub makes.
    by_slug_on_github: HashMap<String, &'a Id>,
}

impl<'a> Targets<'a> {
    pub(super) fn of(headings: &'a [Heading]) -> Self {
        let mut by_identifier = HashMap::new();
        let mut by_slug_on_github = HashMap::new();
        let mut counts = HashMap::<_, u32>::new();
        for Heading { id, text } in headings {
            if let Some(identifier) = id.as_str().strip_prefix(Id::HEADING) {
                by_identifier.insert(folded(identifier), id);
            }
            let slug = slug_on_github(text);
            let count = counts.entry(slug.clone()).or_insert(0);
            let slug = match *count {
                0 => slug,
                count => format!("{slug}-{count}"),
            };
            *count += 1;
            by_slug_on_github.entry(slug).or_insert(id);
        }
        Self {
            by_identifier,
            by_slug_on_github,
        }
    }

    /// The heading that a fragment means. Without the prefix, other tools wrote it, so their numbers come first.
    pub(super) fn find(&self, fragment: &str) -> Option<&'a Id> {
        let fragment = folded(fragment);
        let bare = fragment.strip_prefix(Id::HEADING);
        let (ours, others) = (&self.by_identifier, &self.by_slug_on_github);
        let found = bare.and_then(|slug| ours.get(slug));
        let found = found.or_else(|| others.get(&fragment));
        let found = found.or_else(|| ours.get(&fragment));
        found.or_else(|| others.get(bare?)).copied()
    }
}

/// A heading as GitHub makes a slug of it: what is neither a word's nor white space is left out.
fn slug_on_github(heading: &str) -> String {
    let folded = folded(heading);
    let kept = folded.chars().filter_map(|character| match character {
        '-' => Some('-'),
        _ if character.is_whitespace() => Some('-'),
        _ => WORD
            .contains(GeneralCategory::for_char(character))
            .then_some(character),
    });
    kept.collect()
}

/// A text whose case and form of characters make no difference.
fn folded(text: &str) -> String {
    NFC.normalize(&text.to_lowercase()).into_owned()
}

#[cfg(test)]
mod tests {
    use crate::{Rendered, Style, render};

    /// Where a link leads in a text with headings.
    fn led(headings: &str, fragment: &str) -> Rendered {
        render(
            &format!("[x](<#{fragment}>)\n\n{headings}"),
            &Style::default(),
        )
    }

    #[test]
    fn a_fragment_leads_to_the_heading_whose_slug_it_is() {
        for (headings, fragment, id) in [
            ("## Usage", "usage", "h-usage"),
            ("## Usage", "h-usage", "h-usage"),
            ("## Usage", "Usage", "h-usage"),
            (
                "## Don't *stop*: `a_b` & go!",
                "dont-stop-a_b--go",
                "h-don-t-stop-a-b-go",
            ),
            (
                "## Don't *stop*: `a_b` & go!",
                "h-dont-stop-a_b--go",
                "h-don-t-stop-a-b-go",
            ),
            (
                "## Don't *stop*: `a_b` & go!",
                "don-t-stop-a-b-go",
                "h-don-t-stop-a-b-go",
            ),
            ("## 🚀 Launch", "-launch", "h-launch"),
            ("## 🚀 Launch", "launch", "h-launch"),
            ("## 日本語 見出し", "日本語-見出し", "h-日本語-見出し"),
            ("## Été", "%C3%A9t%C3%A9", "h-été"),
            ("# A\n# A\n# A", "a-1", "h-a-2"),
            ("# A\n# A\n# A", "a-2", "h-a-3"),
            ("# A\n# A\n# A", "h-a-2", "h-a-2"),
            ("# A\n# A", "a-2", "h-a-2"),
            ("# H things", "h-things", "h-h-things"),
            ("# 🚀\n# 🚀", "-1", "h--2"),
        ] {
            let led = led(headings, fragment);
            assert!(
                led.html.contains(&format!("href=\"#{id}\"")),
                "{fragment}: {led:?}"
            );
            assert!(led.dead_links.is_empty(), "{led:?}");
        }
        let long = led(
            &format!("# {}", "word ".repeat(2_000)),
            &["word"; 2_000].join("-"),
        );
        assert!(long.dead_links.is_empty());
    }

    #[test]
    fn links_that_lead_nowhere_are_named_once() {
        let source = "[a](#nowhere) [b](#top) [c](#) [d](#nowhere) [e](#d%C3%A9j%C3%A0)[^f]\n\n\
            [f](#fn-1) [g](#fnref-1) [h](#fn-2) [i](other#there)\n\n[^f]: [j](#b)\n\n    # B";
        let rendered = render(source, &Style::default());
        assert_eq!(rendered.dead_links, ["#nowhere", "#déjà", "#fn-2"]);
        assert!(rendered.html.contains("href=\"#h-b\""));
        assert!(rendered.html.contains("href=\"#nowhere\""));
    }
}
