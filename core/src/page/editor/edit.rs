//! `/e/{edit_token}` and `/p/{id}/edit`: the edit page of a post, with form, preview, advice and deletion.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::StatusCode;

use super::edit_page::{DeletedPage, EditPage, EditState, ShownForm};
use super::form::{Action, Fields, Form};
use super::merge::{self, MergedForm};
use super::{EditAddress, FormPage, language_name, refused};
use crate::api;
use crate::context::Context;
use crate::http::{Body, Head, Query, Response};
use crate::limits::queue::Permit;
use crate::operations::access::Credentials;
use crate::operations::posts::{self, IsExpected};
use crate::page;
use crate::page::site::Site;
use crate::post::{Draft, DueField, Post, PostChange, Timestamp, Visibility};
use crate::problem::{Code, Problem};
use crate::route::Call;

/// The maximum number of merges of one form. After that, the user decides.
const MAX_MERGES: u32 = 100;

/// Shows the form with the current post.
pub(crate) async fn show(call: Call<'_>) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    let address = EditAddress::of(call);
    if let EditAddress::OfPost(_) = address
        && let Some(login) = super::login(context, head, &address.path())
    {
        return Ok(super::to_login(login));
    }
    let editor = Editor::new(context, head, &address).await;
    let post = editor.read().await?;
    context
        .rate_limiter
        .pages
        .edit_pages
        .count(head.requester())?;
    let state = if head.query.one("published")?.is_some() {
        EditState::Published
    } else if head.query.one("renewed")?.is_some() {
        EditState::Renewed
    } else if head.query.one("saved")?.is_some() {
        EditState::Saved
    } else {
        EditState::Fresh
    };
    let permit = editor.permit_to_show(post.body.len()).await?;
    let shown = ShownForm {
        is_held: head.query.one("held")?.is_some(),
        ..ShownForm::of(&post)
    };
    editor.page(&permit, None, shown, state).await
}

/// Handles a submitted form: saves, previews or deletes.
pub(crate) async fn send(call: Call<'_>, body: Body) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    let address = EditAddress::of(call);
    let has_login =
        context.login.is_some() || context.saw_signed_in_visitor.load(Ordering::Relaxed);
    if matches!(address, EditAddress::OfPost(_)) && !has_login {
        return Err(Problem::not_found());
    }
    let editor = Editor::new(context, head, &address).await;
    let post = match editor.admit().await {
        Ok(post) => post,
        Err(problem) => return refused::show(context, head, body, &address, problem).await,
    };
    let current = Arc::clone(&post);
    let has_name = super::author(context, head).is_some();
    let read = move |form: &Query| Form::read(form, &current, has_name);
    let form = page::read_form(context, head, body, read).await?;
    match editor.handle(&post, &form).await {
        Err(problem) => editor.refuse(ShownForm::submitted(&post, &form), problem),
        handled => handled,
    }
}

/// A request for the edit page at this address.
struct Editor<'a> {
    context: &'a Context,
    head: &'a Head,
    address: &'a EditAddress,
    site: Site<'a>,
    user: Option<String>,
    /// When the request came.
    at: Option<Timestamp>,
}

impl<'a> Editor<'a> {
    async fn new(context: &'a Context, head: &'a Head, address: &'a EditAddress) -> Self {
        let at = Some(context.clock.now());
        Self {
            at,
            context,
            head,
            address,
            site: Site::of(context, head),
            user: super::user_of_page(context, head).await,
        }
    }

    /// Reads the post at this address. An unknown token counts as a wrong credential, and so does another owner.
    async fn read(&self) -> Result<Arc<Post>, Problem> {
        self.read_again().await.map_err(|problem| {
            let is_wrong = match self.address {
                EditAddress::Link(_) => problem.code() == Code::NotFound,
                EditAddress::OfPost(_) => problem.code() == Code::NotTheOwner,
            };
            let (rate_limiter, requester) = (&self.context.rate_limiter, self.head.requester());
            match is_wrong {
                true => rate_limiter.count_wrong(requester, problem),
                false => problem,
            }
        })
    }

