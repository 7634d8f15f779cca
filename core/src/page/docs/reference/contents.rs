//! The contents of the reference, from `openapi.json`.

use std::collections::HashSet;

use serde_json::Value;

use crate::api::openapi;
use crate::context::Context;
use crate::limit::Limits;
use crate::post::TextField;
use crate::problem::Code;

/// The methods of the listed operations, in the order of the page. `HEAD` and `OPTIONS` work in the same
/// way on every path and are not listed.
const METHODS: [&str; 5] = ["post", "get", "put", "patch", "delete"];
/// The request bodies whose fields are listed with their limits, and the post, which has more fields.
const SENT: [&str; 2] = ["NewPost", "NewKey"];
const POST: &str = "Post";
const API_KEY: &str = "X-Api-Key";
/// A header of all listed responses, which is not repeated with each of them.
const COMMON_HEADER: &str = "Cache-Control";

/// The document in reading order.
///
/// A problem is listed with the first feature (a body, a query, a parameter) whose operations are exactly
/// those that can return it, or else with each operation.
pub(in crate::page::docs) struct Reference {
    /// Operations on the same path that differ only in their method share a section.
    pub(super) sections: Vec<Vec<Operation>>,
    /// The problems of at least half of the operations. They are listed once instead of with each.
    pub(super) common: Vec<Code>,
    /// The problems of all operations with a request body, and of no others.
    pub(super) of_bodies: Vec<Code>,
    /// The problems of all operations with query parameters, and of no others.
    pub(super) of_queries: Vec<Code>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) fields: Vec<Field>,
}

/// An operation as the page shows it.
#[derive(Clone)]
pub(super) struct Operation {
    pub(super) id: String,
    pub(super) method: String,
    pub(super) path: String,
    /// The credentials, each of which is sufficient.
    pub(super) credentials: Vec<String>,
    /// The other parameters and request headers.
    pub(super) others: Vec<String>,
    /// The fields of the body.
    pub(super) fields: Vec<String>,
    pub(super) outputs: Vec<Output>,
    /// The problems that are not listed elsewhere on the page, in the order of their statuses.
    pub(super) codes: Vec<Code>,
    has_body: bool,
    has_query: bool,
}

/// A response that is no problem.
#[derive(Clone, PartialEq)]
pub(super) struct Output {
    pub(super) status: String,
    /// The fields of the body.
    pub(super) fields: Vec<String>,
    /// Whether the other fields are those of an earlier response.
    pub(super) has_more: bool,
    pub(super) headers: Vec<String>,
}

/// A credential, parameter or request header.
pub(super) struct Parameter {
    pub(super) name: String,
    /// The problems of all operations that have this parameter, and of no others.
    pub(super) codes: Vec<Code>,
}

/// A field of a post or a key.
pub(super) struct Field {
    pub(super) name: String,
    /// Its types, such as `string | null`, or the values that it can have.
    pub(super) kind: String,
    /// Whether clients must send it.
    pub(super) is_required: bool,
    /// The maximum length, such as `≤ 200`. Empty for a read-only field.
    pub(super) bound: String,
}

impl Reference {
    pub(in crate::page::docs) fn of(context: &Context) -> Self {
        let document: Value = serde_json::from_slice(&openapi::json(context))
            .unwrap_or_else(|_| unreachable!("the document is JSON"));
        let mut operations = operations(&document);
        let mut unlisted = Code::ALL.to_vec();

        let is_common = |code: &mut Code| {
            let returning = operations.iter().filter(|one| one.codes.contains(code));
            returning.count() * 2 >= operations.len()
        };
        let common = unlisted.extract_if(.., is_common).collect();
        let mut problems_of = |has_feature: &dyn Fn(&Operation) -> bool| -> Vec<Code> {
            let is_of_feature = |code: &mut Code| {
                let mut operations = operations.iter();
                operations.all(|one| one.codes.contains(code) == has_feature(one))
            };
            unlisted.extract_if(.., is_of_feature).collect()
        };
        let of_bodies = problems_of(&|operation| operation.has_body);
        let of_queries = problems_of(&|operation| operation.has_query);
        let parameters = parameter_names(&document, &operations).into_iter();
        let parameters = parameters.map(|name| {
            let mut codes = problems_of(&|operation| operation.has_parameter(&name));
            if name == API_KEY {
                codes.extend(problems_of(&|operation| operation.credentials == [API_KEY]));
            }
            Parameter { name, codes }
        });
        let parameters = parameters.collect();

        abbreviate(&mut operations);
        for operation in &mut operations {
            operation.codes.retain(|code| unlisted.contains(code));
        }
        let sections = operations.chunk_by(Operation::differs_only_in_method);
        Self {
            sections: sections.map(<[_]>::to_vec).collect(),
            common,
            of_bodies,
            of_queries,
            parameters,
            fields: fields(&document, &context.limits),
        }
    }
}

