//! What a host sets, for the service or for a request.

pub(crate) mod base_url;
pub(crate) mod client;
pub(crate) mod key_requests;
pub(crate) mod login;
pub(crate) mod page_settings;
pub(crate) mod review;
pub(crate) mod signed_in;
