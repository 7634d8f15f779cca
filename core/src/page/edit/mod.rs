//! `/e/{edit_token}`: the edit page of a post, with form, preview, advice and deletion.

mod advice;
mod comparison;
mod form;

use std::sync::Arc;

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
use crate::http::request::{Body, Head};
use crate::http::response::{self, Response};
use crate::language::Language;
use crate::limit::Limits;
use crate::operations::posts;
use crate::post::{Post, PostChange, PostSummary, Revision};
use crate::problem::{Code, Problem};
use crate::secret::EditToken;

/// The fields in the order of the form.
const FIELDS: [&str; 4] = ["title", "body", "tags", "focus_keyword"];

#[derive(Template)]
#[template(path = "edit/edit.html", blocks = ["title", "head", "main"])]
struct EditPage<'a> {
    site: Site<'a>,
    limits: &'a Limits,
    /// The current post.
    post: &'a PostSummary,
    /// The revision that saving expects.
    revision: u64,
    /// The hashes of the fields when the user opened the form.
    seen: String,
    fields: &'a Fields,
    state: State,
    errors: &'a [FieldError],
    /// The post as it would be saved, unless there are errors.
    preview: Option<Preview<'a>>,
    hints: Vec<Hint>,
}

frame::page!(EditPage<'_>);

/// The result of submitting the form.
enum State {
    /// Nothing was submitted.
    Fresh,
    Saved,
    /// The form shows a preview or errors, and is not saved.
    Unsaved,
    /// The form is not saved, since the post was changed after the user opened it.
    Conflict(Comparison),
    /// The post is not deleted, since the user did not confirm it.
    Unconfirmed,
    /// The post is not deleted, since it was changed after the user opened it.
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

/// Shows the form with the current post.
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
    page(context, head, StatusCode::OK, Shown::of(&post), state).await
}

/// Handles a submitted form: saves, previews or deletes.
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
            let shown = Shown::submitted(&post, form);
            page(context, head, StatusCode::OK, shown, State::Unsaved).await
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
        let (status, shown) = (Code::InvalidPost.status(), Shown::submitted(post, form));
        return page(context, head, status, shown, State::Unsaved).await;
    };
    let allow = |post: &Post| allow(post, token, form.opened);
    match posts::update(context, post.summary.id, &change, allow).await {
        Ok(_) => Ok(saved(context, head, token)),
        Err(problem) if problem.code() == Code::PreconditionFailed => {
            let current = posts::read_by_edit_token(context, token.hash()).await?;
            if change.apply(&current, context.clock.now()).is_none() {
                // The form was submitted twice, or somebody else saved the same content.
                return Ok(saved(context, head, token));
            }
            conflict(context, head, token, &current, form).await
        }
        Err(problem) => Err(problem),
    }
}

/// Shows the submitted fields next to the current ones, which somebody else saved. Fields that the user
/// did not edit take their current values. If no difference remains, there is nothing to save.
async fn conflict(
    context: &Context,
    head: &Head,
    token: &EditToken,
    current: &Post,
    form: Form,
) -> Result<Response, Problem> {
    let published = Fields::of(current);
    let opened_hashes = form.opened_hashes.unwrap_or_default();
    let fields = form.fields.with_unedited_from(&opened_hashes, &published);
    if fields == published {
        return Ok(saved(context, head, token));
    }
    let comparison = Comparison::of(context, published, &fields).await;
    let shown = Shown {
        fields,
        ..Shown::of(current)
    };
    let status = Code::PreconditionFailed.status();
    page(context, head, status, shown, State::Conflict(comparison)).await
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
                let site = Site::of(context, head);
                let page = DeletedPage { site };
                return Ok(super::private(context, head, StatusCode::OK, &page));
            }
            Err(problem) if problem.code() == Code::PreconditionFailed => {
                (status, state) = (problem.code().status(), State::Overtaken);
            }
            Err(problem) => return Err(problem),
        }
    }
    let current = posts::read_by_edit_token(context, token.hash()).await?;
    page(context, head, status, Shown::of(&current), state).await
}

/// The content of the form on the page.
struct Shown<'a> {
    post: &'a Post,
    /// The revision that saving expects.
    expected: Revision,
    fields: Fields,
    /// The hashes of the fields when the user opened the form.
    opened_hashes: String,
}

impl<'a> Shown<'a> {
    /// The current post.
    fn of(post: &'a Post) -> Self {
        let fields = Fields::of(post);
        Self {
            post,
            expected: post.summary.revision,
            opened_hashes: fields.hashes(),
            fields,
        }
    }

    /// The submitted form.
    fn submitted(post: &'a Post, form: Form) -> Self {
        let current = Self::of(post);
        Self {
            expected: form.opened.unwrap_or(current.expected),
            opened_hashes: form.opened_hashes.unwrap_or(current.opened_hashes),
            fields: form.fields,
            post,
        }
    }
}

/// Allows a change if the token is current and the post has not changed since the user opened the form.
fn allow(post: &Post, token: &EditToken, opened: Option<Revision>) -> Result<(), Problem> {
    posts::allow_editor(post, token.hash())?;
    match opened {
        Some(revision) if revision != post.summary.revision => Err(Problem::new(
            Code::PreconditionFailed,
            "The post was changed after this page was opened.",
        )),
        _ => Ok(()),
    }
}

/// Reads the post that the token belongs to. An unknown token counts as a wrong credential.
async fn read(context: &Context, head: &Head, token: &EditToken) -> Result<Arc<Post>, Problem> {
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
    shown: Shown<'_>,
    state: State,
) -> Result<Response, Problem> {
    let (post, fields) = (shown.post, &shown.fields);
    let checked = posts::check(context, fields.to_draft(), PostChange::parse).await;
    let (after, mut errors) = match checked {
        Ok(change) => (change.apply(post, context.clock.now()), Vec::new()),
        Err(errors) => (None, errors),
    };
    errors.sort_by_key(|error| FIELDS.iter().position(|field| *field == error.field));
    let after = after.as_ref().unwrap_or(post);
    let site = Site::of(context, head);
    let preview = match errors.is_empty() {
        true => Some(Preview::of(context, site.words, after).await),
        false => None,
    };
    let hints = advice::on(context, site.words, fields).await;
    let template = EditPage {
        site,
        limits: &context.limits,
        post: &post.summary,
        revision: shown.expected.number(),
        seen: shown.opened_hashes,
        fields,
        state,
        hints,
        errors: &errors,
        preview,
    };
    Ok(super::private(context, head, status, &template))
}

/// Redirects to the form, so that reloading the page does not submit it again.
fn saved(context: &Context, head: &Head, token: &EditToken) -> Response {
    let mut response = response::empty(StatusCode::SEE_OTHER);
    let site = Site::of(context, head);
    let location = site.to(&format!("/e/{}?saved", token.expose()));
    response::set(&mut response, header::LOCATION, response::ascii(location));
    super::set_private_headers(head, &mut response);
    response
}

impl<'a> Preview<'a> {
    async fn of(context: &Context, words: &Language, post: &'a Post) -> Self {
        // Relative links in the post are relative to its own address, not to the edit page.
        let style = article::style(words).with_base(&context.base_url.post(post.summary.id));
        let rendered = posts::render(context, &post.body, style).await;
        Self {
            post: &post.summary,
            html: rendered.html,
        }
    }
}

impl EditPage<'_> {
    /// The message about the error in a field, if there is one.
    fn fault(&self, field: &str) -> Option<String> {
        let error = self.errors.iter().find(|error| error.field == field)?;
        Some(self.site.fault(error, self.limits))
    }

    /// The name of a field on the page.
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
