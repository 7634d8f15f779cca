//! The page of one edit address: form, preview, advice and deletion.

mod advice;
mod comparison;
mod form;

use askama::Template;
use http::StatusCode;
use http::header;

use self::advice::Hint;
use self::comparison::Comparison;
use self::form::{Action, Fields, Form};
use super::site::Site;
use super::{article, asset, frame};
use crate::context::Context;
use crate::field::FieldError;
use crate::limit::Limits;
use crate::operations::posts;
use crate::post::{Post, PostChange, PostSummary, Revision};
use crate::problem::{Code, Problem};
use crate::request::{Body, Head};
use crate::response::{self, Response};
use crate::secret::EditToken;

#[derive(Template)]
#[template(path = "edit/edit.html", blocks = ["title", "head", "main"])]
struct EditPage<'a> {
    site: Site<'a>,
    limits: &'a Limits,
    /// The post that the form is about, as it is.
    post: &'a PostSummary,
    /// The revision that saving expects.
    revision: u64,
    fields: &'a Fields,
    state: State,
    errors: &'a [FieldError],
    /// The post as saving would make it, unless there are errors.
    preview: Option<Preview<'a>>,
    hints: Vec<Hint>,
}

frame::page!(EditPage<'_>);

/// What became of what was sent.
enum State {
    /// Nothing was sent.
    Fresh,
    Saved,
    /// What is in the form is not saved.
    Unsaved,
    /// Nor is it, since somebody else saved something meanwhile.
    Conflict(Comparison),
    /// Nothing was deleted, for want of a confirmation.
    Unconfirmed,
    /// Nothing was deleted, since somebody saved something meanwhile.
    Overtaken,
}

struct Preview<'a> {
    post: &'a PostSummary,
    html: String,
}

#[derive(Template)]
#[template(path = "edit/deleted.html", blocks = ["title", "head", "main"])]
struct DeletedPage<'a> {
    site: Site<'a>,
}

