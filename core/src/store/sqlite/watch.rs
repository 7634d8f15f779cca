//! Detecting commits by `PRAGMA data_version`, whose value on one connection changes whenever another
//! connection, of any process, has committed (<https://sqlite.org/pragma.html#pragma_data_version>).

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::Mutex;

use crate::store::cached::ChangeSource;

/// Watches the file by a connection of its own.
#[derive(Debug)]
pub(super) struct CommitWatch {
    options: SqliteConnectOptions,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// None at first, after an error, and in a closed store.
    connection: Option<SqliteConnection>,
    /// What the connection returned last. Values of different connections can't be compared.
    version: Option<i64>,
    generation: u64,
    is_closed: bool,
}

impl CommitWatch {
    pub(super) fn new(options: SqliteConnectOptions) -> Self {
        Self {
            options,
            state: Mutex::new(State {
                connection: None,
                version: None,
                generation: 0,
                is_closed: false,
            }),
        }
    }

    pub(super) async fn close(&self) {
        let mut state = self.state.lock().await;
        state.is_closed = true;
        if let Some(connection) = state.connection.take() {
            // It has only read.
            let _ = connection.close().await;
        }
    }
}

#[async_trait]
impl ChangeSource for CommitWatch {
    async fn generation(&self) -> Option<u64> {
        let mut state = self.state.lock().await;
        // Taken, so that it is not used again after an error or a caller that went away.
        let mut connection = match state.connection.take() {
            Some(connection) => connection,
            None if state.is_closed => return None,
            None => {
                state.version = None;
                SqliteConnection::connect_with(&self.options).await.ok()?
            }
        };
        let version = sqlx::query_scalar("PRAGMA data_version")
            .fetch_one(&mut connection)
            .await
            .ok()?;
        state.connection = Some(connection);
        if state.version.replace(version) != Some(version) {
            state.generation += 1;
        }
        Some(state.generation)
    }
}
