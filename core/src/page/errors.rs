use askama::Template;

use super::site::Site;
use super::{asset, frame};
use crate::conditional::Conditions;
use crate::context::Context;
use crate::problem::{Code, Problem};
use crate::request::Head;
use crate::response::Response;

#[derive(Template)]
#[template(path = "errors.html", blocks = ["title", "head", "main"])]
struct ErrorsPage<'a> {
    site: Site<'a>,
    codes: &'a [Code],
}

frame::page!(ErrorsPage<'_>);

/// Every problem that there is, and its cure: where the `type` of each leads.
pub(crate) fn show(context: &Context, head: &Head) -> Result<Response, Problem> {
    let conditions = Conditions::of(head)?;
    let template = ErrorsPage {
        site: Site::of(context, head)?,
        codes: Code::ALL,
    };
    let page = super::write(context, head, &template);
    Ok(super::public(context, head, &conditions, page))
}
