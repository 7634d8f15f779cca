use askama::Template;

use crate::conditional::Conditions;
use crate::context::Context;
use crate::problem::{Code, Problem};
use crate::request::Head;
use crate::response::Response;

#[derive(Template)]
#[template(path = "errors.html")]
struct ErrorsPage<'a> {
    root: &'a str,
    codes: &'a [Code],
}

/// Every problem that there is: where the `type` of each leads.
pub(crate) fn show(context: &Context, head: &Head) -> Result<Response, Problem> {
    let conditions = Conditions::of(head)?;
    let template = ErrorsPage {
        root: context.base_url.path(),
        codes: Code::ALL,
    };
    Ok(super::public(context, &conditions, None, &template))
}
