//! The editor: the form, the preview and the advice that `/write` and the edit page share.

mod advice;
mod comparison;
pub(crate) mod edit;
mod edit_page;
mod form;
mod language_name;
mod lines;
mod merge;
mod refused;
mod steps;
pub(crate) mod write;

use std::borrow::Cow;

use ::http::StatusCode;
use handbill_markdown::{Rendered, Style};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use self::advice::Hint;
use self::form::Fields;
use super::frame::Page;
use super::site::{self, Site};
use super::{article, see_other};
use crate::context::Context;
use crate::host::login::LoginAddress;
use crate::http;
use crate::http::{CacheControl, Head, Response, response};
use crate::limits::queue::Permit;
use crate::page::language::Language;
use crate::post::{EditToken, FieldError, Limits, PostId, hex};
use crate::post::{Post, PostSummary, TextField};
use crate::problem::{Code, Problem};
use crate::route::Call;

#[derive(Debug)]
enum EditAddress {
    /// `/e/{edit_token}`, the private link. The token is the credential.
    Link(EditToken),
    /// `/p/{id}/edit`, for a visitor who is signed in as the owner of the post.
    OfPost(PostId),
}

/// What both pages show of a form.
struct FormPage<'a> {
    limits: &'a Limits,
    fields: Fields,
    faults: Vec<FormFault>,
    /// Why the form was refused, if the reason is not in a field.
    refusal: Option<String>,
    /// The post as it would be saved, unless the form is new or its text is not valid.
    preview: Option<Preview>,
    /// What the form says of its field for an API key, if it has one.
    key_hint: Option<String>,
    /// Whether a narrow screen shows the preview instead of the form.
    shows_preview: bool,
    user: Option<String>,
    /// The login page, for a visitor whose session has ended.
    login: Option<String>,
    /// Whether the host knows the visitor's name, so that the form has no field for the author.
    knows_author: bool,
}

struct FormFault {
    field: String,
    text: String,
}

/// A post as it would be saved, with advice on it if all fields are valid.
struct Preview {
    post: PostSummary,
    rendered: Rendered,
    body: String,
    /// The lines where the text's blocks begin, such as `0 2 7`.
    lines: String,
    hints: Vec<Hint>,
    /// The links within the text that lead nowhere.
    dead_links: String,
}

impl EditAddress {
    /// The address that a request is for.
    fn of(call: Call<'_>) -> Self {
        match call.variable().parse() {
            Ok(token) => Self::Link(token),
            Err(_) => Self::OfPost(call.id()),
        }
    }

    /// The path of the page, below the mount point.
    fn path(&self) -> String {
        match self {
            Self::Link(token) => format!("/e/{}", token.expose()),
            Self::OfPost(id) => format!("/p/{id}/edit"),
        }
    }
}

impl<'a> FormPage<'a> {
    /// The empty form for a post that does not exist yet.
    fn empty(context: &'a Context) -> Self {
        Self {
            limits: &context.limits,
            fields: Fields::empty(),
            faults: Vec::new(),
            refusal: None,
            preview: None,
            key_hint: None,
            shows_preview: false,
            user: None,
            login: None,
            knows_author: false,
        }
    }

    /// The form with these fields, without a look at what is in them.
    fn unchecked(context: &'a Context, fields: Fields) -> Self {
        Self {
            fields: fields.shortened(&context.limits),
            ..Self::empty(context)
        }
    }

    /// The same, with the reason why the form was refused.
    fn refused(context: &'a Context, site: &Site<'_>, fields: Fields, problem: &Problem) -> Self {
        if !problem.errors().is_empty() {
            return Self::faulty(context, site, fields, problem.errors());
        }
        let wait = super::problem::retry_message(site, problem);
        Self {
            refusal: Some(refusal(site, problem.code(), wait)),
            ..Self::unchecked(context, fields)
        }
    }

