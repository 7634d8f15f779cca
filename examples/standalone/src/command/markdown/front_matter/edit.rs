//! Writes names of Handbill into front matter, each on a line of its own, and leaves every other byte as it is.

use super::{Format, FrontMatter, Origin, find, mark_len, split};

/// The text of a file, whose front matter says that it is this post. A name that is there gets its new value in its
/// line. A file without front matter gets some, in YAML.
///
/// What it returns was read again, so it says what it should and nothing else has changed.
pub(crate) fn with_origin(text: &str, origin: &Origin) -> Result<String, String> {
    let (before, body) = split(text)?;
    let edited = edit(text, &origin.lines())?;
    let (after, body_after) = split(&edited).map_err(|reason| refused(&reason))?;
    let expected = FrontMatter {
        origin: origin.clone(),
        ..before
    };
    match after == expected && body == body_after {
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
    let whole_lines = |format: Format, lines: &[(&str, &str)]| -> String {
        let lines = lines.iter();
        lines.map(|line| format.line(*line) + ending).collect()
    };
    let Some((format, place)) = find(text)? else {
        let (mark, body) = text.split_at(mark_len(text));
        let lines = whole_lines(Format::Yaml, lines);
        return Ok(format!("{mark}---{ending}{lines}---{ending}{ending}{body}"));
    };
    let mut missing = lines.to_vec();
    let mut matter = String::new();
    for line in text[place.clone()].split_inclusive('\n') {
        let found = missing
            .iter()
            .position(|(name, _)| format.has_name(line, name));
        match found.map(|at| missing.remove(at)) {
            Some(new) => matter += &format.replaced(line, new),
            None => matter += line,
        }
    }
    let matter = match format {
        Format::Yaml => matter + &whole_lines(format, &missing),
        // What follows a table belongs to it.
        Format::Toml => whole_lines(format, &missing) + &matter,
        Format::Json => with_members(matter, &missing, ending),
    };
    Ok([&text[..place.start], &matter, &text[place.end..]].concat())
}

/// An object in JSON that begins with these members, too.
fn with_members(object: String, members: &[(&str, &str)], ending: &str) -> String {
    if members.is_empty() {
        return object;
    }
    let members = members
        .iter()
        .map(|member| format!("{ending}  {}", Format::Json.line(*member)));
    let members = members.collect::<Vec<_>>().join(",");
    let rest = object.strip_prefix('{').unwrap_or(&object);
    match rest.trim_start() {
        end if end.starts_with('}') => format!("{{{members}{ending}{end}"),
        _ => format!("{{{members},{rest}"),
    }
}

impl Format {
    /// A line that gives a name a value, without its end.
    fn line(self, (name, value): (&str, &str)) -> String {
        // A text in JSON is the same text in YAML and in TOML.
        let value = serde_json::Value::from(value);
        match self {
            Self::Yaml => format!("{name}: {value}"),
            Self::Toml => format!("{name} = {value}"),
            Self::Json => format!("\"{name}\": {value}"),
        }
    }

    /// This line with a new value.
    fn replaced(self, line: &str, new: (&str, &str)) -> String {
        let ending = &line[line.trim_end_matches(['\r', '\n']).len()..];
        let space = &line[..line.len() - self.inside(line).len()];
        let has_comma = matches!(self, Self::Json) && line.trim_end().ends_with(',');
        let comma = if has_comma { "," } else { "" };
        format!("{space}{}{comma}{ending}", self.line(new))
    }

    /// Whether a line gives this name a value.
    fn has_name(self, line: &str, name: &str) -> bool {
        let inside = self.inside(line);
        let unquoted = inside.strip_prefix(['"', '\'']).unwrap_or(inside);
        let Some((found, rest)) = unquoted.split_at_checked(name.len()) else {
            return false;
        };
        let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest).trim_start();
        found.eq_ignore_ascii_case(name)
            && match self {
                Self::Yaml => rest.starts_with(':'),
                Self::Toml => rest.starts_with('='),
                Self::Json => rest.starts_with(':') && inside.starts_with('"'),
            }
    }

    /// A line from its name on.
    fn inside(self, line: &str) -> &str {
        match self {
            Self::Json => line.trim_start(),
            Self::Yaml | Self::Toml => line,
        }
    }
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
