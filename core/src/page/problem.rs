use askama::Template;

use crate::context::Context;
use crate::problem::Problem;
use crate::response::Response;

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    root: &'a str,
    title: &'a str,
    detail: &'a str,
    status: u16,
    anchor: String,
    code: &'a str,
}

/// A problem, for people who came by a browser.
pub(crate) fn show(context: &Context, problem: &Problem) -> Response {
    let code = problem.code();
    let template = ProblemPage {
        root: context.base_url.path(),
        title: code.title(),
        detail: problem.detail(),
        status: code.status().as_u16(),
        anchor: code.anchor(),
        code: code.as_str(),
    };
    let mut response = super::private(code.status(), &template);
    response.headers_mut().extend(problem.headers().clone());
    response
}
