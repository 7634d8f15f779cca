//! The probes, for stores with replicas and for one that does not respond.

use std::future::pending;
use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{Decorated, Decorator, Health, Replica, ReplicaState, StoreError};
use handbill::{MemoryStore, Store};
use handbill_testing::http::App;
use handbill_tests::bare;
use serde_json::json;
use tokio::time::Instant;

/// A store that reports this health, or never responds to a health check.
struct Telling {
    health: Option<Health>,
    inner: MemoryStore,
}

#[async_trait]
impl Decorator for Telling {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn health(&self) -> Result<Health, StoreError> {
        match &self.health {
            Some(health) => Ok(health.clone()),
            None => pending().await,
        }
    }
}

async fn app(health: Option<Health>) -> App {
    let inner = MemoryStore::new();
    App::over(&bare::mount(), Decorated(Telling { health, inner })).await
}

#[tokio::test]
async fn probes_show_the_states_of_replicas_without_addresses_or_figures() {
    let up = Replica::new("db2", 5432, ReplicaState::Up)
        .with_lag_bytes(0)
        .with_lag(Duration::from_micros(3999));
    let lagging = Replica::new("10.0.0.3", 5432, ReplicaState::Lagging).with_lag_bytes(4711);
    let down = Replica::new("2001:db8::4", 6432, ReplicaState::Down);
    let health = Health::default()
        .with_replica(up)
        .with_replica(lagging)
        .with_replica(down);
    let app = app(Some(health)).await;
    let states = [
        json!({ "state": "up" }),
        json!({ "state": "lagging" }),
        json!({ "state": "down" }),
    ];
    let expected = json!({ "status": "ok", "replicas": states });
    for path in ["/readyz", "/healthz"] {
        assert_eq!(app.get(path).await.ok(), expected, "{path}");
    }
    assert_eq!(app.get("/livez").await.ok(), json!({ "status": "ok" }));
}

/// The clock is paused and jumps to the next timer whenever all tasks wait.
#[tokio::test(start_paused = true)]
async fn a_store_that_does_not_respond_is_reported_within_2_seconds() {
    let app = app(None).await;
    for path in ["/readyz", "/healthz"] {
        let start = Instant::now();
        let response = app.get(path).await;
        assert!(start.elapsed() < Duration::from_secs(2), "{response}");
        response.problem("store_unavailable");
        response.expect_header("retry-after", "1");
    }
    app.get("/livez").await.ok();
}