    /// The post of a request that may be handled. If every action is refused, the form is not needed.
    async fn admit(&self) -> Result<Arc<Post>, Problem> {
        page::check_own_form(self.context, self.head)?;
        let post = self.read().await?;
        let (id, requester) = (post.summary.id, self.head.requester());
        self.context
            .rate_limiter
            .allow_change_or_preview(id, requester)?;
        Ok(post)
    }

    async fn handle(&self, post: &Arc<Post>, form: &Form) -> Result<Response, Problem> {
        let rate_limiter = &self.context.rate_limiter;
        match form.action {
            Action::Preview => rate_limiter.pages.previews.count(self.head.requester())?,
            _ => rate_limiter.changes.count(&post.summary.id)?,
        }
        match form.action {
            Action::Save => match self.save(post, form).await {
                Err(problem) if problem.code() == Code::PreconditionFailed => {
                    self.merge(form, problem).await
                }
                saved => saved,
            },
            Action::Preview => {
                let permit = self.permit_to_show(form.fields.len()).await?;
                let shown = ShownForm::submitted(post, form);
                self.page(&permit, None, shown, EditState::Unsaved).await
            }
            Action::Delete { confirmed } => self.delete(post, form, confirmed).await,
            Action::Renew => self.renew(post).await,
            Action::Cancel(field) => self.cancel(post, field).await,
        }
    }

    /// Shows the form again, with the reason why it was refused. Nothing is rendered, so this waits for nothing.
    fn refuse(&self, mut shown: ShownForm<'_>, problem: Problem) -> Result<Response, Problem> {
        if !super::returns_form(self.head, &problem) {
            return Err(problem);
        }
        let fields = mem::take(&mut shown.fields);
        let form_page = FormPage::refused(self.context, &self.site, fields, &problem);
        self.respond(Some(&problem), shown, form_page, EditState::Unsaved)
    }

    /// Waits until a text of so many bytes may be rendered.
    async fn permit_to_show(&self, len: usize) -> Result<Permit, Problem> {
        let reads = &self.context.queues.reads;
        reads.permit(self.head.client, len).await
    }

    /// What lets the visitor in. Without a sign-in there is no page at the post's own address.
    fn credentials(&self) -> Result<Credentials, Problem> {
        match (self.address, &self.head.signed_in) {
            (EditAddress::Link(token), _) => Ok(Credentials::Token(token.hash())),
            (EditAddress::OfPost(_), Some(visitor)) => Ok(visitor.into()),
            (EditAddress::OfPost(_), None) => Err(Problem::not_found()),
        }
    }

    async fn read_again(&self) -> Result<Arc<Post>, Problem> {
        let credentials = self.credentials()?;
        match self.address {
            EditAddress::Link(token) => posts::read_by_edit_token(self.context, token.hash()).await,
            EditAddress::OfPost(id) => posts::read_to_change(self.context, *id, &credentials).await,
        }
    }

    async fn save(&self, post: &Arc<Post>, form: &Form) -> Result<Response, Problem> {
        let writes = &self.context.queues.writes;
        let permit = writes.permit(self.head.client, form.fields.len()).await?;
        let change = self.parse(&permit, &form.fields, post).await?;
        drop(permit);
        posts::count_growth(self.context, post, &change)?;
        let is_opened = |post: &Post| form.was_opened_as(post);
        let saved = self.update(post, &change, &is_opened).await?;
        Ok(self.saved(post, &saved, &form.fields).await)
    }

    async fn update(
        &self,
        post: &Post,
        change: &PostChange,
        is_expected: IsExpected<'_>,
    ) -> Result<Arc<Post>, Problem> {
        let (id, credentials) = (post.summary.id, self.credentials()?);
        posts::update(self.context, id, &credentials, change, is_expected, self.at).await
    }

