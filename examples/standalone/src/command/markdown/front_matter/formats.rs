//! The formats of front matter: YAML, TOML and JSON.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle};
use serde::de::IgnoredAny;
use serde_json::{Map, Value as Json};
use toml::de::{DeTable, DeValue};

use super::value::{Member, Value};

/// Values may be as deep as this. Front matter of people has a depth of three or four.
const MAX_DEPTH: usize = 64;
/// More values than any front matter has. Aliases in YAML could multiply them.
const MAX_VALUES: usize = 100_000;

/// Reads YAML that begins at this line of its file.
pub(super) fn parse_yaml(text: &str, first_line: usize) -> Result<Vec<Member>, String> {
    let events = Parser::new_from_str(text).map(|event| match event {
        Ok((event, span)) => Ok((event, first_line - 1 + span.start.line())),
        Err(error) => {
            let hint = "quote a value that has “: ” in it or begins with a sign, and double a \\ in double quotes";
            let line = first_line - 1 + error.marker().line();
            Err(yaml_fault(&format!("{} ({hint})", error.info()), line))
        }
    });
    let mut reader = Reader {
        events,
        line: first_line,
        anchors: HashMap::new(),
        values: 0,
    };
    match reader.value(0)? {
        Some(Value::Map(members)) => Ok(members),
        Some(Value::Nothing) | None => Ok(Vec::new()),
        Some(_) => Err(reader.fault("lines “name: value” are expected")),
    }
}

fn yaml_fault(reason: &str, line: usize) -> String {
    format!("its YAML: {reason}, at line {line}")
}

/// Makes values of the events of YAML, each with its line.
struct Reader<I> {
    events: I,
    /// The line of the last event.
    line: usize,
    /// The values that aliases name.
    anchors: HashMap<usize, Value>,
    values: usize,
}

impl<'a, I: Iterator<Item = Result<(Event<'a>, usize), String>>> Reader<I> {
    /// The next value. `None` at the end of the value that it would be in.
    fn value(&mut self, depth: usize) -> Result<Option<Value>, String> {
        let Some((event, line)) = self.events.next().transpose()? else {
            return Ok(None);
        };
        self.line = line;
        let (anchor, value) = match event {
            Event::SequenceStart(..) | Event::MappingStart(..) if depth >= MAX_DEPTH => {
                return Err(self.fault("values are nested too deeply"));
            }
            Event::SequenceStart(_, anchor, _) => {
                let mut items = Vec::new();
                while let Some(item) = self.value(depth + 1)? {
                    items.push(item);
                }
                (anchor, Value::List(items))
            }
            Event::MappingStart(_, anchor, _) => {
                let mut members = Vec::new();
                while let Some(name) = self.value(depth + 1)? {
                    let line = self.line;
                    let value = self.value(depth + 1)?.unwrap_or(Value::Nothing);
                    // Other names are of no use here.
                    if let Value::Text(name) = name {
                        members.push(Member { name, value, line });
                    }
                }
                (anchor, Value::Map(members))
            }
            Event::SequenceEnd | Event::MappingEnd => return Ok(None),
            Event::Scalar(text, style, anchor, _) => match (style, &*text) {
                (ScalarStyle::Plain, "" | "~" | "null" | "Null" | "NULL") => {
                    (anchor, Value::Nothing)
                }
                _ => (anchor, Value::Text(text.into_owned())),
            },
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(value) => (0, value.clone()),
                None => return Err(self.fault("an alias is in the value that it names")),
            },
            _ => return self.value(depth),
        };
        self.values += value.count();
        if self.values > MAX_VALUES {
            return Err(self.fault("there are too many values"));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(Some(value))
    }

    fn fault(&self, reason: &str) -> String {
        yaml_fault(reason, self.line)
    }
}

/// Reads TOML that begins at this line of its file.
pub(super) fn parse_toml(text: &str, first_line: usize) -> Result<Vec<Member>, String> {
    let line_at = |at: usize| first_line + text[..at].matches('\n').count();
    let table = DeTable::parse(text).map_err(|error| {
        let line = line_at(error.span().unwrap_or_default().start);
        let reason = in_one_line(error.message());
        format!("its TOML: {reason}, at line {line}")
    })?;
    let members = table.into_inner().into_iter().map(|(name, value)| Member {
        line: line_at(name.span().start),
        name: name.into_inner().into_owned(),
        value: of_toml(value.into_inner()),
    });
    Ok(members.collect())
}

fn of_toml(value: DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => Value::Text(number.to_string()),
        DeValue::Float(number) => Value::Text(number.to_string()),
        DeValue::Boolean(value) => Value::Text(value.to_string()),
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Array(items) => {
            let items = items.into_iter().map(|item| of_toml(item.into_inner()));
            Value::List(items.collect())
        }
        DeValue::Table(table) => {
            let members = table.into_iter().map(|(name, value)| Member {
                name: name.into_inner().into_owned(),
                value: of_toml(value.into_inner()),
                line: 0,
            });
            Value::Map(members.collect())
        }
    }
}

/// Whether a file begins with an object in JSON. Templates begin with `{%` or `{{`.
pub(super) fn is_json(text: &str) -> bool {
    let inside = text.strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with(['"', '}']))
}

/// The length of the object that a text begins with. All of the text counts if it is faulty, so that reading it says
/// why.
pub(super) fn json_len(text: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => text.len(),
    }
}

/// Reads an object in JSON that begins at this line of its file.
pub(super) fn parse_json(text: &str, first: usize) -> Result<Vec<Member>, String> {
    let object: Map<String, Json> = serde_json::from_str(text).map_err(|error| {
        let (reason, line) = (error.to_string(), first - 1 + error.line());
        let reason = in_one_line(reason.split(" at line ").next().unwrap_or_default());
        format!("its JSON: {reason}, at line {line}")
    })?;
    let line_of = |name: &str| {
        let name = Json::from(name).to_string();
        let before = text.find(&name).map_or("", |at| &text[..at]);
        first + before.matches('\n').count()
    };
    let members = object.into_iter().map(|(name, value)| Member {
        line: line_of(&name),
        name,
        value: of_json(value),
    });
    Ok(members.collect())
}

fn of_json(value: Json) -> Value {
    match value {
        Json::Null => Value::Nothing,
        Json::String(text) => Value::Text(text),
        Json::Number(number) => Value::Text(number.to_string()),
        Json::Bool(value) => Value::Text(value.to_string()),
        Json::Array(items) => Value::List(items.into_iter().map(of_json).collect()),
        Json::Object(object) => {
            let members = object.into_iter().map(|(name, value)| Member {
                name,
                value: of_json(value),
                line: 0,
            });
            Value::Map(members.collect())
        }
    }
}

fn in_one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ")
}