frame::page!(DeletedPage<'_>);

/// The form, with the post as it is.
pub(crate) async fn show(
    context: &Context,
    head: &Head,
    token: &EditToken,
) -> Result<Response, Problem> {
    let post = read(context, head, token).await?;
    let state = match head.query.one("saved")? {
        Some(_) => State::Saved,
        None => State::Fresh,
    };
    let fields = Fields::of(&post);
    let expected = post.summary.revision;
    page(
        context,
        head,
        StatusCode::OK,
        &post,
        expected,
        &fields,
        state,
    )
    .await
}

/// Does what the button says that was pressed.
pub(crate) async fn send(
    context: &Context,
    head: &Head,
    body: Body,
    token: &EditToken,
) -> Result<Response, Problem> {
    super::expect_own_form(context, head)?;
    let post = read(context, head, token).await?;
    let form = super::read_form(context, body).await?;
    let form = Form::read(&form, &post)?;
    match form.action {
        Action::Save => save(context, head, token, &post, form).await,
        Action::Preview => {
            let expected = form.opened.unwrap_or(post.summary.revision);
            let (ok, unsaved) = (StatusCode::OK, State::Unsaved);
            page(context, head, ok, &post, expected, &form.fields, unsaved).await
        }
        Action::Delete { confirmed } => {
            delete(context, head, token, &post, form.opened, confirmed).await
        }
    }
}

async fn save(
    context: &Context,
    head: &Head,
    token: &EditToken,
    post: &Post,
    form: Form,
) -> Result<Response, Problem> {
    let draft = form.fields.to_draft();
    let Ok(change) = posts::check(context, draft, PostChange::parse).await else {
        let (status, expected) = (Code::InvalidPost.status(), form.opened);
        let expected = expected.unwrap_or(post.summary.revision);
        return page(
            context,
            head,
            status,
            post,
            expected,
            &form.fields,
            State::Unsaved,
        )
        .await;
    };
    let allow = |post: &Post| allow(post, token, form.opened);
    match posts::update(context, post.summary.id, &change, allow).await {
        Ok(_) => Ok(saved(context, head, token)),
        Err(problem) if problem.code() == Code::PreconditionFailed => {
            let now = posts::read_by_edit_token(context, token.hash()).await?;
            let comparison = Comparison::of(context, Fields::of(&now), &form.fields).await;
            let (status, expected) = (problem.code().status(), now.summary.revision);
            let state = State::Conflict(comparison);
            page(context, head, status, &now, expected, &form.fields, state).await
        }
        Err(problem) => Err(problem),
    }
}

async fn delete(
    context: &Context,
    head: &Head,
    token: &EditToken,
    post: &Post,
    opened: Option<Revision>,
    confirmed: bool,
) -> Result<Response, Problem> {
    let (mut status, mut state) = (Code::InvalidPost.status(), State::Unconfirmed);
    if confirmed {
        let allow = |post: &Post| allow(post, token, opened);
        match posts::delete(context, post.summary.id, allow).await {
            Ok(()) => {
                let site = Site::of_any(context, head);
                let page = DeletedPage { site };
                return Ok(super::private(context, head, StatusCode::OK, &page));
            }
            Err(problem) if problem.code() == Code::PreconditionFailed => {
                (status, state) = (problem.code().status(), State::Overtaken);
            }
            Err(problem) => return Err(problem),
        }
    }
    let now = posts::read_by_edit_token(context, token.hash()).await?;
    let expected = now.summary.revision;
    page(
        context,
        head,
        status,
        &now,
        expected,
        &Fields::of(&now),
        state,
    )
    .await
}

/// Lets through who has the token, and has seen the post as it is.
fn allow(post: &Post, token: &EditToken, opened: Option<Revision>) -> Result<(), Problem> {
    posts::allow_editor(post, token.hash())?;
    match opened {
        Some(revision) if revision != post.summary.revision => Err(Problem::new(
            Code::PreconditionFailed,
            "the post was changed since this page was opened",
        )),
        _ => Ok(()),
    }
}

/// The post that the address leads to. A token that leads nowhere counts as a wrong credential.
async fn read(context: &Context, head: &Head, token: &EditToken) -> Result<Post, Problem> {
    posts::read_by_edit_token(context, token.hash())
        .await
        .map_err(|problem| match problem.code() {
            Code::NotFound => context.meter.count_wrong(head.client, problem),
            _ => problem,
        })
}

async fn page(
    context: &Context,
    head: &Head,
    status: StatusCode,
    post: &Post,
    expected: Revision,
    fields: &Fields,
    state: State,
) -> Result<Response, Problem> {
    let checked = posts::check(context, fields.to_draft(), PostChange::parse).await;
    let (after, errors) = match checked {
        Ok(change) => (change.apply(post, context.clock.now()), Vec::new()),
        Err(errors) => (None, errors),
    };
    let after = after.as_ref().unwrap_or(post);
    let preview = match errors.is_empty() {
        true => Some(Preview {
            post: &after.summary,
            html: context.renderer.html(&after.body).await,
        }),
        false => None,
    };
    let template = EditPage {
        site: Site::of_any(context, head),
        limits: &context.limits,
        post: &post.summary,
        revision: expected.number(),
        fields,
        state,
        hints: advice::on(context, fields).await,
        errors: &errors,
        preview,
    };
    Ok(super::private(context, head, status, &template))
}

/// Back to the form by `GET`, so that reloading it does not save again.
fn saved(context: &Context, head: &Head, token: &EditToken) -> Response {
    let mut response = response::empty(StatusCode::SEE_OTHER);
    let site = Site::of_any(context, head);
    let location = site.to(&format!("/e/{}?saved", token.expose())).to_string();
    response::set(&mut response, header::LOCATION, response::ascii(&location));
    super::keep_private(head, &mut response);
    response
}

impl EditPage<'_> {
    /// What is wrong with a field, if anything is.
    fn fault(&self, field: &str) -> Option<String> {
        let error = self.errors.iter().find(|error| error.field == field)?;
        Some(self.site.fault(error, self.limits))
    }

    /// What a field is called.
    fn label(&self, field: &str) -> String {
        self.site.words.say(format!("label-{field}")).to_string()
    }

    fn is_unsaved(&self) -> bool {
        matches!(self.state, State::Unsaved | State::Conflict(_))
    }

    fn is_unconfirmed(&self) -> bool {
        matches!(self.state, State::Unconfirmed)
    }

    fn is_about_deleting(&self) -> bool {
        matches!(self.state, State::Unconfirmed | State::Overtaken)
    }
}
