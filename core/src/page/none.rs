//! Without the feature `pages` there are none, and no feeds.

use crate::cache::{CacheKey, Reader, Reply};
use crate::context::Context;
use crate::http::request::{Body, Head};
use crate::http::response::Response;
use crate::part::Part;
use crate::problem::Problem;

/// There is none.
#[derive(Debug)]
pub(crate) enum Action {}

pub(crate) fn lookup(_: &str, _: &[&str]) -> Option<(&'static str, Part, Action)> {
    None
}

pub(crate) async fn respond(
    _: &Context,
    action: Action,
    _: &Reader<'_>,
    _: Body,
) -> Result<Reply, Problem> {
    match action {}
}

pub(crate) fn cache_key(
    _: &Context,
    _: &'static str,
    action: &Action,
    _: &Head,
) -> Option<CacheKey> {
    match *action {}
}

pub(crate) fn of_problem(_: &Context, _: &Head, _: Option<&str>, _: &Problem) -> Option<Response> {
    None
}
