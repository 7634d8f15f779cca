//! Errors as pages, for browsers.

use askama::Template;
use http::header;

use super::site::Site;
use super::{asset, frame};
use crate::context::Context;
use crate::http::request::Head;
use crate::http::response::Response;
use crate::problem::Problem;

/// From this number of seconds on, the page gives the wait in minutes.
const LONG_WAIT: u64 = 120;

#[derive(Template)]
#[template(path = "problem.html", blocks = ["title", "head", "main"])]
struct ProblemPage<'a> {
    site: Site<'a>,
    title: String,
    /// What to do about it.
    help: String,
    /// When to try again, if known.
    wait: Option<String>,
    detail: &'a str,
    status: u16,
    anchor: String,
    code: &'a str,
}

frame::page!(ProblemPage<'_>);

/// Shows a problem.
pub(crate) fn show(context: &Context, head: &Head, problem: &Problem) -> Response {
    let code = problem.code();
    let site = Site::of(context, head);
    let template = ProblemPage {
        title: site.words.say(code.title_message()).to_string(),
        help: site.words.say(code.help_message()).to_string(),
        wait: wait(&site, problem),
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

/// The time from `Retry-After` in words.
fn wait(site: &Site<'_>, problem: &Problem) -> Option<String> {
    let seconds = problem.headers().get(header::RETRY_AFTER)?;
    let seconds: u64 = seconds.to_str().ok()?.parse().ok()?;
    let message = if seconds < LONG_WAIT {
        let message = site.words.say("problem-wait-seconds");
        message.with("seconds", seconds)
    } else {
        let minutes = seconds.div_ceil(60);
        site.words.say("problem-wait").with("minutes", minutes)
    };
    Some(message.to_string())
}
