//! The documentation of the API for people: a tour of calls to paste (`/docs`), a reference that is made from the rows
//! of the API (`/docs/reference`), and the errors (`/docs/errors`).

pub(crate) mod errors;
pub(crate) mod reference;
mod tour;

use askama::Template;

use self::tour::{Code, Step};
use super::site::Site;
use super::{article, asset, frame, text};
use crate::api;
use crate::cache::Representation;
use crate::context::Context;
use crate::http::request::Head;
use crate::key_requests::KeyRequests;
use crate::row::Row;

#[derive(Template)]
#[template(path = "docs/docs.html", block = "main", blocks = ["title", "head"])]
struct DocsPage<'a> {
    site: Site<'a>,
    /// What the tour is written in.
    code: Code,
    tour: Vec<Step>,
    keys_are_open: bool,
    operations: &'static [Row],
}

frame::page!(DocsPage<'_>);

/// The page. `?code=` chooses what the tour is written in.
pub(crate) fn show(context: &Context, head: &Head) -> Representation {
    let mut site = Site::of(context, head);
    let code = code_of(head);
    if code != Code::Curl {
        site.query = format!("code={}&", code.parameter());
    }
    let keys_are_open = matches!(context.key_requests, KeyRequests::Open);
    let template = DocsPage {
        code,
        tour: tour::steps(site.url, keys_are_open, code),
        keys_are_open,
        operations: api::ROWS,
        site,
    };
    super::public(context, head).with_body(super::write(context, head, &template))
}

fn code_of(head: &Head) -> Code {
    let code = head.query.one("code").ok().flatten();
    Code::of(code.as_deref())
}

/// The parameter of the query that the page depends on.
pub(super) fn query_of(head: &Head) -> String {
    code_of(head).parameter().to_owned()
}

/// The message names that this page builds at run time.
#[cfg(test)]
pub(crate) fn messages() -> Vec<String> {
    let steps = tour::steps("", true, Code::Curl);
    let names = steps.iter().flat_map(|step| [step.title(), step.text()]);
    let names = names.chain(Code::ALL.map(Code::lead));
    names.chain(reference::messages()).collect()
}
