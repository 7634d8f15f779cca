//! `GET /livez`, `/readyz` and `/healthz`: whether the process responds, and whether its store does.
//!
//! Anyone may ask, so the responses contain no address and no figures of the database.

use std::sync::atomic::Ordering;

use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::describe::problems;
use crate::context::Context;
use crate::http::response::{self, CacheControl, Response};
use crate::operations::health;
use crate::problem::Problem;
use crate::store::{Health, ReplicaState};

/// The health of the service and of the database's replicas.
#[derive(Serialize, ToSchema)]
#[schema(as = Health)]
struct HealthView {
    /// `ok`: the process responds. On `/readyz` and `/healthz`, the store responds as well.
    status: &'static str,
    /// The replicas of the database, in the order of the settings. Omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    replicas: Vec<ReplicaView>,
}

/// A replica of the database at the last check.
#[derive(Serialize, ToSchema)]
#[schema(as = Replica)]
struct ReplicaView {
    /// `up`: the service reads from it. `lagging`: it is too far behind the primary. `down`: it does
    /// not respond.
    #[schema(pattern = "^(up|lagging|down)$")]
    state: &'static str,
}

problems! {
    HealthProblems: [StoreUnavailable]
}

/// Reports that the process responds. The store is not asked.
#[utoipa::path(
    get, path = "/livez", tag = "Service", operation_id = "live",
    responses(
        (status = 200, description = "The process responds.", body = HealthView, headers(
            ("Cache-Control" = String, description = "`no-store`."),
        )),
    ),
)]
pub(crate) fn live() -> Response {
    view(&Health::default())
}

/// Reports whether the store responds.
#[utoipa::path(
    get, path = "/readyz", tag = "Service", operation_id = "ready",
    responses(
        (status = 200, description = "The store responds.", body = HealthView, headers(
            ("Cache-Control" = String, description = "`no-store`."),
        )),
        HealthProblems,
    ),
)]
pub(crate) async fn ready(context: &Context) -> Result<Response, Problem> {
    if context.is_stopping.load(Ordering::Relaxed) {
        return Err(Problem::unavailable("The service is about to stop."));
    }
    Ok(view(&health::of_store(context).await?))
}

/// The same as `/readyz`.
#[utoipa::path(
    get, path = "/healthz", tag = "Service", operation_id = "health",
    responses(
        (status = 200, description = "The store responds.", body = HealthView, headers(
            ("Cache-Control" = String, description = "`no-store`."),
        )),
        HealthProblems,
    ),
)]
pub(crate) async fn health(context: &Context) -> Result<Response, Problem> {
    ready(context).await
}

fn view(health: &Health) -> Response {
    let replicas = health.replicas().iter().map(|replica| ReplicaView {
        state: match replica.state() {
            ReplicaState::Up => "up",
            ReplicaState::Lagging => "lagging",
            ReplicaState::Down => "down",
        },
    });
    let view = HealthView {
        status: "ok",
        replicas: replicas.collect(),
    };
    let mut response = response::json(StatusCode::OK, &view);
    response::set_cache_control(&mut response, CacheControl::NoStore);
    response
}
