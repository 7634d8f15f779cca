//! The reference on the docs page, generated from `openapi.json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::api::openapi;
use crate::context::Context;
use crate::limit::Limits;
use crate::problem::Code;

/// The methods of the listed operations, in the order of the page. `HEAD` and `OPTIONS` work in the same
/// way on every path and are not listed.
const METHODS: [&str; 5] = ["post", "get", "put", "patch", "delete"];
/// The request bodies whose fields are listed with their limits, and the post, which has more fields.
const SENT: [&str; 2] = ["NewPost", "NewKey"];
const POST: &str = "Post";
/// A header of all listed responses, which is not repeated with each of them.
const COMMON_HEADER: &str = "Cache-Control";

/// The document in reading order.
pub(super) struct Reference {
    pub(super) sections: Vec<Section>,
    /// The problems of at least half of the operations. They are listed once instead of with each.
    pub(super) common: Vec<Code>,
    /// The problems of all operations with a request body, and of no others.
    pub(super) of_bodies: Vec<Code>,
    /// The problems of all operations with query parameters, and of no others.
    pub(super) of_queries: Vec<Code>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) fields: Vec<Field>,
}

/// Operations that differ only in their method.
pub(super) struct Section {
    pub(super) operations: Vec<Call>,
    pub(super) shape: Shape,
}

/// An operation's id, and its method and path.
pub(super) struct Call {
    pub(super) id: String,
    pub(super) line: String,
}

/// The input and the responses of an operation.
#[derive(PartialEq)]
pub(super) struct Shape {
    /// `X-Edit-Token | token · id · {title, body}`: a credential, the other parameters and request
    /// headers, the fields of the body. Empty if there is no input.
    pub(super) takes: String,
    /// `→ 200 {id, url} + ETag | 304`: statuses, the fields of the bodies, headers.
    pub(super) answers: String,
    /// The problems that are not listed elsewhere on the page.
    pub(super) codes: Vec<Code>,
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
    /// Whether clients must send it.
    pub(super) is_needed: bool,
    pub(super) bound: Bound,
}

/// The maximum length of a field that clients send.
pub(super) enum Bound {
    /// The field is read-only.
    None,
    Characters(usize),
    Items {
        items: usize,
        characters: usize,
    },
}

impl Reference {
    pub(super) fn of(context: &Context) -> Self {
        let document: Document = serde_json::from_slice(&openapi::json(context))
            .unwrap_or_else(|_| unreachable!("the document is OpenAPI"));
        let mut problems = Problems::new(&document);
        let common = problems.common();
        let of_bodies = problems.of(|operation| operation.request_body.is_some());
        let of_queries = problems.of(|operation| {
            let mut parameters = operation.parameters.iter();
            parameters.any(|parameter| parameter.location == "query")
        });
        let parameters = document.parameters(&mut problems);
        let left = problems.unlisted;
        Self {
            sections: document.sections(&left),
            fields: document.fields(&context.limits),
            common,
            of_bodies,
            of_queries,
            parameters,
        }
    }
}

