//! The HTML pages, with one file per page and its template next to it.
//!
//! The pages work without scripts. Small scripts improve them. They contain no inline scripts and
//! styles.

mod article;
mod asset;
mod card;
mod docs;
mod editor;
mod feed;
mod follow;
mod frame;
mod index;
mod keys;
mod language;
mod linked_data;
mod llms;
mod manifest;
mod neighbour;
mod post;
mod problem;
mod route;
mod settings;
mod site;
mod tags;
mod text;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{HeaderMap, StatusCode};

use self::frame::Page;
pub(crate) use self::route::{Action, lookup};
use crate::api::posts::JSON;
use crate::context::Context;
use crate::http::accept;
use crate::http::conditional::ETag;
use crate::http::form::FormData;
use crate::http::representation::{Reply, Representation};
use crate::http::request::{Body, Head};
use crate::http::response::{self, CacheControl, Response};
use crate::page_settings::frame::CspNonce;
use crate::problem::Problem;

/// `Referrer-Policy` of public pages.
const PUBLIC_REFERRER: &str = "strict-origin-when-cross-origin";
const HTML: &str = "text/html; charset=utf-8";

/// Responds to a request for a page.
pub(crate) async fn respond<'a>(
    context: &'a Context,
    action: Action,
    head: &'a Head,
    body: Body,
) -> Result<Reply<'a>, Problem> {
    use editor::{edit, write};

    Ok(match action {
        Action::IndexPage => index::show(context, head).await?.into(),
        Action::TagsPage => tags::show(context, head).await?.into(),
        Action::FollowPage => follow::show(context, head)?.into(),
        Action::PostPage(id) => match neighbour::asked(head) {
            Some(side) => neighbour::show(context, head, id, side).await?.into(),
            None => post::show(context, head, id).await?.into(),
        },
        Action::PostCard(id) => card::show(context, id).await?.into(),
        Action::PostSource(id) => post::source(context, head, id).await?.into(),
        Action::WritePage => write::show(context, head).await?.into(),
        Action::SendWritePage => write::send(context, head, body).await?.into(),
        Action::EditPage(address) => edit::show(context, head, &address).await?.into(),
        Action::SendEditPage(address) => edit::send(context, head, body, &address).await?.into(),
        Action::KeysPage => keys::show(context, head).into(),
        Action::IssueOnKeysPage => keys::issue(context, head, body).await?.into(),
        Action::Manifest => manifest::show(context).into(),
        Action::DocsPage => docs::show(context, head).into(),
        Action::ReferencePage => docs::reference::show(context, head).into(),
        Action::ErrorsPage => docs::errors::show(context, head).into(),
        Action::Asset(asset) => asset::show(asset).into(),
        Action::OwnStyle(name) => asset::show_own_style(context, &name)?.into(),
        Action::AtomFeed => feed::atom::show(context, head).await?.into(),
        Action::JsonFeed => feed::json::show(context, head).await?.into(),
        Action::Sitemap => feed::sitemap::show(context, head).await?.into(),
        Action::LlmsText => llms::show(context, head).await?.into(),
    })
}

/// The page that shows a problem to a browser, which accepts HTML. Programs get problem details instead.
pub(crate) fn of_problem(
    context: &Context,
    head: &Head,
    pattern: Option<&str>,
    problem: &Problem,
) -> Option<Response> {
    let has_page = context.pages.are_on && reads_pages(head);
    has_page.then(|| problem::show(context, head, pattern, problem))
}

/// Whether a client reads pages, as a browser does.
fn reads_pages(head: &Head) -> bool {
    accept::names(head.headers(), "text/html")
}

/// Whether a client that sends a form prefers JSON as the response.
fn prefers_json(head: &Head) -> bool {
    accept::prefers(head.headers(), JSON, HTML)
}

/// A public page.
fn public<'a>(
    context: &Context,
    head: &'a Head,
    page: impl Future<Output = Result<Bytes, Problem>> + Send + 'a,
) -> Representation<'a> {
    with_public_headers(context, head, Representation::new(HTML, page))
}

/// Adds the headers of a public page.
fn with_public_headers<'a>(
    context: &Context,
    head: &'a Head,
    page: Representation<'a>,
) -> Representation<'a> {
    let page = page.with_headers(|headers| set_security_headers(head, headers, PUBLIC_REFERRER));
    if is_private_to_client(context, head) {
        return page.with_cache_control(CacheControl::RevalidatedPrivately);
    }
    page
}

/// A public page that is the same for all clients in this state, unless the host frames it.
fn shared<'a>(
    context: &Context,
    head: &'a Head,
    state: ETag,
    page: impl Future<Output = Result<Bytes, Problem>> + Send + 'a,
) -> Representation<'a> {
    let page = public(context, head, page);
    match is_private_to_client(context, head) {
        true => page,
        false => page.with_state(state),
    }
}

/// Whether public pages may differ between clients: a user who is signed in sees more, the host's frame may show who
/// that is, and a nonce is valid for one response only.
fn is_private_to_client(context: &Context, head: &Head) -> bool {
    context.pages.frame.is_some()
        || head.signed_in.is_some()
        || head.parts.extensions.get::<CspNonce>().is_some()
}

/// A private page: not stored by caches, not indexed by search engines, and not sent as a referrer.
fn private(context: &Context, head: &Head, status: StatusCode, page: &impl Page) -> Response {
    let mut response = response::bytes(HTML, write(context, head, page));
    *response.status_mut() = status;
    set_private_headers(head, &mut response);
    response::set_noindex(response.headers_mut());
    response
}

fn set_private_headers(head: &Head, response: &mut Response) {
    response::set_cache_control(response, CacheControl::NoStore);
    set_security_headers(head, response.headers_mut(), "no-referrer");
}

fn write(context: &Context, head: &Head, page: &impl Page) -> Bytes {
    let html = frame::framed(page, context.pages.frame.as_ref(), head);
    html.into_boxed_str().into_boxed_bytes().into()
}

/// Sets the headers of all pages. The Content Security Policy allows files of the same origin, images
/// over HTTPS, and nothing inline except with the host's nonce.
fn set_security_headers(head: &Head, headers: &mut HeaderMap, referrer_policy: &'static str) {
    let nonce = head.parts.extensions.get::<CspNonce>();
    let nonce = nonce.map_or_else(String::new, |nonce| format!(" 'nonce-{}'", nonce.as_str()));
    let policy = format!(
        "default-src 'none'; script-src 'self'{nonce}; style-src 'self'{nonce}; \
         img-src 'self' https:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    headers.insert(header::CONTENT_SECURITY_POLICY, response::ascii(policy));
    let referrer_policy = HeaderValue::from_static(referrer_policy);
    headers.insert(header::REFERRER_POLICY, referrer_policy);
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Language"));
}

/// Reads a submitted form, and what `read` takes of it.
async fn read_form<T: Send + 'static>(
    context: &Context,
    head: &Head,
    body: Body,
    read: impl FnOnce(&FormData<'_>) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let body = body.read(context.limits.request).await?;
    let writes = &context.queues.writes;
    let permit = writes.permit(head.client, body.len()).await?;
    permit.run(move || read(&FormData::parse(&body)?)).await
}

/// Refuses a form that was submitted from another site, and a body that is not a form.
fn check_own_form(context: &Context, head: &Head) -> Result<(), Problem> {
    head.check_origin(context.base_url.origin())?;
    head.check_media_type(&["application/x-www-form-urlencoded"])
}
