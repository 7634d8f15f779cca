//! A faulty service: in the requests that it accepts or refuses, and in its responses.

mod pages;
mod requests;
mod responses;

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Response};

/// State that a correct service would not have.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The first creation.
    pub(super) created: Option<Response<Bytes>>,
    /// The last edit token that was returned.
    pub(super) token: String,
    /// The first response under the last idempotency key.
    pub(super) named: Option<(String, Response<Bytes>)>,
    /// The number of replaced edit tokens.
    pub(super) replaced: u64,
    /// The number of responses.
    pub(super) responses: u64,
    /// The identifiers of posts that were created hidden.
    pub(super) hidden: Vec<String>,
}

pub(super) fn is_update(request: &Parts) -> bool {
    matches!(request.method, Method::PUT | Method::PATCH)
}

pub(super) fn is_create(request: &Parts) -> bool {
    request.method == Method::POST && request.uri.path() == "/api/posts"
}

pub(super) fn is_read(request: &Parts) -> bool {
    request.method == Method::GET && request.uri.path().starts_with("/api/posts/")
}

pub(super) fn is_list(request: &Parts) -> bool {
    let path = request.uri.path();
    request.method == Method::GET && (path == "/api/posts" || is_own_list(request))
}

pub(super) fn is_own_list(request: &Parts) -> bool {
    request.uri.path() == "/api/keys/current/posts"
}

pub(super) fn is_replacement(request: &Parts) -> bool {
    request.method == Method::POST && request.uri.path().ends_with("/edit_token")
}

pub(super) fn is_feed(request: &Parts) -> bool {
    request.uri.path().starts_with("/feed.") || request.uri.path() == "/sitemap.xml"
}

pub(super) fn is_editor(path: &str) -> bool {
    path == "/write" || path.starts_with("/e/")
}
