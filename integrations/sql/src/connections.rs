//! Connections outside sqlx's pools. A pool pings a connection each time it is returned, which costs
//! as much as a lookup.

use parking_lot::Mutex;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Connection, Database, Pool};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long to wait for a connection.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection of a pool. The host's own pool may wait longer, or without end.
pub(crate) async fn acquire<DB: Database>(pool: &Pool<DB>) -> sqlx::Result<PoolConnection<DB>> {
    let acquired = timeout(ACQUIRE_TIMEOUT, pool.acquire()).await;
    acquired.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// Where connections come from, with the settings that they need.
pub(crate) trait Source: Send + Sync {
    type Connection: Connection;

    fn connect(&self) -> impl Future<Output = sqlx::Result<Self::Connection>> + Send;
}

/// Up to `most` connections, each opened when there is no idle one, and dropped after an error or when
/// its caller goes away.
pub(crate) struct Connections<S: Source> {
    source: S,
    most: u32,
    permits: Semaphore,
    idle: Mutex<Vec<S::Connection>>,
}

impl<S: Source> Connections<S> {
    pub(crate) fn new(source: S, most: u32) -> Self {
        Self {
            source,
            most,
            permits: Semaphore::new(most as usize),
            idle: Mutex::default(),
        }
    }

    /// Runs queries on a connection that no other caller has.
    pub(crate) async fn with<T>(
        &self,
        queries: impl AsyncFnOnce(&mut S::Connection) -> sqlx::Result<T>,
    ) -> sqlx::Result<T> {
        let permit = self.permits.acquire().await;
        let _permit = permit.map_err(|_| sqlx::Error::PoolClosed)?;
        let idle = self.idle.lock().pop();
        let mut connection = match idle {
            Some(connection) => connection,
            // Boxed, since this is rare: otherwise, the future of each query would have room for it.
            None => Box::pin(self.source.connect()).await?,
        };
        let outcome = queries(&mut connection).await?;
        self.idle.lock().push(connection);
        Ok(outcome)
    }

    /// Where they come from.
    #[cfg(feature = "mysql")]
    pub(crate) fn source(&self) -> &S {
        &self.source
    }

    /// Drops the idle connections. When one connection is lost, most others are, too.
    #[cfg(feature = "mysql")]
    pub(crate) fn drop_idle(&self) {
        self.idle.lock().clear();
    }

    /// Waits for the queries that are under way. Later ones are errors.
    pub(crate) async fn close(&self) {
        let _permits = self.permits.acquire_many(self.most).await;
        self.permits.close();
        let idle = std::mem::take(&mut *self.idle.lock());
        for connection in idle {
            // Whatever was written is committed already.
            let _ = connection.close().await;
        }
    }
}
