//! The pages: one file a page, its template beside it. They work without scripts, and carry
//! neither scripts nor styles of their own inside.

pub(crate) mod edit;
pub(crate) mod errors;
pub(crate) mod index;
pub(crate) mod keys;
pub(crate) mod post;
pub(crate) mod problem;

use askama::Template;
use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};

use crate::conditional::{self, Conditions};
use crate::context::Context;
use crate::post::Tag;
use crate::problem::{Code, Problem};
use crate::request::{Body, Head, Query};
use crate::response::{self, Keep, Response};
use crate::time::Timestamp;

const HTML: &str = "text/html; charset=utf-8";
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; \
    img-src 'self' https:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether whoever sent the request reads pages: a browser, which says so.
pub(crate) fn is_wanted(head: &Head) -> bool {
    let accepted = head.headers().get_all(header::ACCEPT).iter();
    accepted
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.contains("text/html"))
}

/// A page that anyone may read and keep, with asking.
fn public(
    context: &Context,
    conditions: &Conditions,
    modified: Option<Timestamp>,
    template: &impl Template,
) -> Response {
    let body = write(template);
    let etag = context.etags.of_bytes(&body);
    let mut response =
        conditional::answer(conditions, &etag, modified, || response::bytes(HTML, body));
    secure(response.headers_mut(), "strict-origin-when-cross-origin");
    response
}

/// A page that is for one person alone: neither kept, nor indexed, nor named to where its links
/// lead.
fn private(status: StatusCode, template: &impl Template) -> Response {
    let mut response = response::bytes(HTML, write(template));
    *response.status_mut() = status;
    response::keep(&mut response, Keep::Never);
    let headers = response.headers_mut();
    secure(headers, "no-referrer");
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    response
}

fn write(template: &impl Template) -> Bytes {
    let page = template.render();
    page.unwrap_or_else(|_| unreachable!("templates hold nothing that fails to print"))
        .into()
}

fn secure(headers: &mut HeaderMap, referrer_policy: &'static str) {
    let policy = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static(referrer_policy),
    );
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
}

/// The fields of a form.
async fn read_form(context: &Context, body: Body) -> Result<Query, Problem> {
    let body = body.read(context.limits.request).await?;
    Query::of_form(&body)
}

/// Lets a form through that comes from one of our own pages, or from no page at all. Where a browser
/// sends one from is told by `Sec-Fetch-Site`, else by `Origin`.
fn expect_own_form(context: &Context, head: &Head) -> Result<(), Problem> {
    let same_origin = match head.single_header(SEC_FETCH_SITE)? {
        Some(site) => site == "same-origin" || site == "none",
        None => match head.single_header(header::ORIGIN)? {
            Some(origin) => origin == context.base_url.origin(),
            None => true,
        },
    };
    if same_origin {
        return head.expect_media_type(&["application/x-www-form-urlencoded"]);
    }
    Err(Problem::new(
        Code::CrossOriginForm,
        "send this form from the page that it is on",
    ))
}

/// Tags as a person types them.
fn joined(tags: &[Tag]) -> String {
    tags.iter().map(Tag::as_str).collect::<Vec<_>>().join(", ")
}

/// The one style sheet.
pub(crate) fn style_sheet(context: &Context, head: &Head) -> Result<Response, Problem> {
    const STYLE: &[u8] = include_bytes!("style.css");
    let conditions = Conditions::of(head)?;
    let etag = context.etags.of_bytes(STYLE);
    Ok(conditional::answer(&conditions, &etag, None, || {
        response::bytes("text/css; charset=utf-8", Bytes::from_static(STYLE))
    }))
}