    /// What the fields of a form change in this post.
    async fn parse(
        &self,
        permit: &Permit,
        fields: &Fields,
        post: &Post,
    ) -> Result<PostChange, Problem> {
        let language = post.summary.language.clone();
        let parse = language_name::registered(language, PostChange::parse);
        let parsed =
            posts::validate(self.context, permit, fields.to_draft(Some(post)), parse).await;
        parsed.map_err(Problem::invalid_fields)
    }

    /// Saves the form together with what another user saved after it was opened. If both changed the same, this shows
    /// both versions and saves nothing.
    async fn merge(&self, form: &Form, overtaken: Problem) -> Result<Response, Problem> {
        for _ in 0..MAX_MERGES {
            let current = self.read_again().await?;
            // All work is done under one permit, so that no results wait for another one.
            let (queue, len) = (
                &self.context.queues.pages.conflicts,
                current.body.len() + form.len(),
            );
            let permit = queue.permit(self.head.client, len).await?;
            let (published, typed) = (Arc::clone(&current), form.clone());
            let merge = move || merge::merge(&Fields::of(&published), &typed);
            let MergedForm {
                fields,
                conflicts,
                merged_changes,
            } = permit.run(merge).await;
            let shown = ShownForm {
                fields,
                ..ShownForm::of(&current)
            };
            if !conflicts.is_empty() {
                if !super::returns_form(self.head, &overtaken) {
                    return Err(overtaken);
                }
                let state = EditState::Conflict(conflicts);
                return self.page(&permit, Some(&overtaken), shown, state).await;
            }
            let change = match self.parse(&permit, &shown.fields, &current).await {
                Ok(change) => change,
                Err(problem) => return self.refuse(shown, problem),
            };
            let is_same = change.apply(&current, self.context.clock.now());
            if matches!(is_same, Ok(None)) {
                // The form was submitted twice, or another user saved the same content.
                drop(permit);
                return Ok(self.saved(&current, &current, &shown.fields).await);
            }
            posts::count_growth(self.context, &current, &change)?;
            let is_current = |post: &Post| post.summary.revision == current.summary.revision;
            match self.update(&current, &change, &is_current).await {
                Ok(saved) if page::prefers_json(self.head) => {
                    drop(permit);
                    return Ok(self.saved(&current, &saved, &shown.fields).await);
                }
                Ok(saved) => {
                    let is_held = shown.fields.are_held_for_review(&saved.summary);
                    let shown = ShownForm {
                        is_held,
                        ..ShownForm::of(&saved)
                    };
                    let state = EditState::Merged(merged_changes);
                    return self.page(&permit, None, shown, state).await;
                }
                // Yet another change was saved in the meantime.
                Err(problem) if problem.code() == Code::PreconditionFailed => {}
                Err(problem) => return Err(problem),
            }
        }
        Err(overtaken)
    }

    async fn delete(&self, post: &Post, form: &Form, confirmed: bool) -> Result<Response, Problem> {
        if !confirmed {
            let detail = "A post is deleted only with confirm=yes.";
            let problem = Problem::new(Code::InvalidPost, detail);
            return self.not_deleted(&problem, EditState::Unconfirmed).await;
        }
        let (id, credentials) = (post.summary.id, self.credentials()?);
        let is_opened = |post: &Post| form.was_opened_as(post);
        match posts::delete(self.context, id, &credentials, &is_opened, self.at).await {
            Ok(()) => {
                let site = self.site.clone();
                let page = DeletedPage { site, id };
                Ok(page::private_page(
                    self.context,
                    self.head,
                    StatusCode::OK,
                    &page,
                ))
            }
            Err(problem) if problem.code() == Code::PreconditionFailed => {
                self.not_deleted(&problem, EditState::Overtaken).await
            }
            Err(problem) => Err(problem),
        }
    }

