//! Writes names of Handbill into front matter, each on a line of its own, and leaves every other byte as it is.

use super::formats::{is_json, json_end};
use super::{FrontMatter, Origin, first_line, split, until};

/// Where front matter is, and how a line in it looks.
enum Place {
    /// Lines with this separator between name and value, in this part of the file.
    Lines(char, usize, usize),
    /// An object in JSON, in this part of the file.
    Json(usize, usize),
    /// There is none. It belongs here.
    Nowhere(usize),
}

/// The text of a file, whose front matter says that it is this post. A name that is there gets its new value in its
/// line. A file without front matter gets some, in YAML.
///
/// What it returns was read again, so it says what it should and nothing else has changed.
pub(crate) fn with_origin(text: &str, origin: &Origin) -> Result<String, String> {
    let (before, body) = split(text)?;
    let edited = edit(text, &origin.lines())?;
    let (after, body_after) = split(&edited).map_err(|reason| refused(&reason))?;
    let others = |front_matter: FrontMatter| FrontMatter {
        origin: Origin::default(),
        ..front_matter
    };
    match after.origin == *origin && body == body_after && others(before) == others(after) {
        true => Ok(edited),
        false => Err(refused("other things would change")),
    }
}

fn refused(reason: &str) -> String {
    format!(
        "its front matter can't take the lines handbill_…, each of which must be a line of its own: {reason}"
    )
}

fn edit(text: &str, lines: &[(&str, &str)]) -> Result<String, String> {
    let ending = match text.split_once('\n') {
        Some((line, _)) if line.ends_with('\r') => "\r\n",
        _ => "\n",
    };
    Ok(match find(text)? {
        Place::Lines(separator, start, end) => {
            let mut missing = lines.to_vec();
            let mut matter = String::new();
            for line in text[start..end].split_inclusive('\n') {
                match missing
                    .iter()
                    .position(|(name, _)| has_name(line, name, separator))
                {
                    Some(at) => {
                        let (name, value) = missing.remove(at);
                        matter += &new_line(name, value, separator, ending_of(line));
                    }
                    None => matter += line,
                }
            }
            let missing = missing
                .iter()
                .map(|(name, value)| new_line(name, value, separator, ending));
            let missing: String = missing.collect();
            // In TOML, what follows a table belongs to it.
            let matter = match separator {
                '=' => missing + &matter,
                _ => matter + &missing,
            };
            [&text[..start], &matter, &text[end..]].concat()
        }
        Place::Json(start, end) => {
            let matter = edit_json(&text[start..end], lines, ending);
            [&text[..start], &matter, &text[end..]].concat()
        }
        Place::Nowhere(start) => {
            let lines = lines.iter();
            let lines = lines.map(|(name, value)| new_line(name, value, ':', ending));
            let lines: String = lines.collect();
            let (mark, body) = text.split_at(start);
            format!("{mark}---{ending}{lines}---{ending}{ending}{body}")
        }
    })
}

fn edit_json(object: &str, lines: &[(&str, &str)], ending: &str) -> String {
    let mut missing = lines.to_vec();
    let mut edited = String::new();
    for line in object.split_inclusive('\n') {
        let inside = line.trim_start();
        let is_line_of = |name: &str| inside.starts_with('"') && has_name(inside, name, ':');
        match missing.iter().position(|(name, _)| is_line_of(name)) {
            Some(at) => {
                let (name, value) = missing.remove(at);
                let space = &line[..line.len() - inside.len()];
                let comma = if line.trim_end().ends_with(',') {
                    ","
                } else {
                    ""
                };
                edited += &format!("{space}{}{comma}{}", member(name, value), ending_of(line));
            }
            None => edited += line,
        }
    }
    let rest = edited.strip_prefix('{').unwrap_or(&edited);
    let members = missing.iter().map(|(name, value)| member(name, value));
    let members: Vec<_> = members
        .map(|member| format!("{ending}  {member}"))
        .collect();
    let members = members.join(",");
    match rest.trim_start().starts_with('}') {
        true if !members.is_empty() => format!("{{{members}{ending}{}", rest.trim_start()),
        false if !members.is_empty() => format!("{{{members},{rest}"),
        _ => edited,
    }
}

fn find(text: &str) -> Result<Place, String> {
    let unmarked = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let start = unmarked.trim_start();
    let offset = text.len() - start.len();
    let (first, rest) = first_line(start);
    let (separator, ends): (_, &[&str]) = match first {
        "---" => (':', &["---", "..."]),
        "+++" => ('=', &["+++"]),
        _ if is_json(start) => return Ok(Place::Json(offset, offset + json_end(start))),
        _ => return Ok(Place::Nowhere(text.len() - unmarked.len())),
    };
    let begin = text.len() - rest.len();
    let (matter, _) = until(rest, ends)?;
    Ok(Place::Lines(separator, begin, begin + matter.len()))
}

/// Whether a line gives this name a value.
fn has_name(line: &str, name: &str, separator: char) -> bool {
    let unquoted = line.strip_prefix(['"', '\'']).unwrap_or(line);
    let Some((found, rest)) = unquoted.split_at_checked(name.len()) else {
        return false;
    };
    let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
    found.eq_ignore_ascii_case(name) && rest.trim_start().starts_with(separator)
}

