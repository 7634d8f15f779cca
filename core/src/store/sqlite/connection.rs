//! One connection outside sqlx's pool. The pool pings a connection each time it is returned, which costs
//! as much as a lookup.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::Mutex;

/// A connection that is opened when it is used first, and again after an error.
#[derive(Debug)]
pub(super) struct OwnConnection {
    options: SqliteConnectOptions,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// The connection, or none at first, after an error, and after a caller that went away.
    Open(Option<SqliteConnection>),
    Closed,
}

impl OwnConnection {
    pub(super) fn new(options: SqliteConnectOptions) -> Self {
        Self {
            options,
            state: Mutex::new(State::Open(None)),
        }
    }

    /// Runs queries on the connection, one caller after the other.
    pub(super) async fn with<T>(
        &self,
        queries: impl AsyncFnOnce(&mut SqliteConnection) -> sqlx::Result<T>,
    ) -> sqlx::Result<T> {
        let mut state = self.state.lock().await;
        let State::Open(open) = &mut *state else {
            return Err(sqlx::Error::PoolClosed);
        };
        let mut connection = match open.take() {
            Some(connection) => connection,
            None => SqliteConnection::connect_with(&self.options).await?,
        };
        let outcome = queries(&mut connection).await?;
        *open = Some(connection);
        Ok(outcome)
    }

    /// Queries after that are errors.
    pub(super) async fn close(&self) {
        let state = std::mem::replace(&mut *self.state.lock().await, State::Closed);
        if let State::Open(Some(connection)) = state {
            // Whatever was written is committed already.
            let _ = connection.close().await;
        }
    }
}
