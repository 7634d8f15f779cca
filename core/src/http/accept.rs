//! What a client accepts and prefers, by the weights in its headers (RFC 9110, section 12.5).

use http::header::{self, HeaderMap, HeaderName};

/// How much a client wants a media type: the quality value, from 0 for a type that the client does not accept, and
/// where the client names the type itself, counted backwards so that an earlier place is greater. The place is zero for
/// a type that only a range such as `*/*` covers.
type Preference = (f32, usize);

/// Whether a client prefers this media type over the other: by quality value, and with equal values by
/// which of them the client names, or names first. Without a preference it gets the other.
pub(crate) fn prefers(headers: &HeaderMap, media_type: &str, other: &str) -> bool {
    let this = preference(headers, media_type);
    this.0 > 0.0 && this > preference(headers, other)
}

/// Whether a client names this media type among those that it accepts.
pub(crate) fn names(headers: &HeaderMap, media_type: &str) -> bool {
    let (quality, place) = preference(headers, media_type);
    place > 0 && quality > 0.0
}

/// The most specific range that covers a media type decides.
fn preference(headers: &HeaderMap, media_type: &str) -> Preference {
    let essence = media_type.split(';').next().unwrap_or_default();
    let main = essence.split('/').next().unwrap_or_default();
    let (mut found, mut most_specific) = ((0.0, 0), 0);
    for (number, (range, quality)) in weighted(headers, header::ACCEPT).enumerate() {
        let specificity = match range.split_once('/') {
            Some(_) if range.eq_ignore_ascii_case(essence) => 3,
            Some((named, "*")) if named.eq_ignore_ascii_case(main) => 2,
            Some(("*", "*")) => 1,
            _ => continue,
        };
        if specificity > most_specific {
            let place = if specificity == 3 {
                usize::MAX - number
            } else {
                0
            };
            (found, most_specific) = ((quality, place), specificity);
        }
    }
    found
}

/// The items of a list that clients weight, such as `Accept`, with their quality values (RFC 9110, section 12.4.2).
pub(crate) fn weighted(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = (&str, f32)> {
    let lines = headers.get_all(name).into_iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(|item| {
        let mut parts = item.split(';').map(str::trim);
        (parts.next().unwrap_or_default(), quality(parts))
    })
}

/// A missing quality value is 1, and a malformed one is 0.
fn quality<'a>(mut parameters: impl Iterator<Item = &'a str>) -> f32 {
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
