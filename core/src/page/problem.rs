use askama::Template;

use super::site::Site;
use super::{asset, frame};
use crate::context::Context;
use crate::problem::Problem;
use crate::request::Head;
use crate::response::Response;

#[derive(Template)]
#[template(path = "problem.html", blocks = ["title", "head", "main"])]
struct ProblemPage<'a> {
    site: Site<'a>,
    title: String,
    /// What to do about it.
    help: String,
    detail: &'a str,
    status: u16,
    anchor: String,
    code: &'a str,
}

frame::page!(ProblemPage<'_>);

/// A problem, for people who came by a browser.
pub(crate) fn show(context: &Context, head: &Head, problem: &Problem) -> Response {
    let code = problem.code();
    let site = Site::of(context, head);
    let template = ProblemPage {
        title: site.words.say(code.title_message()).to_string(),
        help: site.words.say(code.help_message()).to_string(),
        detail: problem.detail(),
        status: code.status().as_u16(),
        anchor: code.anchor(),
        code: code.as_str(),
        site,
    };
    let mut response = super::private(context, head, code.status(), &template);
    response.headers_mut().extend(problem.headers().clone());
    response
}
