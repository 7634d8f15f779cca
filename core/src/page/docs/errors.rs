//! `GET /docs/errors`: every problem and what to do about it. The `type` of each problem links here.

use askama::Template;

use crate::cache::Representation;
use crate::context::Context;
use crate::http::json;
use crate::http::problem::ProblemView;
use crate::page::site::Site;
use crate::page::{self, article, asset, frame, text};
use crate::problem::{Code, Problem};
use crate::route::Call;

#[derive(Template)]
#[template(path = "docs/errors.html", block = "main", blocks = ["title", "head"])]
struct ErrorsPage<'a> {
    site: Site<'a>,
    /// A problem as JSON, with colours.
    example: String,
    /// The codes, those of each status together.
    by_status: Vec<&'a [Code]>,
}

frame::page!(ErrorsPage<'_>);

pub(crate) fn show(call: Call<'_>) -> Representation {
    let Call { context, head, .. } = call;
    let site = Site::of(context, head);
    let template = ErrorsPage {
        example: article::code(site.language, &example(context), "json"),
        by_status: Code::ALL
            .chunk_by(|one, other| one.status() == other.status())
            .collect(),
        site,
    };
    page::public_page(context, head, None).with_body(page::render_page(context, head, &template))
}

/// The problem for a misspelt field.
fn example(context: &Context) -> String {
    let problem = Problem::invalid_fields(vec![json::unknown_field("titel")]);
    serde_json::to_string_pretty(&ProblemView::new(&problem, &context.base_url))
        .unwrap_or_else(|_| unreachable!("views have string keys and cannot fail"))
}
