//! What the docs page reads of `openapi.json`, as every client of it does.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::api::openapi;
use crate::context::Context;
use crate::limit::Limits;
use crate::problem::Code;

/// The methods that operations are of, in the order in which people look for them. `HEAD` and
/// `OPTIONS` are everywhere alike.
const METHODS: [&str; 5] = ["post", "get", "put", "patch", "delete"];
/// The bodies whose fields are listed with their bounds, and the post, which has more.
const SENT: [&str; 2] = ["NewPost", "NewKey"];
const POST: &str = "Post";
/// The header that all answers have which are worth a word.
const EVERYWHERE: &str = "Cache-Control";

/// The document in the order in which people read it.
pub(super) struct Reference {
    pub(super) sections: Vec<Section>,
    /// The problems that at least half of the operations answer, named once instead of with each.
    pub(super) common: Vec<Code>,
    /// The problems that go with a body.
    pub(super) of_bodies: Vec<Code>,
    /// The problems that go with a query.
    pub(super) of_queries: Vec<Code>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) fields: Vec<Field>,
}

/// Operations that differ in their method alone.
pub(super) struct Section {
    pub(super) operations: Vec<Call>,
    pub(super) shape: Shape,
}

/// An operation's id, and its method and path.
pub(super) struct Call {
    pub(super) id: String,
    pub(super) line: String,
}

/// What an operation takes and answers.
#[derive(PartialEq)]
pub(super) struct Shape {
    /// `X-Edit-Token | token · id · {title, body}`: a credential, the other parameters and request
    /// headers, the fields of the body. Empty where it takes nothing.
    pub(super) takes: String,
    /// `→ 200 {id, url} + ETag | 304`: statuses, the fields of the bodies, headers.
    pub(super) answers: String,
    /// The problems that go with nothing of what it takes, and that others do not answer.
    pub(super) codes: Vec<Code>,
}

/// A credential, parameter or request header.
pub(super) struct Parameter {
    pub(super) name: String,
    /// The problems that go with it.
    pub(super) codes: Vec<Code>,
}

/// A field of a post or a key.
pub(super) struct Field {
    pub(super) name: String,
    /// Whether clients have to send it.
    pub(super) is_needed: bool,
    pub(super) bound: Bound,
}

/// How long a field may be that clients send.
pub(super) enum Bound {
    /// The field is read alone.
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
        let left = problems.left;
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

/// A parameter as it is described.
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
    /// All operations with their method and path, in order.
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

    fn sections(&self, left: &[Code]) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        let mut last_path = "";
        for (method, path, operation) in self.operations() {
            let call = Call {
                id: operation.operation_id.clone(),
                line: format!("{} {path}", method.to_uppercase()),
            };
            let shape = self.shape(operation, left);
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

    fn shape(&self, operation: &Operation, left: &[Code]) -> Shape {
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
        let answers = operation.responses.iter();
        let answers = answers.filter(|(_, answer)| answer.codes.is_empty());
        let answers = answers.map(|(status, answer)| self.answer(status, answer));
        let codes = operation.codes().filter(|code| left.contains(code));
        Shape {
            takes: takes.join(" · "),
            answers: format!("→ {}", answers.collect::<Vec<_>>().join(" | ")),
            codes: codes.collect(),
        }
    }

    fn answer(&self, status: &str, answer: &WithContent) -> String {
        let is_success = status.starts_with('2');
        let headers = answer.headers.keys();
        let headers = headers.filter(|name| is_success && *name != EVERYWHERE);
        let mut line = status.to_owned();
        for (sign, part) in [(" ", self.fields_of(answer)), (" + ", listed(headers))] {
            if !part.is_empty() {
                line.push_str(sign);
                line.push_str(&part);
            }
        }
        line
    }

    /// The names of the credentials of which an operation needs one.
    fn credentials(&self, operation: &Operation) -> Vec<String> {
        let schemes = operation.security.iter().flat_map(BTreeMap::keys);
        let known = &self.components.security_schemes;
        let names = schemes.filter_map(|scheme| Some(known.get(scheme)?.name.clone()));
        names.collect()
    }

    /// All that operations take: credentials first.
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

    /// The names of the fields of a body, as JSON has them.
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

/// The problems that are still to be told of. One goes with what is taken by those operations that
/// answer it and by no others; with the first such thing that is asked for.
struct Problems<'a> {
    operations: Vec<&'a Operation>,
    left: Vec<Code>,
}

impl<'a> Problems<'a> {
    fn new(document: &'a Document) -> Self {
        let operations = document.operations();
        Self {
            operations: operations.map(|(.., operation)| operation).collect(),
            left: Code::ALL.to_vec(),
        }
    }

    fn take(&mut self, is_one: impl Fn(&[&Operation], Code) -> bool) -> Vec<Code> {
        let operations = &self.operations;
        let taken = self.left.extract_if(.., |code| is_one(operations, *code));
        taken.collect()
    }

    fn common(&mut self) -> Vec<Code> {
        self.take(|operations, code| {
            let answering = operations.iter().filter(|one| one.answers(code));
            answering.count() * 2 >= operations.len()
        })
    }

    fn of(&mut self, takes_it: impl Fn(&Operation) -> bool) -> Vec<Code> {
        self.take(|operations, code| {
            let mut operations = operations.iter();
            operations.all(|one| one.answers(code) == takes_it(one))
        })
    }
}

impl Operation {
    fn answers(&self, code: Code) -> bool {
        self.codes().any(|known| known == code)
    }

    /// The problems that it answers, in the order of their statuses.
    fn codes(&self) -> impl Iterator<Item = Code> {
        let codes = self.responses.values().flat_map(|answer| &answer.codes);
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

    /// The names of the properties: those that are always there first, in their own order.
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
