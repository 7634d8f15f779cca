//! One piece of HTTP per file: requests, responses, representations and their conditions, JSON, paging.

pub(crate) mod conditional;
pub(crate) mod json;
pub(crate) mod paging;
pub(crate) mod representation;
pub(crate) mod request;
pub(crate) mod response;
