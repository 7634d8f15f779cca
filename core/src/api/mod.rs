//! The JSON API, with one file per resource. Each handler follows the same steps: authorise, parse, decide,
//! store, and build the response.

pub(crate) mod credentials;
mod describe;
mod draft;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod openapi;
pub(crate) mod posts;
mod schemas;
pub(crate) mod words;
