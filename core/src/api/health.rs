//! `GET /livez`, `/readyz` and `/healthz`: whether the process responds, and whether its store does.
//!
//! Anyone may ask, so the responses contain no address and no figures of the database.

use std::sync::atomic::Ordering;

use http::StatusCode;
use serde::Serialize;

use crate::http::{Response, response};
use crate::operations::health;
use crate::problem::Problem;
use crate::route::Call;
use crate::store::{Health, ReplicaState};

#[derive(Serialize)]
struct HealthView {
    status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replicas: Vec<ReplicaView>,
}

#[derive(Serialize)]
struct ReplicaView {
    state: &'static str,
}

/// Reports that the process responds. The store is not asked.
pub(crate) fn live() -> Response {
    view(&Health::default())
}

pub(crate) async fn ready(call: Call<'_>) -> Result<Response, Problem> {
    let context = call.context;
    if context.is_stopping.load(Ordering::Relaxed) {
        return Err(Problem::unavailable("The service is about to stop."));
    }
    Ok(view(&health::of_store(context).await?))
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
    response::json(StatusCode::OK, &view)
}