impl Reference {
    /// The operations, such as `POST /api/posts`.
    pub(in crate::page::docs) fn operations(&self) -> Vec<String> {
        let all = self.sections.iter().flatten();
        all.map(|call| format!("{} {}", call.method, call.path))
            .collect()
    }
}

/// All operations, in the order of the page.
fn operations(document: &Value) -> Vec<Operation> {
    let mut operations = Vec::new();
    for tag in items(&document["tags"]) {
        for (path, item) in entries(&document["paths"]) {
            for method in METHODS {
                let operation = &item[method];
                if items(&operation["tags"]).any(|name| *name == tag["name"]) {
                    operations.push(Operation::of(document, method, path, operation));
                }
            }
        }
    }
    operations
}

impl Operation {
    fn of(document: &Value, method: &str, path: &str, operation: &Value) -> Self {
        let schemes = &document["components"]["securitySchemes"];
        let credentials = items(&operation["security"]).flat_map(entries);
        let credentials = credentials.map(|(scheme, _)| text(&schemes[scheme]["name"]));
        let credentials: Vec<_> = credentials.collect();
        // Where a credential is optional, the text of the operation says what it is good for.
        let is_optional = |name: &str| {
            let mut known = entries(schemes);
            known.any(|(_, scheme)| scheme["name"] == name) && !credentials.contains(&name)
        };
        let parameters = items(&operation["parameters"]);
        let parameters = parameters.filter(|parameter| !is_optional(text(&parameter["name"])));
        let parameters: Vec<_> = parameters.collect();
        let others = parameters.iter().map(|parameter| text(&parameter["name"]));
        let others = others.filter(|name| !credentials.contains(name));
        let body = operation.get("requestBody");

        let mut outputs = Vec::new();
        let mut codes = Vec::new();
        for (status, response) in entries(&operation["responses"]) {
            match response.get("x-problem-codes") {
                Some(names) => codes.extend(items(names).filter_map(code)),
                None => outputs.push(Output::of(document, status, response)),
            }
        }
        Self {
            id: text(&operation["operationId"]).to_owned(),
            method: method.to_uppercase(),
            path: path.to_owned(),
            others: others.map(str::to_owned).collect(),
            credentials: credentials.into_iter().map(str::to_owned).collect(),
            fields: body.map_or_else(Vec::new, |body| fields_of(document, body)),
            outputs,
            codes,
            has_body: body.is_some(),
            has_query: parameters
                .iter()
                .any(|parameter| parameter["in"] == "query"),
        }
    }

    /// The names of all parameters and request headers, credentials first.
    fn parameters(&self) -> impl Iterator<Item = &String> {
        self.credentials.iter().chain(&self.others)
    }

    fn has_parameter(&self, name: &str) -> bool {
        self.parameters().any(|known| known == name)
    }

    fn differs_only_in_method(&self, other: &Self) -> bool {
        let of = |one: &Self| {
            (
                one.path.clone(),
                one.parameters().cloned().collect::<Vec<_>>(),
                one.fields.clone(),
            )
        };
        of(self) == of(other) && self.outputs == other.outputs && self.codes == other.codes
    }
}