    /// Shows the post as it is now, and why it is still there.
    async fn not_deleted(&self, problem: &Problem, state: EditState) -> Result<Response, Problem> {
        let current = self.read_again().await?;
        let permit = self.permit_to_show(current.body.len()).await?;
        let shown = ShownForm::of(&current);
        self.page(&permit, Some(problem), shown, state).await
    }

    async fn renew(&self, post: &Post) -> Result<Response, Problem> {
        let credentials = self.credentials()?;
        let id = post.summary.id;
        let token = posts::replace_edit_token(self.context, id, &credentials, self.at).await?;
        let address = EditAddress::Link(token);
        let outcome = "renewed";
        Ok(super::redirect(
            self.head, &self.site, &address, outcome, false,
        ))
    }

    /// Takes back a time of the post, and leaves everything else as it is.
    async fn cancel(&self, post: &Arc<Post>, field: DueField) -> Result<Response, Problem> {
        let mut draft = Draft::new();
        draft.times[field as usize] = Some(String::new());
        let change = PostChange::parse(draft, &self.context.limits);
        let change = change.map_err(Problem::invalid_fields)?;
        let saved = self.update(post, &change, &|_| true).await?;
        // A draft stays one without its time.
        let asked = match post.summary.visibility {
            Visibility::Draft => Fields::of(&saved),
            _ => Fields::of(post),
        };
        Ok(self.saved(post, &saved, &asked).await)
    }

    /// The response after saving: a redirect for browsers, the post as JSON for scripts.
    async fn saved(&self, before: &Post, post: &Arc<Post>, fields: &Fields) -> Response {
        if !page::prefers_json(self.head) {
            let is_draft = |post: &Post| post.summary.visibility == Visibility::Draft;
            let outcome = match is_draft(before) && !is_draft(post) {
                true => "published",
                false => "saved",
            };
            let is_held = fields.are_held_for_review(&post.summary);
            return super::redirect(self.head, &self.site, self.address, outcome, is_held);
        }
        let mut response = api::posts::changed_response(self.context, self.head, post).await;
        page::set_private_headers(self.head, &mut response);
        response
    }

    /// Validates and renders what the form has.
    async fn page(
        &self,
        permit: &Permit,
        problem: Option<&Problem>,
        mut shown: ShownForm<'_>,
        state: EditState,
    ) -> Result<Response, Problem> {
        let (context, now) = (self.context, self.context.clock.now());
        let (post, id) = (Arc::clone(shown.post), shown.post.summary.id);
        let to_post = move |fields: &Fields, limits: &_| {
            let language = post.summary.language.clone();
            let parse = language_name::registered(language, PostChange::parse);
            let change = parse(fields.to_draft(Some(&post)), limits)?;
            Ok(change
                .apply(&post, now)?
                .unwrap_or_else(|| Post::clone(&post)))
        };
        let fields = mem::take(&mut shown.fields);
        let mut form_page = FormPage::of(permit, context, &self.site, fields, id, to_post).await;
        let is_preview = matches!(state, EditState::Unsaved);
        form_page.shows_preview = is_preview && form_page.faults.is_empty();
        self.respond(problem, shown, form_page, state)
    }

    fn respond(
        &self,
        problem: Option<&Problem>,
        shown: ShownForm<'_>,
        mut form_page: FormPage<'_>,
        state: EditState,
    ) -> Result<Response, Problem> {
        form_page.user.clone_from(&self.user);
        form_page.knows_author = super::author(self.context, self.head).is_some();
        let template = EditPage {
            address: self.context.base_url.post(shown.post.summary.id),
            edit_address: match self.address {
                EditAddress::Link(token) => Some(self.context.base_url.edit(token)),
                EditAddress::OfPost(_) => None,
            },
            site: self.site.clone(),
            form_page,
            post: &shown.post.summary,
            shown,
            state,
        };
        super::page(self.context, self.head, problem, &template)
    }
}
