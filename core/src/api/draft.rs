//! The fields of a post in the JSON of a request.

use bytes::Bytes;
use serde_json::{Map, Value};

use crate::context::Context;
use crate::http::{Head, json};
use crate::operations::posts::ParseDraft;
use crate::post::{Draft, DraftTags, DueField, FieldError, TextField};
use crate::problem::Problem;

/// What reads return and updates pass over, so that a client may send back what it read.
pub(super) const READ_ONLY: [&str; 7] = [
    "id",
    "url",
    "html",
    "excerpt",
    "created_at",
    "published_at",
    "updated_at",
];

/// Parses the body of a request and validates the draft in it. Fields among the `ignored` ones have no effect.
pub(super) async fn parse<T: Send + 'static>(
    context: &Context,
    head: &Head,
    body: &Bytes,
    ignored: &'static [&str],
    parse: ParseDraft<T>,
) -> Result<T, Problem> {
    let writes = &context.queues.writes;
    let permit = writes.permit(head.client, body.len()).await?;
    let (body, limits) = (body.clone(), context.limits.clone());
    permit
        .run(move || {
            let (draft, errors) = read(json::object(&body)?, ignored);
            all_valid(parse(draft, &limits), errors)
        })
        .await
}

/// What was parsed, if there are no errors in what was read. Otherwise all errors.
fn all_valid<T>(parsed: Result<T, Vec<FieldError>>, errors: Vec<FieldError>) -> Result<T, Problem> {
    match parsed {
        Ok(valid) if errors.is_empty() => Ok(valid),
        Ok(_) => Err(Problem::invalid_fields(errors)),
        Err(more) => {
            // A field of the wrong type is not in the draft. Don't report it as missing, too.
            let is_new = |error: &FieldError| errors.iter().all(|known| known.field != error.field);
            let mut all: Vec<_> = more.into_iter().filter(is_new).collect();
            all.extend(errors);
            Err(Problem::invalid_fields(all))
        }
    }
}

/// Reads the fields of a JSON object. Returns an error for each field of the wrong type and for each
/// unknown field that is not among the `ignored` ones.
fn read(object: Map<String, Value>, ignored: &[&str]) -> (Draft, Vec<FieldError>) {
    let mut draft = Draft::default();
    let mut errors = Vec::new();
    for (name, value) in object {
        let read = match name.as_str() {
            "body" => text(&name, value).map(|text| draft.body = Some(text)),
            "visibility" => text(&name, value).map(|text| draft.visibility = Some(text)),
            "tags" => tags(value).map(|tags| draft.tags = Some(tags)),
            name => {
                let field = match (TextField::named(name), DueField::named(name)) {
                    (Some(field), _) => Some(&mut draft.texts[field as usize]),
                    (None, Some(field)) => Some(&mut draft.times[field as usize]),
                    (None, None) => None,
                };
                match field {
                    Some(field) => text(name, value).map(|text| *field = Some(text)),
                    None if ignored.contains(&name) => Ok(()),
                    None => Err(json::unknown_field(name)),
                }
            }
        };
        errors.extend(read.err());
    }
    (draft, errors)
}

/// Reads a string. Null counts as an empty string.
fn text(field: &str, value: Value) -> Result<String, FieldError> {
    match value {
        Value::String(text) => Ok(text),
        Value::Null => Ok(String::new()),
        other => Err(json::wrong_type(field, "a string or null", &other)),
    }
}

fn tags(value: Value) -> Result<DraftTags, FieldError> {
    const EXPECTED: &str = "a string, an array of strings or null";
    match value {
        Value::String(text) => Ok(DraftTags::Text(text)),
        Value::Null => Ok(DraftTags::List(Vec::new())),
        Value::Array(items) => {
            let texts = items.into_iter().map(|item| match item {
                Value::String(text) => Ok(text),
                other => Err(json::wrong_type("tags", EXPECTED, &other)),
            });
            texts.collect::<Result<_, _>>().map(DraftTags::List)
        }
        other => Err(json::wrong_type("tags", EXPECTED, &other)),
    }
}