/// Shows the fields of responses only once: an operation that returns the same as an earlier one shows the
/// first of them.
fn abbreviate(operations: &mut [Operation]) {
    let mut shown = HashSet::new();
    let outputs = operations
        .iter_mut()
        .flat_map(|operation| &mut operation.outputs);
    for output in outputs.filter(|output| output.fields.len() > 1) {
        if !shown.insert(output.fields.clone()) {
            output.fields.truncate(1);
            output.has_more = true;
        }
    }
}

impl Output {
    fn of(document: &Value, status: &str, response: &Value) -> Self {
        let is_success = status.starts_with('2');
        let headers = entries(&response["headers"]).map(|(name, _)| name);
        let headers = headers.filter(|name| is_success && *name != COMMON_HEADER);
        Self {
            status: status.to_owned(),
            fields: fields_of(document, response),
            has_more: false,
            headers: headers.map(str::to_owned).collect(),
        }
    }
}

/// The names of the fields of a body that clients may send, or get.
fn fields_of(document: &Value, body: &Value) -> Vec<String> {
    let schema = entries(&body["content"]).find_map(|(_, content)| {
        let reference = content["schema"]["$ref"].as_str()?;
        document.pointer(reference.strip_prefix('#')?)
    });
    let Some(schema) = schema else {
        return Vec::new();
    };
    let is_read_only = |name: &str| schema["properties"][name]["readOnly"] == true;
    let names = names(schema).into_iter();
    let names = names.filter(|name| !is_read_only(name));
    names.map(str::to_owned).collect()
}

/// The names of all parameters and request headers, credentials first.
fn parameter_names(document: &Value, operations: &[Operation]) -> Vec<String> {
    let credentials = entries(&document["components"]["securitySchemes"]);
    let credentials = credentials.map(|(_, scheme)| text(&scheme["name"]));
    let others = operations.iter().flat_map(Operation::parameters);
    let mut names: Vec<String> = Vec::new();
    for name in credentials.chain(others.map(String::as_str)) {
        if names.iter().all(|known| known != name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The fields that clients send, then those that reads add.
fn fields(document: &Value, limits: &Limits) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for schema_name in SENT.into_iter().chain([POST]) {
        let schema = &document["components"]["schemas"][schema_name];
        for name in names(schema) {
            if fields.iter().all(|field| field.name != name) {
                let mut required = items(&schema["required"]);
                fields.push(Field {
                    name: name.to_owned(),
                    kind: kind(&schema["properties"][name]),
                    is_required: schema_name != POST && required.any(|required| required == name),
                    bound: bound(name, limits),
                });
            }
        }
    }
    fields
}

/// The types of a property, or its values.
fn kind(property: &Value) -> String {
    let kinds: Vec<_> = match (&property["enum"], &property["type"], &property["oneOf"]) {
        (Value::Array(values), ..) => values.iter().map(text).collect(),
        (_, Value::Array(types), _) => types.iter().map(text).collect(),
        (.., Value::Array(schemas)) => schemas.iter().map(|schema| text(&schema["type"])).collect(),
        (_, one, _) => vec![text(one)],
    };
    kinds.join(" | ").replace("array", "string[]")
}

fn bound(field: &str, limits: &Limits) -> String {
    if field == "tags" {
        return format!("≤ {} × {}", limits.tags, limits.tag);
    }
    let characters = TextField::max_characters(field, limits);
    characters.map_or_else(String::new, |max| format!("≤ {max}"))
}

/// The names of the properties. Required ones come first, in the order of the document.
fn names(schema: &Value) -> Vec<&str> {
    let mut names: Vec<_> = items(&schema["required"]).map(text).collect();
    for (name, _) in entries(&schema["properties"]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn code(name: &Value) -> Option<Code> {
    let mut codes = Code::ALL.iter().copied();
    codes.find(|code| name == code.as_str())
}

fn items(array: &Value) -> impl Iterator<Item = &Value> {
    array.as_array().into_iter().flatten()
}

fn entries(object: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let entries = object.as_object().into_iter().flatten();
    entries.map(|(name, value)| (name.as_str(), value))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
