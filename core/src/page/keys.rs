//! `/keys`: the page for requesting an API key.

use askama::Template;
use http::StatusCode;

use super::site::Site;
use super::{asset, frame, text};
use crate::context::Context;
use crate::http::request::{Body, Head};
use crate::http::response::Response;
use crate::operations::keys::Keys;
use crate::post::change::Actor;
use crate::problem::{Code, Problem};

#[derive(Template)]
#[template(path = "keys.html", block = "main", blocks = ["title", "head"])]
struct KeysPage<'a> {
    site: Site<'a>,
    max_label: usize,
    state: State<'a>,
}

enum State<'a> {
    Asking {
        label: &'a str,
        fault: Option<String>,
    },
    Closed {
        helps_to_sign_in: bool,
        login: Option<String>,
    },
    Issued(&'a str),
}

frame::page!(KeysPage<'_>);

impl KeysPage<'_> {
    /// The page's title, which says what happened.
    fn title(&self) -> String {
        let words = self.site.words;
        let title = match self.state {
            State::Issued(_) => words.message("keys-issued"),
            State::Asking { .. } | State::Closed { .. } => words.message("keys-title"),
        };
        let page = format!("{title} – {}", self.site.name);
        match self.state {
            State::Asking { fault: Some(_), .. } => {
                words.message("state-fault").with("page", page).to_string()
            }
            _ => page,
        }
    }
}

pub(crate) fn show(context: &Context, head: &Head) -> Response {
    let state = match context.key_requests.is_open_to(head) {
        true => State::Asking {
            label: "",
            fault: None,
        },
        false => State::Closed {
            helps_to_sign_in: context.key_requests.are_for_signed_in(),
            login: super::editor::login(context, head, "/keys"),
        },
    };
    let site = Site::of(context, head);
    page(context, head, site, StatusCode::OK, state)
}

/// Issues a key and shows it. It is not shown again.
pub(crate) async fn issue(context: &Context, head: &Head, body: Body) -> Result<Response, Problem> {
    super::check_own_form(context, head)?;
    let mut site = Site::of(context, head);
    let (keys, at) = (Keys::new(context), context.clock.now());
    let owner = context
        .key_requests
        .allow(head, &context.rate_limiter)
        .await?;
    let by = Actor::of_visitor(owner.as_ref());
    let label = super::read_form(context, head, body, |form| form.one("label")).await?;
    let label = label.unwrap_or_default();
    match keys.issue_by(Some(&label), owner, &by, at).await {
        Ok(issued) => {
            // Leaving the page would lose the key.
            site.links_languages = false;
            let state = State::Issued(issued.key.expose());
            Ok(page(context, head, site, StatusCode::OK, state))
        }
        Err(problem) if matches!(problem.code(), Code::InvalidPost | Code::Refused) => {
            let status = problem.code().status();
            let fault = match problem.errors().first() {
                Some(error) => site.fault(error),
                None => site.words.message("refused-by_site").to_string(),
            };
            let state = State::Asking {
                label: &label,
                fault: Some(fault),
            };
            Ok(page(context, head, site, status, state))
        }
        Err(problem) => Err(problem),
    }
}

fn page(
    context: &Context,
    head: &Head,
    site: Site<'_>,
    status: StatusCode,
    state: State<'_>,
) -> Response {
    let template = KeysPage {
        site,
        max_label: context.limits.label,
        state,
    };
    super::private(context, head, status, &template)
}
