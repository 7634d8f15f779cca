//! The weights in headers of a client (RFC 9110, section 12.4.2).

use http::header::{HeaderMap, HeaderName};

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
