//! HTTP, one topic per file: requests, refused bodies, responses, conditional requests, content codings, media types,
//! forms, JSON bodies, paging and problems.

pub(crate) mod accept;
pub(crate) mod body_drain;
pub(crate) mod coding;
pub(crate) mod conditional;
pub(crate) mod json;
mod key_request;
pub(crate) mod paging;
pub(crate) mod problem;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod route_group;

pub(crate) use conditional::{Conditions, ETag, ETagMaker};
pub(crate) use request::{Body, Head, Query};
pub(crate) use response::{CacheControl, Response};