#[derive(Deserialize)]
struct Document {
    tags: Vec<Named>,
    paths: BTreeMap<String, BTreeMap<String, Operation>>,
    components: Components,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Operation {
    #[serde(default)]
    operation_id: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    parameters: Vec<Described>,
    #[serde(default)]
    request_body: Option<WithContent>,
    responses: BTreeMap<String, WithContent>,
    #[serde(default)]
    security: Vec<BTreeMap<String, IgnoredAny>>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// A parameter of an operation.
#[derive(Deserialize)]
struct Described {
    name: String,
    #[serde(rename = "in")]
    location: String,
}

/// A body or a response.
#[derive(Default, Deserialize)]
struct WithContent {
    #[serde(default)]
    headers: BTreeMap<String, IgnoredAny>,
    #[serde(default)]
    content: BTreeMap<String, Content>,
    #[serde(default, rename = "x-problem-codes")]
    codes: Vec<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    schema: Schema,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Components {
    schemas: BTreeMap<String, Schema>,
    security_schemes: BTreeMap<String, Named>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Schema {
    #[serde(rename = "$ref")]
    reference: Option<String>,
    one_of: Vec<Schema>,
    required: Vec<String>,
    properties: BTreeMap<String, IgnoredAny>,
}

impl Document {
    /// All operations with their method and path, in the order of the page.
    fn operations(&self) -> impl Iterator<Item = (&str, &str, &Operation)> {
        let calls = |tag| {
            let paths = self.paths.iter();
            paths.flat_map(move |(path, item)| {
                let operations = METHODS.iter().filter_map(|method| {
                    let operation = item.get(*method)?;
                    operation
                        .tags
                        .contains(tag)
                        .then_some((*method, path.as_str(), operation))
                });
                operations.collect::<Vec<_>>()
            })
        };
        self.tags.iter().flat_map(move |tag| calls(&tag.name))
    }

    fn sections(&self, unlisted: &[Code]) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        let mut last_path = "";
        for (method, path, operation) in self.operations() {
            let call = Call {
                id: operation.operation_id.clone(),
                line: format!("{} {path}", method.to_uppercase()),
            };
            let shape = self.shape(operation, unlisted);
            match sections.last_mut() {
                Some(section) if last_path == path && section.shape == shape => {
                    section.operations.push(call);
                }
                _ => sections.push(Section {
                    operations: vec![call],
                    shape,
                }),
            }
            last_path = path;
        }
        sections
    }

    fn shape(&self, operation: &Operation, unlisted: &[Code]) -> Shape {
        let credentials = self.credentials(operation);
        let others = names(&operation.parameters).filter(|name| !credentials.contains(name));
        let body = operation
            .request_body
            .as_ref()
            .map(|body| self.fields_of(body));
        let mut takes = vec![
            credentials.join(" | "),
            others.collect::<Vec<_>>().join(", "),
            body.unwrap_or_default(),
        ];
        takes.retain(|part| !part.is_empty());
        let responses = operation.responses.iter();
        let responses = responses.filter(|(_, response)| response.codes.is_empty());
        let responses = responses.map(|(status, response)| self.response(status, response));
        let codes = operation.codes().filter(|code| unlisted.contains(code));
        Shape {
            takes: takes.join(" · "),
            answers: format!("→ {}", responses.collect::<Vec<_>>().join(" | ")),
            codes: codes.collect(),
        }
    }

    fn response(&self, status: &str, response: &WithContent) -> String {
        let is_success = status.starts_with('2');
        let headers = response.headers.keys();
        let headers = headers.filter(|name| is_success && *name != COMMON_HEADER);
        let mut line = status.to_owned();
        for (sign, part) in [(" ", self.fields_of(response)), (" + ", listed(headers))] {
            if !part.is_empty() {
                line.push_str(sign);
                line.push_str(&part);
            }
        }
        line
    }

    /// The names of the credentials of an operation. Each of them is sufficient.
    fn credentials(&self, operation: &Operation) -> Vec<String> {
        let schemes = operation.security.iter().flat_map(BTreeMap::keys);
        let known = &self.components.security_schemes;
        let names = schemes.filter_map(|scheme| Some(known.get(scheme)?.name.clone()));
        names.collect()
    }

    /// The parameters of all operations, credentials first.
    fn parameters(&self, problems: &mut Problems<'_>) -> Vec<Parameter> {
        let credentials = self.components.security_schemes.values();
        let credentials = credentials.map(|scheme| scheme.name.clone());
        let others = self
            .operations()
            .flat_map(|(.., operation)| names(&operation.parameters));
        let mut parameters: Vec<Parameter> = Vec::new();
        for name in credentials.chain(others) {
            if parameters.iter().all(|known| known.name != name) {
                let codes = problems.of(|operation| {
                    let mut names = names(&operation.parameters);
                    self.credentials(operation).contains(&name) || names.any(|other| other == name)
                });
                parameters.push(Parameter { name, codes });
            }
        }
        parameters
    }

    /// What clients send, then what reads add to it.
    fn fields(&self, limits: &Limits) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for of in SENT.into_iter().chain([POST]) {
            let Some(schema) = self.components.schemas.get(of) else {
                continue;
            };
            let is_sent = of != POST;
            for name in schema.names() {
                if fields.iter().all(|field| field.name != *name) {
                    fields.push(Field {
                        name: name.clone(),
                        is_needed: is_sent && schema.required.contains(name),
                        bound: Bound::of(name, limits),
                    });
                }
            }
        }
        fields
    }

    /// The names of the fields of a body, in braces.
    fn fields_of(&self, body: &WithContent) -> String {
        let schemas = body.content.values().filter_map(|content| {
            let name = content.schema.reference()?.rsplit('/').next()?;
            self.components.schemas.get(name)
        });
        let names = schemas.take(1).flat_map(Schema::names);
        let names = listed(names);
        if names.is_empty() {
            return names;
        }
        format!("{{{names}}}")
    }
}

/// The problems that are not listed yet.
///
/// A problem is listed with the first feature (a body, a query, a parameter) whose operations are exactly
/// those that can return it.
struct Problems<'a> {
    operations: Vec<&'a Operation>,
    unlisted: Vec<Code>,
}

impl<'a> Problems<'a> {
    fn new(document: &'a Document) -> Self {
        let operations = document.operations();
        Self {
            operations: operations.map(|(.., operation)| operation).collect(),
            unlisted: Code::ALL.to_vec(),
        }
    }