    /// The form with what is wrong with its fields.
    fn faulty(
        context: &'a Context,
        site: &Site<'_>,
        fields: Fields,
        errors: &[FieldError],
    ) -> Self {
        let mut errors: Vec<_> = errors.iter().collect();
        errors.sort_by_key(|error| fields.named().position(|(name, _)| name == error.field));
        let faults = errors.into_iter().map(|error| FormFault {
            text: site.error_message(error),
            field: error.field.clone(),
        });
        Self {
            faults: faults.collect(),
            ..Self::unchecked(context, fields)
        }
    }

    /// Validates the fields, and renders the post that `to_post` makes of them. If some are not valid, it is made of
    /// the others, without advice. Relative links in it are relative to the post's own address, not to the page.
    async fn of(
        permit: &Permit,
        context: &'a Context,
        site: &Site<'_>,
        fields: Fields,
        id: PostId,
        to_post: impl Fn(&Fields, &Limits) -> Result<Post, Vec<FieldError>> + Send + 'static,
    ) -> Self {
        let language = site.language;
        let style = article::style(language).with_base(&context.base_url.post(id));
        let limits = context.limits.clone();
        let render = move || {
            let (post, errors) = match to_post(&fields, &limits) {
                Ok(post) => (Some(post), Vec::new()),
                Err(errors) => (to_post(&fields.without(&errors), &limits).ok(), errors),
            };
            let is_valid = errors.is_empty();
            let preview = post.map(|post| Preview::of(post, language, style, is_valid));
            (fields, errors, preview)
        };
        let (fields, errors, preview) = permit.run(render).await;
        Self {
            preview,
            ..Self::faulty(context, site, fields, &errors)
        }
    }

    /// Whether nothing is typed yet, and there is nothing to say about it.
    fn is_blank(&self) -> bool {
        let is_empty = |name| self.fields.get(name).is_empty();
        is_empty("title") && is_empty("body") && self.faults.is_empty() && self.refusal.is_none()
    }

    fn settings(&self) -> impl Iterator<Item = TextField> {
        form::text_settings().filter(|field| field.name() != form::AUTHOR || !self.knows_author)
    }

    /// Whether the settings are open: one of them differs from what it is on a new form, or has a fault.
    fn opens_settings(&self, site: &Site<'_>) -> bool {
        let language = site.language.tag();
        let is_open = |name| self.fields.has_setting(name, language) || self.fault(name).is_some();
        form::settings().any(is_open)
    }

    /// A text as the form shows it: the language by its name.
    fn shown(&self, field: &TextField) -> Cow<'_, str> {
        let value = self.fields.get(field.name());
        match field {
            TextField::Language => language_name::shown(value),
            _ => Cow::Borrowed(value),
        }
    }

    /// What the browser's storage adds to the name of a draft, so that no other user of the browser gets it.
    fn draft_suffix(&self) -> String {
        let user = self.user.as_ref();
        user.map_or_else(String::new, |user| format!("@{user}"))
    }

    /// What is wrong with a field, in a sentence.
    fn fault(&self, field: &str) -> Option<&str> {
        let fault = self.faults.iter().find(|fault| fault.field == field)?;
        Some(&fault.text)
    }
}

/// Why a form was refused.
pub(super) fn reason(site: &Site<'_>, code: Code) -> String {
    let reason = format!("refused-{}", code.as_str());
    let reason = site.language.message_or(reason, code.help_message());
    reason.to_string()
}

/// Why a form was refused, that its text is safe, and when to send it again.
fn refusal(site: &Site<'_>, code: Code, wait: Option<String>) -> String {
    let safe = site.language.message("refused-safe").to_string();
    let sentences = [reason(site, code), safe].into_iter().chain(wait);
    sentences.collect::<Vec<_>>().join(" ")
}

