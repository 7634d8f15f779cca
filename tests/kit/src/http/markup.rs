//! A small parser for the service's own pages. It understands no other HTML.

use super::TestResponse;

/// An opening tag.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
}

impl Tag {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| &**value)
    }
}

/// The content of the first `meta` tag of this name, or of this property.
pub(super) fn meta(page: &TestResponse, name: &str) -> Option<String> {
    let tags = tags(page);
    let is_named =
        |tag: &&Tag| [tag.attribute("name"), tag.attribute("property")].contains(&Some(name));
    let found = tags.iter().find(is_named)?;
    found.attribute("content").map(str::to_owned)
}

/// All opening tags of a page. Text has no `<`, since it is escaped.
pub(super) fn tags(page: &TestResponse) -> Vec<Tag> {
    let inside = page.text().split('<').skip(1);
    let opening = inside.filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic()));
    opening.map(read).collect()
}

/// All tags of a page by name, closing ones with their slash, and the text after each. The colours of code are left
/// out.
pub(super) fn pieces(page: &TestResponse) -> Vec<(String, String)> {
    let html = without_colours(page);
    let inside = html.split('<').skip(1);
    let pieces = inside.filter_map(|piece| piece.split_once('>'));
    let pieces = pieces.map(|(tag, text)| {
        let name = tag.split_whitespace().next().unwrap_or_default();
        (name.to_owned(), unescaped(text))
    });
    pieces.collect()
}

/// The page without the tags that colour code.
fn without_colours(page: &TestResponse) -> String {
    let text = page.text().replace("</span>", "");
    let parts = text.split("<span class=\"hl-").enumerate();
    let plain = parts.map(|(n, part)| match n {
        0 => part,
        _ => part.split_once('>').map_or(part, |(_, text)| text),
    });
    plain.collect()
}

fn read(tag: &str) -> Tag {
    let end = tag.find(|c: char| c.is_whitespace() || c == '>');
    let (name, mut rest) = tag.split_at(end.unwrap_or(tag.len()));
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        let end = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '=');
        let Some(end) = end.filter(|end| *end > 0) else {
            break;
        };
        let (name, after) = rest.split_at(end);
        let value = after.strip_prefix("=\"").and_then(|v| v.split_once('"'));
        let (value, after) = value.unwrap_or(("", after));
        attributes.push((name.to_owned(), unescaped(value)));
        rest = after;
    }
    Tag {
        name: name.to_owned(),
        attributes,
    }
}

fn unescaped(text: &str) -> String {
    let mut pieces = text.split('&');
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (reference, rest) = piece.split_once(';').unwrap_or((piece, ""));
        let number = reference.strip_prefix('#').and_then(|n| n.parse().ok());
        whole.extend(match reference {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "amp" => Some('&'),
            _ => number.and_then(char::from_u32),
        });
        whole.push_str(rest);
    }
    whole
}

/// The value of a form field, or the text in it.
#[track_caller]
pub(super) fn field(page: &TestResponse, name: &str) -> String {
    let mut pieces = page.text().split('<').skip(1);
    let value = pieces.find_map(|piece| {
        let tag = read(piece);
        let is_field = tag.attribute("name") == Some(name);
        match tag.attribute("value").filter(|_| is_field) {
            None if is_field && tag.name == "textarea" => Some(unescaped(piece.split_once('>')?.1)),
            value => value.map(str::to_owned),
        }
    });
    value.unwrap_or_else(|| panic!("{page}: it has no field {name}"))
}
