//! The formats of front matter: YAML, TOML and JSON.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use super::{Raw, Tags, check_other, first_line, is_tags, known};

pub(super) fn parse_yaml(text: &str) -> Result<Raw, String> {
    let options = serde_saphyr::options! { with_snippet: false };
    let parsed: Result<Option<Raw>, _> = serde_saphyr::from_str_with_options(text, options);
    let raw = parsed.map_err(|error| format!("its YAML: {}", in_one_line(&error)))?;
    Ok(raw.unwrap_or_default())
}

pub(super) fn parse_toml(text: &str) -> Result<Raw, String> {
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| format!("its TOML: {}", in_one_line(&error.message())))?;
    let mut raw = Raw::default();
    for (name, value) in table {
        if let Some(name) = known(&name) {
            raw.add(name, Some(toml_text(name, value)?))?;
        } else if is_tags(&name) {
            raw.add_tags(match value {
                toml::Value::Array(items) => {
                    let items = items.into_iter().map(|item| toml_text("tags", item));
                    Tags(items.collect::<Result<_, _>>()?)
                }
                value => Tags::from_text(&toml_text("tags", value)?),
            })?;
        } else {
            check_other(&name)?;
        }
    }
    Ok(raw)
}

/// A text, or what stands for one, such as a date.
fn toml_text(name: &str, value: toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Float(number) => Ok(number.to_string()),
        toml::Value::Boolean(value) => Ok(value.to_string()),
        toml::Value::Datetime(date) => Ok(date.to_string()),
        toml::Value::Array(_) | toml::Value::Table(_) => Err(format!("{name}: a text is expected")),
    }
}

/// Whether a file begins with an object in JSON. Templates begin with `{%` or `{{`.
pub(super) fn is_json(text: &str) -> bool {
    let inside = text.strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with(['"', '}']))
}

pub(super) fn parse_json(text: &str) -> Result<(Raw, &str), String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Map<String, Json>>();
    let fault = |error| format!("its JSON: {}", in_one_line(&error));
    let object = values
        .next()
        .transpose()
        .map_err(fault)?
        .unwrap_or_default();
    let mut raw = Raw::default();
    for (name, value) in object {
        if let Some(name) = known(&name) {
            raw.add(name, json_text(name, value)?)?;
        } else if is_tags(&name) {
            raw.add_tags(match value {
                Json::Array(items) => {
                    let items = items.into_iter();
                    let items = items.map(|item| json_text("tags", item).transpose());
                    Tags(items.flatten().collect::<Result<_, _>>()?)
                }
                value => json_text("tags", value)?
                    .map_or_else(Tags::default, |text| Tags::from_text(&text)),
            })?;
        } else {
            check_other(&name)?;
        }
    }
    let body = &text[values.byte_offset()..];
    // The line of the brace ends before the body.
    let body = match first_line(body) {
        ("", rest) => rest,
        _ => body,
    };
    Ok((raw, body))
}

/// Where the object ends that a file begins with.
pub(super) fn json_end(text: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let _ = values.next();
    values.byte_offset()
}

/// A text, or what stands for one.
fn json_text(name: &str, value: Json) -> Result<Option<String>, String> {
    match value {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text)),
        Json::Number(number) => Ok(Some(number.to_string())),
        Json::Bool(value) => Ok(Some(value.to_string())),
        Json::Array(_) | Json::Object(_) => Err(format!("{name}: a text is expected")),
    }
}

fn in_one_line(error: &dyn fmt::Display) -> String {
    let text = error.to_string();
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ")
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("names with values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut values: A) -> Result<Raw, A::Error> {
        let mut raw = Raw::default();
        while let Some(name) = values.next_key::<String>()? {
            if let Some(name) = known(&name) {
                raw.add(name, values.next_value()?)
                    .map_err(A::Error::custom)?;
            } else if is_tags(&name) {
                raw.add_tags(values.next_value()?)
                    .map_err(A::Error::custom)?;
            } else {
                check_other(&name).map_err(A::Error::custom)?;
                values.next_value::<IgnoredAny>()?;
            }
        }
        Ok(raw)
    }
}

impl Tags {
    fn from_text(text: &str) -> Self {
        Self(text.split(',').map(str::to_owned).collect())
    }
}

impl<'de> Deserialize<'de> for Tags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TagsVisitor)
    }
}

struct TagsVisitor;

impl<'de> Visitor<'de> for TagsVisitor {
    type Value = Tags;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tags, or tags with commas between them")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tags, A::Error> {
        let mut tags = Vec::new();
        while let Some(tag) = items.next_element::<Option<String>>()? {
            tags.extend(tag);
        }
        Ok(Tags(tags))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Tags, E> {
        Ok(Tags::from_text(text))
    }

    fn visit_unit<E: Error>(self) -> Result<Tags, E> {
        Ok(Tags::default())
    }

    fn visit_none<E: Error>(self) -> Result<Tags, E> {
        Ok(Tags::default())
    }

    fn visit_bool<E: Error>(self, tag: bool) -> Result<Tags, E> {
        Ok(Tags(vec![tag.to_string()]))
    }

    fn visit_i64<E: Error>(self, tag: i64) -> Result<Tags, E> {
        Ok(Tags(vec![tag.to_string()]))
    }

    fn visit_u64<E: Error>(self, tag: u64) -> Result<Tags, E> {
        Ok(Tags(vec![tag.to_string()]))
    }

    fn visit_f64<E: Error>(self, tag: f64) -> Result<Tags, E> {
        Ok(Tags(vec![tag.to_string()]))
    }
}
