//! The JSON API: one file a resource, each handler in the order of its specification: authorise,
//! parse, decide, store, view.

pub(crate) mod credentials;
mod describe;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod openapi;
pub(crate) mod posts;
mod schemas;
pub(crate) mod words;
