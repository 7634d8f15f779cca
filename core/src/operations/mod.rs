//! The operations of the service, shared by the API, the pages and the host's own code. They make the
//! decisions; the callers parse the input and present the result. Nothing here depends on HTTP.

pub(crate) mod host;
pub(crate) mod keys;
pub(crate) mod posts;
