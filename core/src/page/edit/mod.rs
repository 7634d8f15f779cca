//! The page of one edit address: form, preview, advice and deletion.

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
    /// The post that the form is about, as it is.
    post: &'a PostSummary,
    /// The revision that saving expects.
    revision: u64,
    /// The marks of the fields as they were seen first.
    seen: String,
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
    page(context, head, StatusCode::OK, Shown::of(&post), state).await
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
            let shown = Shown::typed(&post, form);
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
        let (status, shown) = (Code::InvalidPost.status(), Shown::typed(post, form));
        return page(context, head, status, shown, State::Unsaved).await;
    };
    let allow = |post: &Post| allow(post, token, form.opened);
    match posts::update(context, post.summary.id, &change, allow).await {
        Ok(_) => Ok(saved(context, head, token)),
        Err(problem) if problem.code() == Code::PreconditionFailed => {
            let now = posts::read_by_edit_token(context, token.hash()).await?;
            if change.apply(&now, context.clock.now()).is_none() {
                // Sent twice, or saved by somebody else as it is here.
                return Ok(saved(context, head, token));
            }
            conflict(context, head, token, &now, form).await
        }
        Err(problem) => Err(problem),
    }
}

/// Shows what was typed beside what somebody else saved meanwhile. Fields that were not touched are
/// theirs; where that leaves no difference, there is nothing to save.
async fn conflict(
    context: &Context,
    head: &Head,
    token: &EditToken,
    now: &Post,
    form: Form,
) -> Result<Response, Problem> {
    let (published, seen) = (Fields::of(now), form.seen.unwrap_or_default());
    let fields = form.fields.untouched_from(&seen, &published);
    if fields == published {
        return Ok(saved(context, head, token));
    }
    let comparison = Comparison::of(context, published, &fields).await;
    let shown = Shown {
        fields,
        ..Shown::of(now)
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
    let now = posts::read_by_edit_token(context, token.hash()).await?;
    page(context, head, status, Shown::of(&now), state).await
}

/// What a page shows in its form, and of which post.
struct Shown<'a> {
    post: &'a Post,
    /// The revision that saving expects.
    expected: Revision,
    fields: Fields,
    /// The marks of the fields as they were seen first.
    seen: String,
}

impl<'a> Shown<'a> {
    /// The post as it is.
    fn of(post: &'a Post) -> Self {
        let fields = Fields::of(post);
        Self {
            post,
            expected: post.summary.revision,
            seen: fields.marks(),
            fields,
        }
    }

    /// What was sent, once more.
    fn typed(post: &'a Post, form: Form) -> Self {
        let before = Self::of(post);
        Self {
            expected: form.opened.unwrap_or(before.expected),
            seen: form.seen.unwrap_or(before.seen),
            fields: form.fields,
            post,
        }
    }
}

/// Lets through who has the token, and has seen the post as it is.
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

/// The post that the address leads to. A token that leads nowhere counts as a wrong credential.
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
    let template = EditPage {
        site,
        limits: &context.limits,
        post: &post.summary,
        revision: shown.expected.number(),
        seen: shown.seen,
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
    let site = Site::of(context, head);
    let location = site.to(&format!("/e/{}?saved", token.expose())).to_string();
    response::set(&mut response, header::LOCATION, response::ascii(location));
    super::keep_private(head, &mut response);
    response
}

impl<'a> Preview<'a> {
    async fn of(context: &Context, words: &Language, post: &'a Post) -> Self {
        // The post's relative links start from its own address, which is not that of this page.
        let style = article::style(words).with_base(&context.base_url.post(post.summary.id));
        let rendered = posts::render(context, &post.body, style).await;
        Self {
            post: &post.summary,
            html: rendered.html,
        }
    }
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
