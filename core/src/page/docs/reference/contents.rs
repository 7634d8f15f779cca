//! The contents of the reference, from the rows of the API.

use crate::api::{ROWS, problems};
use crate::context::Context;
use crate::post::{Limits, TextField, Visibility};
use crate::problem::Code;
use crate::route::Row;
use crate::route::operation::{Names, Operation, Output};

/// The problems that the page lists in one place instead of with each operation.
const LISTED: [&[Code]; 11] = [
    problems::MOST,
    problems::WRONG_KEY,
    problems::BODIES,
    problems::REVIEWS,
    problems::QUERIES,
    problems::SEARCHES,
    problems::NO_KEY,
    problems::TOKENS,
    problems::RETRIES,
    problems::IDS,
    problems::CONDITIONS,
];
/// The credentials, before all other parameters.
const CREDENTIALS: [&str; 3] = ["X-Api-Key", "X-Edit-Token", "token"];

/// Operations on the same path that differ only in their method.
pub(super) struct Section {
    pub(super) rows: &'static [Row],
    pub(super) ids: Vec<&'static str>,
    /// The first one.
    pub(super) operation: Operation,
    pub(super) outputs: Vec<ListedOutput>,
    /// The problems that are not listed elsewhere on the page.
    pub(super) codes: Vec<Code>,
}

/// A response as the page shows it.
pub(super) struct ListedOutput {
    pub(super) output: &'static Output,
    /// The names of its fields. If an earlier response lists the same fields, only the first.
    pub(super) fields: Vec<&'static str>,
    pub(super) has_more: bool,
}

/// All operations, in the order of the page.
pub(super) fn sections() -> Vec<Section> {
    let mut shown = Vec::new();
    let sections = ROWS.chunk_by(|one, other| {
        let with_one_id = |row: &Row| row.operation.map(|known| Operation { id: "", ..known });
        one.pattern == other.pattern && with_one_id(one) == with_one_id(other)
    });
    let sections = sections.filter_map(|rows| {
        let operation = rows[0].operation?;
        let outputs = operation.returns.iter().map(|output| {
            let mut fields = output.fields.list();
            let has_more = fields.len() > 1 && shown.contains(&output.fields);
            if has_more {
                fields.truncate(1);
            }
            shown.push(output.fields);
            ListedOutput {
                output,
                fields,
                has_more,
            }
        });
        let is_elsewhere = |code: &Code| LISTED.iter().any(|codes| codes.contains(code));
        let codes = operation.codes().filter(|code| !is_elsewhere(code));
        let operations = rows.iter().filter_map(|row| row.operation);
        Some(Section {
            rows,
            ids: operations.map(|operation| operation.id).collect(),
            operation,
            outputs: outputs.collect(),
            codes: codes.collect(),
        })
    });
    sections.collect()
}

/// The parameters that this service does not have.
pub(super) fn unsupported_parameters(context: &Context) -> Vec<&'static str> {
    let search = (!context.has_search()).then_some("q");
    let author = context.find_author.is_none().then_some("by");
    search.into_iter().chain(author).collect()
}

/// The names of all credentials, parameters and request headers but the unsupported ones.
pub(super) fn parameters(unsupported: &[&str]) -> Vec<&'static str> {
    let operations = ROWS.iter().filter_map(|row| row.operation);
    let others = operations.flat_map(|operation| parameters_of(&operation, unsupported));
    distinct(CREDENTIALS.into_iter().chain(others))
}

/// Those of an operation, without its credentials.
pub(super) fn parameters_of(operation: &Operation, unsupported: &[&str]) -> Vec<&'static str> {
    let mut all = operation.parameters.list();
    all.retain(|name| !unsupported.contains(name));
    all
}

/// The problems of requests with this parameter.
pub(super) fn codes_of(parameter: &str) -> &'static [Code] {
    match parameter {
        "X-Api-Key" => problems::NO_KEY,
        "X-Edit-Token" => problems::TOKENS,
        "Idempotency-Key" => problems::RETRIES,
        "If-Match" => problems::CONDITIONS,
        "id" => problems::IDS,
        "q" => problems::SEARCHES,
        _ => &[],
    }
}

/// The names of the fields that clients send, then of those that reads add.
pub(super) fn fields() -> Vec<&'static str> {
    let sent = Names::DRAFT.list().into_iter().chain(["label"]);
    distinct(sent.chain(Names::POST.list()))
}

/// The types of a field, such as `string | null`, or the values that it can have.
pub(super) fn kind(field: &str) -> String {
    match field {
        "tags" => "string | string[] | null".to_owned(),
        "visibility" => Visibility::ALL.map(Visibility::as_str).join(" | "),
        "body" | "id" | "url" | "excerpt" | "created_at" | "updated_at" => "string".to_owned(),
        _ => "string | null".to_owned(),
    }
}

/// The maximum length of a field, such as `≤ 200`. Empty for a read-only field.
pub(super) fn bound(field: &str, limits: &Limits) -> String {
    if field == "tags" {
        return format!("≤ {} × {}", limits.tags, limits.tag);
    }
    let characters = TextField::max_characters(field, limits);
    characters.map_or_else(String::new, |max| format!("≤ {max}"))
}

fn distinct(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

impl Operation {
    /// Its problems, in the order of their statuses.
    pub(crate) fn codes(&self) -> impl Iterator<Item = Code> {
        let all = Code::ALL.iter().copied();
        all.filter(|code| self.problems.iter().any(|codes| codes.contains(code)))
    }
}

impl Names {
    pub(crate) fn list(self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for name in self.0.split_whitespace() {
            match name {
                "texts" => names.extend(TextField::ALL_BUT_TITLE.iter().map(|field| field.name())),
                name => names.push(name),
            }
        }
        names
    }
}
