//! The texts of the document: `words/en.ftl`. The reference page shows the same texts, in each of its languages.

use std::collections::HashMap;

use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{ApiKey, SecurityScheme};
use utoipa::openapi::{Components, OpenApi as Document, RefOr, Schema};

/// Schemas whose fields the messages explain.
const SCHEMAS: [&str; 4] = ["NewPost", "PostChange", "NewKey", "Post"];

/// The texts, with one file a language.
#[cfg(feature = "pages")]
pub(crate) static FILES: include_dir::Dir<'_> =
    include_dir::include_dir!("$CARGO_MANIFEST_DIR/src/api/words");
const ENGLISH: &str = include_str!("words/en.ftl");

/// Puts the texts into the document.
pub(super) fn fill(document: &mut Document) {
    let lines = ENGLISH.lines();
    let english: HashMap<_, _> = lines.filter_map(|line| line.split_once(" = ")).collect();
    for_each_text(document, |message, target| {
        let text = english
            .get(&*message)
            .copied()
            .unwrap_or_default()
            .to_owned();
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

/// All operations of a path but `HEAD`.
pub(super) fn operations(path: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let all = [
        &mut path.get,
        &mut path.post,
        &mut path.put,
        &mut path.patch,
        &mut path.delete,
        &mut path.options,
    ];
    all.into_iter().flatten()
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
        for operation in operations(item) {
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
