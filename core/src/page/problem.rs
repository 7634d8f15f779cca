//! Errors as pages, for browsers.

use askama::Template;

use super::site::Site;
use super::{asset, frame};
use crate::context::Context;
use crate::http;
use crate::http::paging::search_line;
use crate::http::{Head, Response};
use crate::observe::request_id::RequestId;
use crate::problem::{Code, Problem};

/// The route of private links.
const PRIVATE_LINK: &str = "/e/{edit_token}";
/// Below this number of seconds, the page does not count them.
const SHORT_WAIT: u64 = 10;
/// From this number of seconds on, the page gives the wait in minutes.
const LONG_WAIT: u64 = 120;

#[derive(Template)]
#[template(path = "problem.html", block = "main", blocks = ["title", "head"])]
struct ProblemPage<'a> {
    site: Site<'a>,
    title: String,
    /// What to do about it.
    help: String,
    /// Whether a form was sent, which is not saved.
    is_unsaved: bool,
    /// When to try again, if known.
    wait: Option<String>,
    code: Code,
    offers_search: bool,
    /// What the host's log calls the request.
    request_id: Option<&'a str>,
}

frame::page!(ProblemPage<'_>);

/// Shows a problem of a route, if the request has one. The detail is for programs, so the page leaves it out.
pub(crate) fn show(
    context: &Context,
    head: &Head,
    pattern: Option<&str>,
    problem: &Problem,
) -> Response {
    let code = problem.code();
    let mut site = Site::of(context, head);
    let is_of_search =
        code == Code::InvalidParameter && problem.detail().split(' ').next() == Some("q");
    if let (true, Some(search), Ok(Some(text))) =
        (is_of_search, &mut site.search, head.query.one("q"))
    {
        search.text = search_line(&text);
    }
    let name = match code {
        _ if is_of_search => "search",
        Code::NotFound if pattern == Some(PRIVATE_LINK) => "private_link",
        code => code.as_str(),
    };
    // The messages for the API speak to programmers.
    let title = format!("reader-{name}-title");
    let title = site.language.message_or(title, code.title_message());
    let help = format!("reader-{name}");
    let help = site.language.message_or(help, code.help_message());
    let template = ProblemPage {
        title: title.to_string(),
        help: help.to_string(),
        is_unsaved: !head.parts.method.is_safe(),
        wait: retry_message(&site, problem),
        code,
        offers_search: site.search.is_some()
            && (is_of_search || matches!(code, Code::NotFound | Code::Gone)),
        request_id: head.id.as_ref().map(RequestId::as_str),
        site,
    };
    let mut response = super::private_page(context, head, code.status(), &template);
    http::problem::add_headers(problem, &mut response);
    response
}

pub(super) fn retry_message(site: &Site<'_>, problem: &Problem) -> Option<String> {
    let seconds = http::problem::whole_seconds(problem.retry_after()?);
    let message = if seconds < SHORT_WAIT {
        site.language.message("problem-wait-soon")
    } else if seconds < LONG_WAIT {
        let message = site.language.message("problem-wait-seconds");
        message.with("seconds", seconds)
    } else {
        let minutes = seconds.div_ceil(60);
        site.language
            .message("problem-wait")
            .with("minutes", minutes)
    };
    Some(message.to_string())
}

impl Code {
    /// The name of the message with the same text as [`Code::title`].
    pub(crate) fn title_message(self) -> String {
        format!("problem-{}", self.as_str())
    }

    /// The name of the message that says what to do about it.
    pub(crate) fn help_message(self) -> String {
        format!("help-{}", self.as_str())
    }
}
