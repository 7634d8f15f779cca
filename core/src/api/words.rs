//! The texts of the document. They are the English messages of the docs page, so that both say the
//! same. They are CommonMark: text between backticks is code.

use utoipa::openapi::security::{ApiKey, SecurityScheme};
use utoipa::openapi::{Components, OpenApi as Document, RefOr, Schema};

use super::openapi;
use crate::language::Language;

/// Schemas whose fields the messages explain.
const SCHEMAS: [&str; 4] = ["NewPost", "PostChange", "NewKey", "Post"];

/// Puts the texts into the document.
pub(super) fn fill(document: &mut Document) {
    let english = Language::fallback();
    for_each_text(document, |message, target| {
        let text = english.message(message).to_string();
        match target {
            Target::Description(description) => *description = Some(text),
            Target::SummaryAndDescription(summary, description) => {
                let (first, rest) = text.split_once(". ").unzip();
                *description = rest.map(str::to_owned);
                *summary = Some(first.map_or(text.clone(), |first| format!("{first}.")));
            }
        }
    });
}

/// The names of all messages in the document.
#[cfg(test)]
pub(super) fn messages(document: &mut Document) -> Vec<String> {
    let mut names = Vec::new();
    for_each_text(document, |message, _| names.push(message));
    names
}

/// The message that says what an operation does.
pub(crate) fn of_operation(id: &str) -> String {
    format!("op-{id}")
}

/// The message that explains a parameter or header of requests.
pub(crate) fn of_parameter(name: &str) -> String {
    format!("param-{name}")
}

/// The message that explains a field.
pub(crate) fn of_field(name: &str) -> String {
    format!("field-{name}")
}

/// Where in the document a message is written.
enum Target<'a> {
    Description(&'a mut Option<String>),
    /// The first sentence, and the others.
    SummaryAndDescription(&'a mut Option<String>, &'a mut Option<String>),
}

/// Visits every target of a message, with the message's name.
fn for_each_text(document: &mut Document, mut visit: impl FnMut(String, Target<'_>)) {
    for tag in document.tags.iter_mut().flatten() {
        let target = Target::Description(&mut tag.description);
        visit(format!("tag-{}", tag.name), target);
    }
    for item in document.paths.paths.values_mut() {
        for operation in openapi::operations(item) {
            let message = match operation.operation_id.as_deref() {
                // `OPTIONS` does the same on every path.
                Some(id) if id.ends_with("Options") => of_operation("options"),
                id => of_operation(id.unwrap_or_default()),
            };
            let (summary, description) = (&mut operation.summary, &mut operation.description);
            visit(message, Target::SummaryAndDescription(summary, description));
            for parameter in operation.parameters.iter_mut().flatten() {
                let target = Target::Description(&mut parameter.description);
                visit(of_parameter(&parameter.name), target);
            }
        }
    }
    if let Some(components) = &mut document.components {
        each_field(components, &mut visit);
        for scheme in components.security_schemes.values_mut() {
            if let SecurityScheme::ApiKey(ApiKey::Header(key) | ApiKey::Query(key)) = scheme {
                let target = Target::Description(&mut key.description);
                visit(of_parameter(&key.name), target);
            }
        }
    }
}

/// Visits the fields of posts and keys that have no description of their own.
fn each_field(components: &mut Components, visit: &mut impl FnMut(String, Target<'_>)) {
    for name in SCHEMAS {
        let Some(RefOr::T(Schema::Object(schema))) = components.schemas.get_mut(name) else {
            continue;
        };
        for (name, field) in &mut schema.properties {
            let description = match field {
                RefOr::T(Schema::Object(field)) => &mut field.description,
                RefOr::T(Schema::OneOf(field)) => &mut field.description,
                _ => continue,
            };
            if description.is_none() {
                visit(of_field(name), Target::Description(description));
            }
        }
    }
}