impl Preview {
    fn of(post: Post, language: &'static Language, style: Style, has_advice: bool) -> Self {
        let headings = article::headings(&post.summary);
        let rendered = handbill_markdown::render(&post.body, &Style { headings, ..style });
        let lines = handbill_markdown::block_lines(&post.body).into_iter();
        let lines: Vec<_> = lines.map(|line| line.to_string()).collect();
        let hints = has_advice.then(|| advice::on(language, &post.summary, &post.body));
        Self {
            hints: hints.unwrap_or_default(),
            dead_links: match has_advice {
                true => advice::listed(&rendered.dead_links),
                false => String::new(),
            },
            rendered,
            lines: lines.join(" "),
            body: post.body,
            post: post.summary,
        }
    }
}

/// The host's login, from which a visitor who is not signed in returns to this path below the mount point: by its path
/// if the login is on the same site.
pub(super) fn login(context: &Context, head: &Head, path: &str) -> Option<String> {
    let login = context.login.as_ref().filter(|_| head.signed_in.is_none());
    let LoginAddress(login) = login?;
    if !login.ends_with('=') {
        return Some(login.clone());
    }
    let base = match login.starts_with('/') {
        true => site::root(context),
        false => context.base_url.as_str(),
    };
    let back = format!("{base}{path}");
    let back = utf8_percent_encode(&back, NON_ALPHANUMERIC);
    Some(format!("{login}{back}"))
}

fn to_login(login: String) -> Response {
    let mut response = see_other(login);
    response::set_cache_control(&mut response, CacheControl::NoStore);
    response
}

/// The visitor's name, if the host knows it. The form then has no field for the author.
fn author(context: &Context, head: &Head) -> Option<String> {
    let name = head.signed_in.as_ref()?.author.clone()?;
    Some(handbill_markdown::cut(name, context.limits.author))
}

/// Identifies the user who is signed in. Other installations, and others who use the browser, cannot tell who it is.
async fn user(context: &Context, head: &Head) -> Result<Option<String>, Problem> {
    let Some(visitor) = &head.signed_in else {
        return Ok(None);
    };
    let secret = context.installation_secret().await?;
    Ok(Some(hex::encode(&secret.hash_of(visitor.owner()))))
}

/// Like [`user`], but works without the store: the identifier is then empty, which fits no other page.
async fn user_of_page(context: &Context, head: &Head) -> Option<String> {
    let user = user(context, head).await;
    user.unwrap_or_else(|_| Some(String::new()))
}

/// Whether a refused form is shown again, filled in. Programs get problem details instead. A form from another site is
/// not shown again: its text is not the visitor's.
pub(super) fn returns_form(head: &Head, problem: &Problem) -> bool {
    let is_about_fields = matches!(
        problem.code(),
        Code::InvalidPost
            | Code::Refused
            | Code::MissingApiKey
            | Code::InvalidApiKey
            | Code::PreconditionFailed
    );
    let is_own = problem.code() != Code::CrossSite;
    is_own && !super::prefers_json(head) && (is_about_fields || super::reads_pages(head))
}

/// Sends a page of the editor, if there is room for its text. It may show a problem.
fn page(
    context: &Context,
    head: &Head,
    problem: Option<&Problem>,
    page: &impl Page,
) -> Result<Response, Problem> {
    let status = problem.map_or(StatusCode::OK, |problem| problem.code().status());
    let mut response = super::private_page(context, head, status, page);
    let len = response::len(&response);
    context.response_budget.check_room(len)?;
    if let Some(problem) = problem {
        http::problem::add_headers(problem, &mut response);
    }
    Ok(response)
}

/// Redirects to the edit page of a post, which says once what happened. So reloading the page does not
/// submit the form again.
fn redirect(
    head: &Head,
    site: &Site<'_>,
    address: &EditAddress,
    outcome: &str,
    is_held: bool,
) -> Response {
    let held = if is_held { "&held" } else { "" };
    let location = site.link_to(&format!("{}?{outcome}{held}", address.path()));
    let mut response = see_other(location);
    super::set_private_headers(head, &mut response);
    response
}
