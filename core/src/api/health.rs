//! `GET /healthz`: whether the store responds, and the state of the replicas.

use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::describe::problems;
use crate::context::Context;
use crate::http::response::{self, CacheControl, Response};
use crate::problem::Problem;
use crate::store::{Replica, ReplicaState};

/// The health of the service and of the database's replicas.
#[derive(Serialize, ToSchema)]
#[schema(as = Health)]
struct HealthView<'a> {
    /// `ok`: the store responds.
    status: &'static str,
    /// The replicas of the database. Omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    replicas: Vec<ReplicaView<'a>>,
}

/// A replica of the database at the last check.
#[derive(Serialize, ToSchema)]
#[schema(as = Replica)]
struct ReplicaView<'a> {
    /// Host and port.
    #[schema(example = "db2:5432")]
    address: &'a str,
    /// `up`: the service reads from it. `lagging`: it is too far behind the primary. `down`: it does
    /// not respond.
    #[schema(pattern = "^(up|lagging|down)$")]
    state: &'static str,
    /// Bytes of the primary's log that it has not replayed, or null if unknown.
    #[schema(required)]
    lag_bytes: Option<u64>,
    /// How many milliseconds it is behind the primary, or null if unknown.
    #[schema(required)]
    lag_ms: Option<u64>,
}

impl<'a> ReplicaView<'a> {
    fn new(replica: &'a Replica) -> Self {
        let millis = |lag: std::time::Duration| u64::try_from(lag.as_millis());
        Self {
            address: replica.address(),
            state: match replica.state() {
                ReplicaState::Up => "up",
                ReplicaState::Lagging => "lagging",
                ReplicaState::Down => "down",
            },
            lag_bytes: replica.lag_bytes(),
            lag_ms: replica.lag().map(|lag| millis(lag).unwrap_or(u64::MAX)),
        }
    }
}

problems! {
    HealthProblems: [StoreUnavailable]
}

/// Reports whether the store responds.
#[utoipa::path(
    get, path = "/healthz", tag = "Service", operation_id = "health",
    responses(
        (status = 200, description = "The store responds.", body = HealthView<'static>, headers(
            ("Cache-Control" = String, description = "`no-store`."),
        )),
        HealthProblems,
    ),
)]
pub(crate) async fn health(context: &Context) -> Result<Response, Problem> {
    let health = context.store.health().await?;
    let view = HealthView {
        status: "ok",
        replicas: health.replicas().iter().map(ReplicaView::new).collect(),
    };
    let mut response = response::json(StatusCode::OK, &view);
    response::set_cache_control(&mut response, CacheControl::NoStore);
    Ok(response)
}
