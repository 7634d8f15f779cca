//! Strict parsing of JSON objects: duplicate names at any depth and trailing data are errors.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::post::{FieldError, FieldFault};
use crate::problem::{Code, Problem};

/// Parses a JSON object.
///
/// Depth is bounded by `serde_json` (128), and strings are UTF-8 without lone surrogates.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, Problem> {
    let invalid = |detail: String| Problem::new(Code::InvalidJson, detail);
    match serde_json::from_slice(bytes) {
        Ok(StrictValue(Value::Object(object))) => Ok(object),
        Ok(StrictValue(other)) => Err(invalid(format!(
            "The body must be a JSON object, not {}.",
            kind(&other)
        ))),
        Err(error) => Err(invalid(format!("The body is not valid JSON: {error}."))),
    }
}

pub(crate) fn wrong_type(field: &str, expected: &str, value: &Value) -> FieldError {
    let detail = format!("{expected}; this is {}", kind(value));
    FieldError::new(field, FieldFault::WrongType, detail)
}

pub(crate) fn unknown_field(name: &str) -> FieldError {
    FieldError::new(name, FieldFault::UnknownField, "no field has this name")
}

/// The type of a value, in words.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A value without duplicate names in its objects.
struct StrictValue(Value);

impl<'de> Deserialize<'de> for StrictValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(StrictValue(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, StrictValue(value))) = entries.next_entry::<String, StrictValue>()? {
            if object.contains_key(&name) {
                let shown: String = name.chars().take(50).collect();
                return Err(A::Error::custom(format_args!(
                    "the name {shown:?} appears twice"
                )));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_strictly() {
        assert_eq!(object(br#" {"a": [1, {"b": null}]} "#).unwrap().len(), 1);
        for invalid in [
            "",
            "[]",
            "null",
            "{",
            "{} {}",
            r#"{"a":1,"a":1}"#,
            r#"{"a":{"b":1,"b":2}}"#,
            r#"{"a":"\ud800"}"#,
            "{\"a\":\"\n\"}",
            "{'a':1}",
            "{\"a\":1,}",
            "\u{FEFF}{}",
        ] {
            assert_eq!(
                object(invalid.as_bytes()).unwrap_err().code(),
                Code::InvalidJson
            );
        }
        assert!(object(b"{\"a\":\"\xFF\"}").is_err());
        assert!(object(format!("{{\"a\":{}", "[".repeat(100_000)).as_bytes()).is_err());
    }
}
