//! Connections outside sqlx's pool. The pool pings a connection each time it is returned, which costs
//! as much as a lookup.

use std::sync::Mutex;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::Semaphore;

use crate::lock::lock;

/// How long to wait for a connection.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Up to `most` connections, each opened when there is no idle one, and dropped after an error or when
/// its caller goes away.
#[derive(Debug)]
pub(super) struct DedicatedConnections {
    options: SqliteConnectOptions,
    most: u32,
    permits: Semaphore,
    idle: Mutex<Vec<SqliteConnection>>,
}

impl DedicatedConnections {
    pub(super) fn new(options: SqliteConnectOptions, most: u32) -> Self {
        Self {
            options,
            most,
            permits: Semaphore::new(most as usize),
            idle: Mutex::default(),
        }
    }

    /// Runs queries on a connection that no other caller has.
    pub(super) async fn with<T>(
        &self,
        queries: impl AsyncFnOnce(&mut SqliteConnection) -> sqlx::Result<T>,
    ) -> sqlx::Result<T> {
        let permit = self.permits.acquire().await;
        let _permit = permit.map_err(|_| sqlx::Error::PoolClosed)?;
        let idle = lock(&self.idle).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => SqliteConnection::connect_with(&self.options).await?,
        };
        let outcome = queries(&mut connection).await?;
        lock(&self.idle).push(connection);
        Ok(outcome)
    }

    /// Waits for the queries that are under way. Later ones are errors.
    pub(super) async fn close(&self) {
        let _permits = self.permits.acquire_many(self.most).await;
        self.permits.close();
        let idle = std::mem::take(&mut *lock(&self.idle));
        for connection in idle {
            // Whatever was written is committed already.
            let _ = connection.close().await;
        }
    }
}