fn ending_of(line: &str) -> &str {
    &line[line.trim_end_matches(['\r', '\n']).len()..]
}

fn new_line(name: &str, value: &str, separator: char, ending: &str) -> String {
    let value = quoted(value);
    match separator {
        '=' => format!("{name} = {value}{ending}"),
        _ => format!("{name}: {value}{ending}"),
    }
}

fn member(name: &str, value: &str) -> String {
    format!("\"{name}\": {}", quoted(value))
}

/// A text in JSON is the same text in YAML and in TOML.
fn quoted(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> Origin {
        Origin {
            server: Some("https://a.example".to_owned()),
            id: Some("bcdfghjklm".to_owned()),
            ..Origin::default()
        }
    }

    fn edited(text: &str) -> String {
        with_origin(text, &origin()).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    #[test]
    fn lines_are_added_and_every_other_byte_stays() {
        for (before, after) in [
            (
                "---\ntitle:   Odd  # spaced\nparams:\n  x: [1,\n    2]\n---\nBody\n",
                "---\ntitle:   Odd  # spaced\nparams:\n  x: [1,\n    2]\nhandbill_server: \"https://a.example\"\n\
                 handbill_id: \"bcdfghjklm\"\n---\nBody\n",
            ),
            (
                "\u{FEFF}---\r\ntitle: x\r\n---\r\n\r\nBody\r\n",
                "\u{FEFF}---\r\ntitle: x\r\nhandbill_server: \"https://a.example\"\r\nhandbill_id: \"bcdfghjklm\"\r\n\
                 ---\r\n\r\nBody\r\n",
            ),
            (
                "+++\ntitle = 'x'\n[params]\na = 1\n+++\nBody",
                "+++\nhandbill_server = \"https://a.example\"\nhandbill_id = \"bcdfghjklm\"\ntitle = 'x'\n[params]\na = 1\n\
                 +++\nBody",
            ),
            (
                "{\n  \"title\": \"x\"\n}\n\nBody",
                "{\n  \"handbill_server\": \"https://a.example\",\n  \"handbill_id\": \"bcdfghjklm\",\n  \"title\": \"x\"\n}\n\n\
                 Body",
            ),
            (
                "{}\nBody",
                "{\n  \"handbill_server\": \"https://a.example\",\n  \"handbill_id\": \"bcdfghjklm\"\n}\nBody",
            ),
            (
                "---\n---\nBody",
                "---\nhandbill_server: \"https://a.example\"\nhandbill_id: \"bcdfghjklm\"\n---\nBody",
            ),
            (
                "\n\nBody without front matter",
                "---\nhandbill_server: \"https://a.example\"\nhandbill_id: \"bcdfghjklm\"\n---\n\n\n\nBody without front \
                 matter",
            ),
            (
                "\u{FEFF}# Body\r\n",
                "\u{FEFF}---\r\nhandbill_server: \"https://a.example\"\r\nhandbill_id: \"bcdfghjklm\"\r\n---\r\n\r\n# Body\r\n",
            ),
        ] {
            assert_eq!(edited(before), after);
            assert_eq!(edited(after), after, "they are there already");
        }
    }

    #[test]
    fn a_name_that_is_there_gets_its_value_in_its_line() {
        for (before, after) in [
            (
                "---\nHandbill_ID : old # mine\ntitle: x\nhandbill_server: 'b'\n---\n",
                "---\nhandbill_id: \"bcdfghjklm\"\ntitle: x\nhandbill_server: \"https://a.example\"\n---\n",
            ),
            (
                "+++\ntitle = 'x'\r\nhandbill_id=\"old\"\r\nhandbill_server = \"b\"\n+++\n",
                "+++\ntitle = 'x'\r\nhandbill_id = \"bcdfghjklm\"\r\nhandbill_server = \"https://a.example\"\n+++\n",
            ),
            (
                "{\"a\": 1,\n\t\"handbill_id\": \"old\",\n\t\"handbill_server\": \"b\"\n}\nBody",
                "{\"a\": 1,\n\t\"handbill_id\": \"bcdfghjklm\",\n\t\"handbill_server\": \"https://a.example\"\n}\nBody",
            ),
        ] {
            assert_eq!(edited(before), after);
        }
    }

    #[test]
    fn front_matter_that_cannot_take_lines_is_refused() {
        for text in [
            "---\n{title: x}\n---\nBody",
            "{\"title\": \"x\", \"handbill_id\": \"old\"}\nBody",
            "---\ntext: |\n  a\nhandbill_id: {a: b}\n---\n",
            "+++\ntext = '''\nhandbill_id = 1\n'''\n+++\n",
            "---\ntitle: x\n",
        ] {
            assert!(with_origin(text, &origin()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_value_is_read_back_as_it_was_written() {
        let value = "2-a\\b'c:#{}";
        for text in ["---\n---\n", "+++\n+++\n", "{}\n", ""] {
            let origin = Origin {
                etag: Some(value.to_owned()),
                ..Origin::default()
            };
            let edited = with_origin(text, &origin).unwrap();
            assert_eq!(split(&edited).unwrap().0.origin, origin, "{edited}");
        }
    }
}
