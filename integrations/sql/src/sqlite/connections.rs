//! Connections outside sqlx's pools. A pool pings a connection each time it is returned, which costs
//! as much as a lookup.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Sqlite, SqliteConnection, SqlitePool};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::lock::lock;

/// How long to wait for a connection.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Where connections come from, and the settings that each of them gets.
#[derive(Clone)]
pub(super) struct Source {
    options: Arc<SqliteConnectOptions>,
    /// The host's pool, which opens another connection in the place of each one that is taken out.
    pool: Option<SqlitePool>,
    pragmas: String,
}

impl Source {
    pub(super) fn file(options: SqliteConnectOptions) -> Self {
        Self {
            options: Arc::new(options),
            pool: None,
            pragmas: String::new(),
        }
    }

    pub(super) fn pool(pool: SqlitePool) -> Self {
        Self {
            options: pool.connect_options(),
            pool: Some(pool),
            pragmas: String::new(),
        }
    }

    /// Sets a pragma of each connection.
    pub(super) fn with_pragma(mut self, name: &'static str, value: &'static str) -> Self {
        self.pragmas.extend(["PRAGMA ", name, " = ", value, "; "]);
        self
    }

    pub(super) async fn connect(&self) -> sqlx::Result<SqliteConnection> {
        let mut connection = match &self.pool {
            Some(pool) => acquire(pool).await?.detach(),
            None => self.options.connect().await?,
        };
        if !self.pragmas.is_empty() {
            sqlx::raw_sql(AssertSqlSafe(self.pragmas.as_str()))
                .execute(&mut connection)
                .await?;
        }
        Ok(connection)
    }

    /// The path of the database.
    pub(super) fn path(&self) -> &Path {
        self.options.get_filename()
    }
}

impl fmt::Debug for Source {
    /// Omits the options, in which a host may have the key of an encrypted database.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("path", &self.path())
            .finish_non_exhaustive()
    }
}

/// A connection of a pool. The host's own pool may wait longer, or without end.
pub(super) async fn acquire(pool: &SqlitePool) -> sqlx::Result<PoolConnection<Sqlite>> {
    let acquired = timeout(ACQUIRE_TIMEOUT, pool.acquire()).await;
    acquired.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// Up to `most` connections, each opened when there is no idle one, and dropped after an error or when
/// its caller goes away.
#[derive(Debug)]
pub(super) struct DedicatedConnections {
    source: Source,
    most: u32,
    permits: Semaphore,
    idle: Mutex<Vec<SqliteConnection>>,
}

impl DedicatedConnections {
    pub(super) fn new(source: Source, most: u32) -> Self {
        Self {
            source,
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
            None => self.source.connect().await?,
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
