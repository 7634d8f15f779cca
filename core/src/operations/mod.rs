//! What the service does, whoever asks for it: the API, a page or the host itself. Here are the
//! decisions; how they are asked for and shown is the callers' affair.

pub(crate) mod host;
pub(crate) mod keys;
pub(crate) mod posts;
