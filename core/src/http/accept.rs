//! Which of two media types a client prefers, according to `Accept` (RFC 9110, section 12.5.1).

use http::header::{self, HeaderMap};

/// How much a client wants a media type.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Preference {
    /// The quality value, from 0 for a type that the client does not accept.
    quality: f32,
    /// Where the client names the type itself, counted backwards so that an earlier place is greater. Zero
    /// for a type that only a range such as `*/*` covers.
    place: usize,
}

/// Whether a client prefers this media type over the other: by quality value, and with equal values by
/// which of them the client names, or names first. Without a preference it gets the other.
pub(crate) fn prefers(headers: &HeaderMap, media_type: &str, other: &str) -> bool {
    let ranges = ranges(headers);
    let (this, other) = (preference(&ranges, media_type), preference(&ranges, other));
    if this.quality == other.quality {
        return this.quality > 0.0 && this.place > other.place;
    }
    this.quality > other.quality
}

/// Whether a client names this media type among those that it accepts.
pub(crate) fn names(headers: &HeaderMap, media_type: &str) -> bool {
    let preference = preference(&ranges(headers), media_type);
    preference.place > 0 && preference.quality > 0.0
}

fn ranges(headers: &HeaderMap) -> Vec<&str> {
    let lines = headers.get_all(header::ACCEPT).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .collect()
}

/// The most specific range that covers a media type decides.
fn preference(ranges: &[&str], media_type: &str) -> Preference {
    let essence = media_type.split(';').next().unwrap_or_default();
    let main = essence.split('/').next().unwrap_or_default();
    let mut found = (
        0,
        Preference {
            quality: 0.0,
            place: 0,
        },
    );
    for (number, range) in ranges.iter().enumerate() {
        let mut parts = range.split(';').map(str::trim);
        let range = parts.next().unwrap_or_default();
        let specificity = match range.split_once('/') {
            Some(_) if range.eq_ignore_ascii_case(essence) => 3,
            Some((named, "*")) if named.eq_ignore_ascii_case(main) => 2,
            Some(("*", "*")) => 1,
            _ => continue,
        };
        if specificity > found.0 {
            let place = if specificity == 3 {
                ranges.len() - number
            } else {
                0
            };
            let quality = quality(parts);
            found = (specificity, Preference { quality, place });
        }
    }
    found.1
}

/// The quality value among the parameters of a range (RFC 9110, section 12.4.2). A missing one is 1, and a malformed
/// one is 0.
pub(crate) fn quality<'a>(mut parameters: impl Iterator<Item = &'a str>) -> f32 {
    let value = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("q")
            .then_some(value.trim())
    });
    let value = value.map_or(Ok(1.0), str::parse);
    value
        .ok()
        .filter(|value| (0.0..=1.0).contains(value))
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_prefers_what_has_the_higher_quality_or_is_named_first() {
        for (accept, prefers_markdown) in [
            ("text/markdown", true),
            ("TEXT/Markdown ; charset=utf-8", true),
            ("text/markdown, text/html;q=0.9", true),
            ("text/markdown, text/html, */*", true),
            ("text/markdown, */*", true),
            ("text/markdown;q=0.5, */*;q=0.1", true),
            ("text/*;q=0.5, text/markdown", true),
            ("text/html;q=0, */*", true),
            ("text/markdown;q=0.2, text/html;q=0.1, text/*", true),
            ("", false),
            ("*/*", false),
            ("text/*", false),
            ("text/html, text/markdown", false),
            ("text/markdown;q=0.9, text/html", false),
            ("text/markdown;q=0.9, */*", false),
            ("text/markdown;q=0", false),
            ("text/markdown;q=0, text/html;q=0", false),
            ("text/markdown;q=2", false),
            ("text/markdown;q=x", false),
            ("text/markdownish", false),
            ("text/html,application/xhtml+xml,*/*;q=0.8", false),
            ("application/json", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            let found = prefers(&headers, "text/markdown; charset=utf-8", "text/html");
            assert_eq!(found, prefers_markdown, "{accept}");
        }
        let mut lines = HeaderMap::new();
        lines.append(header::ACCEPT, "text/html;q=0.5".parse().unwrap());
        lines.append(header::ACCEPT, "text/markdown".parse().unwrap());
        assert!(prefers(&lines, "text/markdown", "text/html"));
        assert!(!prefers(&HeaderMap::new(), "text/markdown", "text/html"));
    }

    #[test]
    fn a_browser_names_html() {
        for (accept, is_browser) in [
            ("text/html,application/xhtml+xml,*/*;q=0.8", true),
            ("application/json, Text/HTML;q=0.1", true),
            ("text/html;q=0, */*", false),
            ("text/*", false),
            ("*/*", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(names(&headers, "text/html"), is_browser, "{accept}");
        }
    }
}
