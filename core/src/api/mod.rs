//! The JSON API: one file a resource, each handler in the order of its specification: authorise,
//! parse, decide, store, view.

pub(crate) mod credentials;
mod describe;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod openapi;
pub(crate) mod posts;
mod schemas;
pub(crate) mod words;

use http::StatusCode;

use crate::context::Context;
use crate::problem::Problem;
use crate::response::{self, Keep, Response};

describe::problems! {
    HealthProblems: [StoreUnavailable]
}

/// Whether the service can work: its store answers.
#[utoipa::path(
    get, path = "/healthz", tag = "Service", operation_id = "health",
    responses(
        (status = 200, description = "The store answers."),
        HealthProblems,
    ),
)]
pub(crate) async fn health(context: &Context) -> Result<Response, Problem> {
    context.store.ping().await?;
    let mut response = response::json(StatusCode::OK, &serde_json::json!({ "status": "ok" }));
    response::keep(&mut response, Keep::Never);
    Ok(response)
}