    fn take(&mut self, is_match: impl Fn(&[&Operation], Code) -> bool) -> Vec<Code> {
        let operations = &self.operations;
        let taken = self
            .unlisted
            .extract_if(.., |code| is_match(operations, *code));
        taken.collect()
    }

    fn common(&mut self) -> Vec<Code> {
        self.take(|operations, code| {
            let returning = operations.iter().filter(|one| one.returns(code));
            returning.count() * 2 >= operations.len()
        })
    }

    fn of(&mut self, has_feature: impl Fn(&Operation) -> bool) -> Vec<Code> {
        self.take(|operations, code| {
            let mut operations = operations.iter();
            operations.all(|one| one.returns(code) == has_feature(one))
        })
    }
}

impl Operation {
    fn returns(&self, code: Code) -> bool {
        self.codes().any(|known| known == code)
    }

    /// The problems that it can return, in the order of their statuses.
    fn codes(&self) -> impl Iterator<Item = Code> {
        let codes = self.responses.values().flat_map(|response| &response.codes);
        codes.filter_map(|code| {
            Code::ALL
                .iter()
                .find(|known| known.as_str() == code)
                .copied()
        })
    }
}

impl Schema {
    fn reference(&self) -> Option<&str> {
        let one_of = || self.one_of.iter().find_map(Schema::reference);
        self.reference.as_deref().or_else(one_of)
    }

    /// The names of the properties. Required ones come first, in the order of the document.
    fn names(&self) -> impl Iterator<Item = &String> {
        let others = self.properties.keys();
        let others = others.filter(|name| !self.required.contains(name));
        self.required.iter().chain(others)
    }
}

impl Bound {
    fn of(field: &str, limits: &Limits) -> Self {
        match field {
            "title" => Self::Characters(limits.title),
            "body" => Self::Characters(limits.body),
            "tags" => Self::Items {
                items: limits.tags,
                characters: limits.tag,
            },
            "focus_keyword" => Self::Characters(limits.focus_keyword),
            "label" => Self::Characters(limits.label),
            _ => Self::None,
        }
    }
}

fn names(all: &[Described]) -> impl Iterator<Item = String> {
    all.iter().map(|one| one.name.clone())
}

fn listed<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(String::as_str).collect::<Vec<_>>().join(", ")
}
