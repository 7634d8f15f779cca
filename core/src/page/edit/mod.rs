//! `/e/{edit_token}`: the edit page of a post, with form, preview, advice and deletion.

mod advice;
mod comparison;
mod form;

use std::sync::Arc;

use askama::Template;
use http::StatusCode;
use http::header;
use http_body::Body as _;

use self::advice::Hint;
use self::comparison::Difference;
use self::form::{Action, Fields, Form};
use super::site::Site;
use super::{article, asset, frame};
use crate::blocking::Work;
use crate::context::Context;
use crate::field::FieldError;
use crate::http::request::{Body, Head};
use crate::http::response::{self, Response};
use crate::language::Language;
use crate::limit::Limits;
use crate::markdown::{self, Style};
use crate::operations::posts;
use crate::post::{Post, PostChange, PostSummary, Revision};
use crate::problem::{Code, Problem};
use crate::secret::EditToken;
use crate::time::Timestamp;

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
    preview: Option<Preview>,
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
    Conflict(Vec<Difference>),
    /// The post is not deleted, since the user did not confirm it.
    Unconfirmed,
    /// The post is not deleted, since it was changed after the user opened it.
    Overtaken,
}

/// A post as it would be saved, with advice on it.
struct Preview {
    post: PostSummary,
    html: String,
    hints: Vec<Hint>,
}

impl Preview {
    /// Validates the fields, and renders the post that has them.
    fn of(
        fields: &Fields,
        post: &Post,
        now: Timestamp,
        limits: &Limits,
        words: &'static Language,
        style: &Style,
    ) -> Result<Self, Vec<FieldError>> {
        let change = PostChange::parse(fields.to_draft(), limits).map_err(|mut errors| {
            let names = fields.named().map(|(name, _)| name);
            errors.sort_by_key(|error| names.iter().position(|name| *name == error.field));
            errors
        })?;
        let post = change.apply(post, now).unwrap_or_else(|| post.clone());
        let rendered = markdown::render(&post.body, style);
        Ok(Self {
            hints: advice::on(words, &post.summary, &rendered),
            html: rendered.html,
            post: post.summary,
        })
    }
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
    let editor = Editor::new(context, head, token);
    let post = editor.read().await?;
    let state = match head.query.one("saved")? {
        Some(_) => State::Saved,
        None => State::Fresh,
    };
    editor.page(StatusCode::OK, Shown::of(&post), state).await
}

/// Handles a submitted form: saves, previews or deletes.
pub(crate) async fn send(
    context: &Context,
    head: &Head,
    body: Body,
    token: &EditToken,
) -> Result<Response, Problem> {
    super::expect_own_form(context, head)?;
    let editor = Editor::new(context, head, token);
    let post = editor.read().await?;
    let form = super::read_form(context, body).await?;
    let form = Form::read(&form, &post)?;
    match form.action {
        Action::Save => {
            context.meter.count_change(post.summary.id)?;
            editor.save(&post, form).await
        }
        Action::Preview => {
            context.meter.count_preview(head.client)?;
            let shown = Shown::submitted(&post, form);
            editor.page(StatusCode::OK, shown, State::Unsaved).await
        }
        Action::Delete { confirmed } => {
            context.meter.count_change(post.summary.id)?;
            editor.delete(&post, form.opened, confirmed).await
        }
    }
}

/// The content of the form on the page.
struct Shown<'a> {
    post: &'a Arc<Post>,
    /// The revision that saving expects.
    expected: Revision,
    fields: Fields,
    /// The hashes of the fields when the user opened the form.
    opened_hashes: String,
}

impl<'a> Shown<'a> {
    /// The current post.
    fn of(post: &'a Arc<Post>) -> Self {
        let fields = Fields::of(post);
        Self {
            post,
            expected: post.summary.revision,
            opened_hashes: fields.hashes(),
            fields,
        }
    }

    /// The submitted form.
    fn submitted(post: &'a Arc<Post>, form: Form) -> Self {
        let current = Self::of(post);
        Self {
            expected: form.opened.unwrap_or(current.expected),
            opened_hashes: form.opened_hashes.unwrap_or(current.opened_hashes),
            fields: form.fields,
            post,
        }
    }
}

/// A request for the edit page with this token.
struct Editor<'a> {
    context: &'a Context,
    head: &'a Head,
    token: &'a EditToken,
    site: Site<'a>,
}

impl<'a> Editor<'a> {
    fn new(context: &'a Context, head: &'a Head, token: &'a EditToken) -> Self {
        Self {
            context,
            head,
            token,
            site: Site::of(context, head),
        }
    }

