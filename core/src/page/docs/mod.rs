//! The documentation of the API for people: a tour of calls to paste (`/docs`), a reference that is made from the rows
//! of the API (`/docs/reference`), and the errors (`/docs/errors`).

pub(crate) mod errors;
pub(crate) mod reference;
mod tour;

use askama::Template;

use self::tour::TourStep;
use super::site::Site;
use super::{article, asset, frame, text};
use crate::cache::Representation;
use crate::host::key_requests::KeyRequests;
use crate::route::Call;

#[derive(Template)]
#[template(path = "docs/docs.html", block = "main", blocks = ["title", "head"])]
struct DocsPage<'a> {
    site: Site<'a>,
    tour: [TourStep; 9],
    keys_are_open: bool,
}

frame::page!(DocsPage<'_>);

pub(crate) fn show(call: Call<'_>) -> Representation {
    let Call { context, head, .. } = call;
    let site = Site::of(context, head);
    let keys_are_open = matches!(context.key_requests, KeyRequests::Open);
    let template = DocsPage {
        tour: tour::steps(keys_are_open),
        keys_are_open,
        site,
    };
    super::public_page(context, head, None).with_body(super::render_page(context, head, &template))
}

/// The message names that this page builds at run time.
#[cfg(test)]
pub(crate) fn messages() -> Vec<String> {
    let steps = tour::steps(true);
    let names = steps.iter().flat_map(|step| [step.title(), step.text()]);
    names.chain(reference::messages()).collect()
}
