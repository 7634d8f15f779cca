//! The HTML pages, with one file per page and its template next to it.
//!
//! The pages work without scripts. Small scripts improve them. They contain no inline scripts and
//! styles.

mod accept;
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
mod search;
mod site;
mod tags;
mod text;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{HeaderMap, StatusCode};

use self::frame::Page;
use self::language::Language;
pub(crate) use self::route::ROWS;
use crate::cache::{Representation, Variant};
use crate::context::Context;
use crate::host::page_settings::frame::CspNonce;
use crate::http::response::{self, JSON};
use crate::http::{Body, CacheControl, ETag, Head, Query, Response};
use crate::post::PostSummary;
use crate::problem::Problem;

/// `Referrer-Policy` of public pages.
const PUBLIC_REFERRER: &str = "strict-origin-when-cross-origin";
const HTML: &str = "text/html; charset=utf-8";

/// The variant in the client's language, if others get the same page.
fn in_language(context: &Context, head: &Head) -> Option<Variant> {
    if is_private_to_client(context, head) {
        return None;
    }
    let (language, is_chosen) = Language::negotiate(head);
    Some(Variant {
        language: language.tag(),
        is_chosen,
        is_markdown: false,
    })
}

/// The page that shows a problem to a browser, which accepts HTML. Programs get problem details instead.
pub(crate) fn of_problem(
    context: &Context,
    head: &Head,
    pattern: Option<&str>,
    problem: &Problem,
) -> Option<Response> {
    let has_page = context.pages_are_on && reads_pages(head);
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

/// A public page, without its body. It has this entity tag, unless it differs between clients.
fn public_page(context: &Context, head: &Head, etag: Option<ETag>) -> Representation {
    let page = with_security_headers(Representation::new(HTML), head);
    match etag {
        _ if is_private_to_client(context, head) => {
            page.with_cache_control(CacheControl::RevalidatedPrivately)
        }
        Some(etag) => page.with_etag(etag),
        None => page,
    }
}

fn with_security_headers(mut page: Representation, head: &Head) -> Representation {
    set_security_headers(head, page.headers_mut(), PUBLIC_REFERRER);
    page
}

/// Whether public pages may differ between clients: a user who is signed in sees more, the host's frame may show who
/// that is, and a nonce is valid for one response only.
fn is_private_to_client(context: &Context, head: &Head) -> bool {
    context.pages.frame.is_some()
        || head.signed_in.is_some()
        || head.parts.extensions.get::<CspNonce>().is_some()
}

/// A private page: not stored by caches, not indexed by search engines, and not sent as a referrer.
fn private_page(context: &Context, head: &Head, status: StatusCode, page: &impl Page) -> Response {
    let mut response = response::bytes(HTML, render_page(context, head, page));
    *response.status_mut() = status;
    set_private_headers(head, &mut response);
    response::set_noindex(response.headers_mut());
    response
}

fn set_private_headers(head: &Head, response: &mut Response) {
    response::set_cache_control(response, CacheControl::NoStore);
    set_security_headers(head, response.headers_mut(), "no-referrer");
}

fn render_page(context: &Context, head: &Head, page: &impl Page) -> Bytes {
    let html = frame::framed(page, context.pages.frame.as_ref(), head);
    html.into_boxed_str().into_boxed_bytes().into()
}

/// The Content Security Policy allows files of the same origin, images
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

/// More than any form of ours has. A body of a mebibyte could have a million fields otherwise.
const MAX_FIELDS: usize = 100;

impl Query {
    /// The fields of a submitted form. A page reads those that it knows and ignores the others.
    fn of_form(body: &[u8]) -> Result<Self, Problem> {
        if body.split(|byte| *byte == b'&').nth(MAX_FIELDS).is_some() {
            let fault = format!("has more than {MAX_FIELDS} fields");
            return Err(Self::invalid("The form", &fault));
        }
        let text = str::from_utf8(body);
        let text = text.map_err(|_| Self::invalid("The form", "is not valid UTF-8"))?;
        Ok(Self(text.to_owned()))
    }
}

/// Reads a submitted form, and what `read` takes of it.
async fn read_form<T: Send + 'static>(
    context: &Context,
    head: &Head,
    body: Body,
    read: impl FnOnce(&Query) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let body = body.read(context.limits.request).await?;
    let writes = &context.queues.writes;
    let permit = writes.permit(head.client, body.len()).await?;
    permit.run(move || read(&Query::of_form(&body)?)).await
}

/// Refuses a form that was submitted from another site, and a body that is not a form.
fn check_own_form(context: &Context, head: &Head) -> Result<(), Problem> {
    head.check_origin(context.base_url.origin())?;
    head.check_media_type(&["application/x-www-form-urlencoded"])
}

/// Sends the client to another address, to read that (RFC 9110, section 15.4.4).
fn see_other(location: String) -> Response {
    let mut response = response::empty(StatusCode::SEE_OTHER);
    response::set(&mut response, header::LOCATION, response::ascii(location));
    response
}

/// The tag of one variant of a page that shows a post, such as the page in a language.
fn etag_of_post(context: &Context, post: &PostSummary, variant: &str) -> ETag {
    let ETag(tag) = context.etags.of_post(post);
    ETag(format!("{tag}-{variant}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_text_with_a_bounded_number_of_fields() {
        let form = Query::of_form(b"a=1&&=&%FF=f").unwrap();
        assert_eq!(form.one("a").unwrap().as_deref(), Some("1"));
        assert!(Query::of_form(b"a=\xFF").is_err());
        assert!(Query::of_form("a&".repeat(MAX_FIELDS - 1).as_bytes()).is_ok());
        assert!(Query::of_form("a&".repeat(MAX_FIELDS).as_bytes()).is_err());
    }
}
