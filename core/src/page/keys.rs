use askama::Template;
use http::StatusCode;

use crate::context::Context;
use crate::key_requests::KeyRequests;
use crate::operations::keys::Keys;
use crate::problem::{Code, Problem};
use crate::request::{Body, Head};
use crate::response::Response;

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage<'a> {
    root: &'a str,
    max_label: usize,
    state: State<'a>,
}

enum State<'a> {
    Asking(Option<&'a str>),
    Closed,
    Issued(&'a str),
}

/// The form that asks for a key.
pub(crate) fn show(context: &Context) -> Result<Response, Problem> {
    let state = match &context.key_requests {
        KeyRequests::Open | KeyRequests::Decided(_) => State::Asking(None),
        KeyRequests::Closed => State::Closed,
    };
    Ok(page(context, StatusCode::OK, state))
}

/// Issues a key and shows it, this once.
pub(crate) async fn issue(context: &Context, head: &Head, body: Body) -> Result<Response, Problem> {
    super::expect_own_form(context, head)?;
    let keys = Keys::new(context);
    keys.allow_request(head).await?;
    let form = super::read_form(context, body).await?;
    let label = form.one("label")?;
    match keys.issue(label.as_deref()).await {
        Ok(issued) => Ok(page(
            context,
            StatusCode::OK,
            State::Issued(issued.key.expose()),
        )),
        Err(problem) if problem.code() == Code::InvalidPost => {
            let state = State::Asking(Some(problem.detail()));
            Ok(page(context, problem.code().status(), state))
        }
        Err(problem) => Err(problem),
    }
}

fn page(context: &Context, status: StatusCode, state: State<'_>) -> Response {
    let root = context.base_url.path();
    super::private(
        status,
        &KeysPage {
            root,
            max_label: context.limits.label,
            state,
        },
    )
}