    /// Reads the post that the token belongs to. An unknown token counts as a wrong credential.
    async fn read(&self) -> Result<Arc<Post>, Problem> {
        self.read_again()
            .await
            .map_err(|problem| match problem.code() {
                Code::NotFound => self.context.meter.count_wrong(self.head.client, problem),
                _ => problem,
            })
    }

    async fn read_again(&self) -> Result<Arc<Post>, Problem> {
        posts::read_by_edit_token(self.context, self.token.hash()).await
    }

    async fn save(self, post: &Arc<Post>, form: Form) -> Result<Response, Problem> {
        let draft = form.fields.to_draft();
        let Ok(change) = posts::check(self.context, draft, PostChange::parse).await else {
            let (status, shown) = (Code::InvalidPost.status(), Shown::submitted(post, form));
            return self.page(status, shown, State::Unsaved).await;
        };
        posts::count_growth(self.context, post, &change)?;
        let allow = |post: &Post| allow(post, self.token, form.opened);
        match posts::update(self.context, post.summary.id, &change, allow).await {
            Ok(_) => Ok(self.saved()),
            Err(problem) if problem.code() == Code::PreconditionFailed => {
                let current = self.read_again().await?;
                if change.apply(&current, self.context.clock.now()).is_none() {
                    // The form was submitted twice, or another user saved the same content.
                    return Ok(self.saved());
                }
                self.conflict(&current, form).await
            }
            Err(problem) => Err(problem),
        }
    }

    /// Shows the submitted fields next to the current ones, which another user saved. Fields that the
    /// user did not edit take their current values. If no difference remains, there is nothing to save.
    async fn conflict(self, current: &Arc<Post>, form: Form) -> Result<Response, Problem> {
        let published = Fields::of(current);
        let opened_hashes = form.opened_hashes.unwrap_or_default();
        let fields = form.fields.with_unedited_from(&opened_hashes, &published);
        if fields == published {
            return Ok(self.saved());
        }
        let differences = comparison::of(self.context, published, &fields).await;
        let shown = Shown {
            fields,
            ..Shown::of(current)
        };
        let status = Code::PreconditionFailed.status();
        self.page(status, shown, State::Conflict(differences)).await
    }

    async fn delete(
        self,
        post: &Post,
        opened: Option<Revision>,
        confirmed: bool,
    ) -> Result<Response, Problem> {
        let (mut status, mut state) = (Code::InvalidPost.status(), State::Unconfirmed);
        if confirmed {
            let allow = |post: &Post| allow(post, self.token, opened);
            match posts::delete(self.context, post.summary.id, allow).await {
                Ok(()) => {
                    let page = DeletedPage { site: self.site };
                    let status = StatusCode::OK;
                    return Ok(super::private(self.context, self.head, status, &page));
                }
                Err(problem) if problem.code() == Code::PreconditionFailed => {
                    (status, state) = (problem.code().status(), State::Overtaken);
                }
                Err(problem) => return Err(problem),
            }
        }
        let current = self.read_again().await?;
        self.page(status, Shown::of(&current), state).await
    }

    /// Redirects to the form, so that reloading the page does not submit it again.
    fn saved(&self) -> Response {
        let mut response = response::empty(StatusCode::SEE_OTHER);
        let location = self.site.to(&format!("/e/{}?saved", self.token.expose()));
        response::set(&mut response, header::LOCATION, response::ascii(location));
        super::set_private_headers(self.head, &mut response);
        response
    }

    async fn page(
        self,
        status: StatusCode,
        shown: Shown<'_>,
        state: State,
    ) -> Result<Response, Problem> {
        let (context, words) = (self.context, self.site.words);
        let (post, fields) = (shown.post, shown.fields);
        // Relative links in the post are relative to its own address, not to the edit page.
        let style = article::style(words).with_base(&context.base_url.post(post.summary.id));
        let (limits, now) = (context.limits.clone(), context.clock.now());
        let turn = context.blocking.turn(Work::Read, fields.len()).await;
        let before = Arc::clone(post);
        let preview = move || {
            let preview = Preview::of(&fields, &before, now, &limits, words, &style);
            (fields, preview)
        };
        let (fields, preview) = turn.run(preview).await;
        let (preview, errors) = match preview {
            Ok(preview) => (Some(preview), Vec::new()),
            Err(errors) => (None, errors),
        };
        let template = EditPage {
            site: self.site,
            limits: &context.limits,
            post: &post.summary,
            revision: shown.expected.number(),
            seen: shown.opened_hashes,
            fields: &fields,
            state,
            errors: &errors,
            preview,
        };
        let response = super::private(context, self.head, status, &template);
        let len = response.body().size_hint().lower() as usize;
        context.large_bodies.expect_room(len)?;
        Ok(response)
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
