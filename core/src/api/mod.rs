//! The JSON API, with one file per resource. Each handler follows the same steps: authorise, parse, decide,
//! store, and build the response. `openapi.json` explains the parameters and fields.

pub(crate) mod credentials;
mod draft;
mod health;
mod keys;
mod list;
mod openapi;
pub(crate) mod posts;
pub(crate) mod problems;
mod route;

pub(crate) use self::route::ROWS;
