//! Without the feature `pages` there are none, and no feeds.

use crate::context::Context;
use crate::http::{Head, Response};
use crate::problem::Problem;
use crate::route::Row;

pub(crate) static ROWS: &[Row] = &[];

pub(crate) fn of_problem(_: &Context, _: &Head, _: Option<&str>, _: &Problem) -> Option<Response> {
    None
}
