//! Draws cards: the name of a post in large letters, and the name of the site below.

mod canvas;

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, ScaleFont};
use icu_normalizer::ComposingNormalizerBorrowed;

use self::canvas::{Canvas, HEIGHT, Ink, WIDTH};

/// Inter SemiBold (`OFL.txt`) with the letters of the Latin, Greek and Cyrillic scripts.
static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    let font = FontRef::try_from_slice(include_bytes!("../inter-semibold.otf"));
    font.unwrap_or_else(|_| unreachable!("the font is a part of the program"))
});

const NFC: ComposingNormalizerBorrowed<'_> = ComposingNormalizerBorrowed::new_nfc();

const MARGIN: f32 = 80.0;
/// The sizes of a post's name in pixels. A long name is drawn in a smaller size.
const SIZES: [f32; 5] = [120.0, 92.0, 76.0, 64.0, 52.0];
/// The height of a line, as a multiple of its size.
const LINE: f32 = 1.2;
/// The space for the name, from the margin down.
const NAME_HEIGHT: f32 = 380.0;
const SITE_SIZE: f32 = 36.0;

/// The texts of a card, without characters that the font lacks.
pub(super) struct Card {
    name: String,
    site: String,
}

impl Card {
    /// A card, if the font has the letters of the name.
    pub(super) fn of(name: &str, site: &str) -> Option<Self> {
        let name = drawable(name)?;
        let site = drawable(site).unwrap_or_default();
        (!name.is_empty()).then_some(Self { name, site })
    }

    pub(super) fn draw(&self) -> Vec<u8> {
        let mut canvas = Canvas::new();
        let (size, lines) = fit(&self.name);
        let mut baseline = MARGIN + size;
        for line in &lines {
            canvas.write(line, &FONT.as_scaled(size), (MARGIN, baseline), Ink::Name);
            baseline += size * LINE;
        }
        let site = match fits(&self.site, SITE_SIZE) {
            true => self.site.clone(),
            false => with_ellipsis(&self.site, SITE_SIZE),
        };
        let place = (MARGIN, HEIGHT as f32 - MARGIN);
        canvas.write(&site, &FONT.as_scaled(SITE_SIZE), place, Ink::Site);
        canvas.into_png()
    }
}

/// The text without symbols that the font lacks, such as emoji. `None` if it lacks a letter or a digit.
fn drawable(text: &str) -> Option<String> {
    let (mut shown, has) = (String::new(), |c: char| FONT.glyph_id(c).0 != 0);
    for character in NFC.normalize_iter(text.chars()) {
        if character.is_whitespace() {
            shown.push(' ');
        } else if has(character) {
            shown.push(character);
        } else if character.is_alphanumeric() {
            return None;
        }
    }
    Some(shown.trim().to_owned())
}

/// The largest size at which the name fits, and its lines. What does not fit in the smallest size is cut.
fn fit(name: &str) -> (f32, Vec<String>) {
    let (mut size, mut lines) = (0.0, Vec::new());
    for smaller in SIZES {
        (size, lines) = (smaller, wrap_lines(name, smaller));
        if lines.len() <= max_lines(size) {
            return (size, lines);
        }
    }
    let cut = lines.swap_remove(max_lines(size) - 1);
    lines.truncate(max_lines(size) - 1);
    lines.push(with_ellipsis(&cut, size));
    (size, lines)
}

/// The number of lines that there is room for.
fn max_lines(size: f32) -> usize {
    (NAME_HEIGHT / (size * LINE)) as usize
}

/// Breaks a text into lines between words, and within words that are longer than a line.
fn wrap_lines(text: &str, size: f32) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        let longer = match line.is_empty() {
            true => word.to_owned(),
            false => format!("{line} {word}"),
        };
        if fits(&longer, size) {
            line = longer;
            continue;
        }
        lines.extend((!line.is_empty()).then_some(line));
        line = String::new();
        for character in word.chars() {
            line.push(character);
            if !fits(&line, size) {
                line.pop();
                lines.push(line);
                line = character.to_string();
            }
        }
    }
    lines.push(line);
    lines
}

/// The text, ending in `…`, or as much of it as fits.
fn with_ellipsis(text: &str, size: f32) -> String {
    let longer = format!("{text} …");
    let lengths = (1..longer.chars().count()).rev();
    let mut shown = lengths.map(|len| handbill_markdown::cut(longer.clone(), len));
    shown.find(|shown| fits(shown, size)).unwrap_or_default()
}

fn fits(text: &str, size: f32) -> bool {
    let font = FONT.as_scaled(size);
    let advance = |character| font.h_advance(font.glyph_id(character));
    let width: f32 = text.chars().map(advance).sum();
    width <= WIDTH as f32 - 2.0 * MARGIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_drawn_if_the_font_has_its_letters() {
        for (name, drawn) in [
            (
                "Grüße, Ελλάδα, Україна, Tiếng Việt",
                Some("Grüße, Ελλάδα, Україна, Tiếng Việt"),
            ),
            ("e\u{301}te\u{301}", Some("été")),
            ("Hello 👋\u{200D}🌍 world", Some("Hello  world")),
            ("عنوان", None),
            ("Tokyo 東京", None),
            ("👋", None),
        ] {
            let card = Card::of(name, "example.org");
            assert_eq!(card.as_ref().map(|card| &*card.name), drawn, "{name}");
        }
    }

    #[test]
    fn each_line_fits_and_nothing_is_lost_but_the_end_of_long_names() {
        let names = [
            "A",
            &"word ".repeat(40),
            &"W".repeat(200),
            &"ab ".repeat(66),
        ];
        for name in names.map(str::trim) {
            let (size, lines) = fit(name);
            assert!(lines.iter().all(|line| fits(line, size)), "{lines:?}");
            assert!(lines.len() as f32 * size * LINE <= NAME_HEIGHT, "{lines:?}");
            let letters = |text: &str| text.replace(' ', "");
            let shown = letters(&lines.concat());
            match shown.strip_suffix('…') {
                Some(beginning) => assert!(letters(name).starts_with(beginning)),
                None => assert_eq!(shown, letters(name)),
            }
        }
    }
}
