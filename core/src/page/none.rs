//! Without the feature `pages` there are none, and no feeds.

use crate::context::Context;
use crate::http::representation::Reply;
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

pub(crate) async fn respond<'a>(
    _: &'a Context,
    action: Action,
    _: &'a Head,
    _: Body,
) -> Result<Reply<'a>, Problem> {
    match action {}
}

pub(crate) fn of_problem(_: &Context, _: &Head, _: Option<&str>, _: &Problem) -> Option<Response> {
    None
}
