//! `/keys`: the page for requesting an API key.

use ::http::StatusCode;
use askama::Template;

use super::site::Site;
use super::{asset, editor, frame, text};
use crate::context::Context;
use crate::host::key_requests::KeyRequests;
use crate::http;
use crate::http::{Body, Head, Response};
use crate::operations::keys::Keys;
use crate::post::Actor;
use crate::problem::Problem;
use crate::route::Call;

#[derive(Template)]
#[template(path = "keys.html", block = "main", blocks = ["title", "head"])]
struct KeysPage<'a> {
    site: Site<'a>,
    max_label: usize,
    state: KeysState<'a>,
}

enum KeysState<'a> {
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
        let language = self.site.language;
        let title = match self.state {
            KeysState::Issued(_) => language.message("keys-issued"),
            KeysState::Asking { .. } | KeysState::Closed { .. } => language.message("keys-title"),
        };
        let page = format!("{title} – {}", self.site.name);
        match self.state {
            KeysState::Asking { fault: Some(_), .. } => language
                .message("state-fault")
                .with("page", page)
                .to_string(),
            _ => page,
        }
    }
}

pub(crate) fn show(call: Call<'_>) -> Response {
    let Call { context, head, .. } = call;
    let state = match context.key_requests.is_open_to(head) {
        true => KeysState::Asking {
            label: "",
            fault: None,
        },
        false => KeysState::Closed {
            helps_to_sign_in: matches!(context.key_requests, KeyRequests::SignedIn),
            login: editor::login(context, head, "/keys"),
        },
    };
    let site = Site::of(context, head);
    page(context, head, site, StatusCode::OK, state)
}

/// Issues a key and shows it. It is not shown again.
pub(crate) async fn issue(call: Call<'_>, body: Body) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    super::check_own_form(context, head)?;
    let at = context.clock.now();
    let (keys, limiter) = (&context.key_requests, &context.rate_limiter);
    let permission = match keys.allow(head, limiter).await {
        Err(problem) if !editor::returns_form(head, &problem) => return Err(problem),
        permission => permission,
    };
    let label = super::read_form(context, head, body, |form| form.one("label")).await?;
    let label = label.unwrap_or_default();
    let issued = match permission {
        Ok(owner) => {
            let actor = Actor::of_visitor(owner.as_ref());
            let keys = Keys::new(context);
            keys.issue_by(Some(&label), owner, &actor, at).await
        }
        Err(problem) => Err(problem),
    };
    let mut site = Site::of(context, head);
    match issued {
        Ok(issued) => {
            // Leaving the page would lose the key.
            site.links_languages = false;
            let state = KeysState::Issued(issued.key.expose());
            Ok(page(context, head, site, StatusCode::OK, state))
        }
        Err(problem) if editor::returns_form(head, &problem) => {
            let fault = match problem.errors().first() {
                Some(error) => site.error_message(error),
                None => editor::reason(&site, problem.code()),
            };
            let wait = super::problem::retry_message(&site, &problem);
            let fault = [Some(fault), wait].into_iter().flatten();
            let state = KeysState::Asking {
                label: &label,
                fault: Some(fault.collect::<Vec<_>>().join(" ")),
            };
            let mut response = page(context, head, site, problem.code().status(), state);
            http::problem::add_headers(&problem, &mut response);
            Ok(response)
        }
        Err(problem) => Err(problem),
    }
}

fn page(
    context: &Context,
    head: &Head,
    site: Site<'_>,
    status: StatusCode,
    state: KeysState<'_>,
) -> Response {
    let template = KeysPage {
        site,
        max_label: context.limits.label,
        state,
    };
    super::private_page(context, head, status, &template)
}
