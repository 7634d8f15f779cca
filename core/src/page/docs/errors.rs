use askama::Template;

use crate::conditional::Conditions;
use crate::context::Context;
use crate::json;
use crate::page::site::Site;
use crate::page::{self, asset, frame, text};
use crate::problem::{Code, Problem};
use crate::request::Head;
use crate::response::Response;

#[derive(Template)]
#[template(path = "docs/errors.html", blocks = ["title", "head", "main"])]
struct ErrorsPage<'a> {
    site: Site<'a>,
    /// A problem as it is sent.
    example: String,
    codes: &'a [Code],
}

frame::page!(ErrorsPage<'_>);

/// Every problem that there is, and its cure: where the `type` of each leads.
pub(crate) fn show(context: &Context, head: &Head) -> Result<Response, Problem> {
    let conditions = Conditions::of(head)?;
    let template = ErrorsPage {
        site: Site::of(context, head),
        example: example(context),
        codes: Code::ALL,
    };
    let page = page::write(context, head, &template);
    Ok(page::public(context, head, &conditions, page))
}

/// What a misspelt field is answered.
fn example(context: &Context) -> String {
    let problem = Problem::invalid_fields(vec![json::unknown_field("titel")]);
    serde_json::to_string_pretty(&problem.view(&context.base_url))
        .unwrap_or_else(|_| unreachable!("views have string keys and cannot fail"))
}
