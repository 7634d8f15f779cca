//! The pages: one file a page, its template beside it. They work without scripts, better with the
//! little that there is, and carry neither scripts nor styles of their own inside.

mod article;
pub(crate) mod asset;
pub(crate) mod docs;
pub(crate) mod edit;
mod frame;
pub(crate) mod index;
pub(crate) mod keys;
mod linked_data;
pub(crate) mod post;
pub(crate) mod problem;
mod site;
mod text;

use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};

use self::frame::Page;
use crate::context::Context;
use crate::frame::CspNonce;
use crate::http::representation::Representation;
use crate::http::request::{Body, Head, Query};
use crate::http::response::{self, CacheControl, Response};
use crate::post::Tag;
use crate::problem::{Code, Problem};

/// `Referrer-Policy` of pages that anyone may read.
const PUBLIC_REFERRER: &str = "strict-origin-when-cross-origin";
const HTML: &str = "text/html; charset=utf-8";
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether whoever sent the request reads pages: a browser, which says so.
pub(crate) fn is_wanted(head: &Head) -> bool {
    let accepted = head.headers().get_all(header::ACCEPT).iter();
    accepted
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("text/html"))
}

/// A page that anyone may read.
fn public<'a>(
    context: &Context,
    head: &Head,
    page: impl Future<Output = Result<Bytes, Problem>> + Send + 'a,
) -> Representation<'a> {
    let mut page = Representation::new(HTML, page);
    if is_private_to_client(context, head) {
        page = page.with_cache_control(CacheControl::RevalidatedPrivately);
    }
    secure(head, page.response.headers_mut(), PUBLIC_REFERRER);
    page
}

/// Whether pages differ between clients: a host's frame may show who is logged in, and a nonce is for
/// one response only.
fn is_private_to_client(context: &Context, head: &Head) -> bool {
    context.frame.is_some() || head.parts.extensions.get::<CspNonce>().is_some()
}

/// A page that is for one person alone: neither kept, nor indexed, nor named to where its links
/// lead.
fn private(context: &Context, head: &Head, status: StatusCode, page: &impl Page) -> Response {
    let mut response = response::bytes(HTML, write(context, head, page));
    *response.status_mut() = status;
    keep_private(head, &mut response);
    let noindex = HeaderValue::from_static("noindex");
    response.headers_mut().insert("x-robots-tag", noindex);
    response
}

fn keep_private(head: &Head, response: &mut Response) {
    response::set_cache_control(response, CacheControl::NoStore);
    secure(head, response.headers_mut(), "no-referrer");
}

fn write(context: &Context, head: &Head, page: &impl Page) -> Bytes {
    frame::framed(page, context.frame.as_ref(), &head.parts).into()
}

fn secure(head: &Head, headers: &mut HeaderMap, referrer_policy: &'static str) {
    let nonce = head.parts.extensions.get::<CspNonce>();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        content_security_policy(nonce),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static(referrer_policy),
    );
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Language"));
}

/// Files of the same origin, and pictures from wherever they are fetched safely. Nothing inline, but
/// for what a host marks as its own.
fn content_security_policy(nonce: Option<&CspNonce>) -> HeaderValue {
    static WITHOUT_NONCE: LazyLock<HeaderValue> = LazyLock::new(|| policy(""));
    match nonce {
        None => WITHOUT_NONCE.clone(),
        Some(nonce) => policy(&format!(" 'nonce-{}'", nonce.as_str())),
    }
}

fn policy(nonce: &str) -> HeaderValue {
    response::ascii(format!(
        "default-src 'none'; script-src 'self'{nonce}; style-src 'self'{nonce}; \
         img-src 'self' https:; font-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'"
    ))
}

/// The fields of a form.
async fn read_form(context: &Context, body: Body) -> Result<Query, Problem> {
    let body = body.read(context.limits.request).await?;
    Query::of_form(&body)
}

/// Lets a form through that comes from one of our own pages, or from no page at all. Where a browser
/// sends one from is told by `Sec-Fetch-Site`, else by `Origin`.
fn expect_own_form(context: &Context, head: &Head) -> Result<(), Problem> {
    let same_origin = match head.single_header(&SEC_FETCH_SITE)? {
        Some(site) => site == "same-origin" || site == "none",
        None => match head.single_header(&header::ORIGIN)? {
            Some(origin) => origin == context.base_url.origin(),
            None => true,
        },
    };
    if same_origin {
        return head.expect_media_type(&["application/x-www-form-urlencoded"]);
    }
    Err(Problem::new(
        Code::CrossOriginForm,
        "Open the page of this form and send it from there.",
    ))
}

/// Tags as a person types them.
fn joined(tags: &[Tag]) -> String {
    tags.iter().map(Tag::as_str).collect::<Vec<_>>().join(", ")
}
