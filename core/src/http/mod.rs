//! HTTP, one topic per file: requests, responses, representations, conditional requests, media types,
//! JSON bodies and paging.

pub(crate) mod accept;
pub(crate) mod conditional;
pub(crate) mod json;
pub(crate) mod paging;
pub(crate) mod representation;
pub(crate) mod request;
pub(crate) mod response;
