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
enum State {
    /// At first, and after an error.
    Disconnected,
    Connected {
        connection: SqliteConnection,
        version: i64,
    },
    Closed,
}

impl CommitWatch {
    pub(super) fn new(options: SqliteConnectOptions) -> Self {
        Self {
            options,
            state: Mutex::new(State::Disconnected),
        }
    }

    pub(super) async fn close(&self) {
        let mut state = self.state.lock().await;
        if let State::Connected { connection, .. } = std::mem::replace(&mut *state, State::Closed) {
            // It has only read.
            let _ = connection.close().await;
        }
    }

    async fn ask(&self, state: &mut State) -> sqlx::Result<bool> {
        let (mut connection, before) = match std::mem::replace(state, State::Disconnected) {
            State::Connected {
                connection,
                version,
            } => (connection, Some(version)),
            State::Disconnected => (SqliteConnection::connect_with(&self.options).await?, None),
            State::Closed => {
                *state = State::Closed;
                return Ok(true);
            }
        };
        let version = sqlx::query_scalar("PRAGMA data_version")
            .fetch_one(&mut connection)
            .await?;
        *state = State::Connected {
            connection,
            version,
        };
        Ok(before != Some(version))
    }
}

#[async_trait]
impl ChangeSource for CommitWatch {
    async fn has_changed(&self) -> bool {
        let mut state = self.state.lock().await;
        // A read then asks the store, which reports the error.
        self.ask(&mut state).await.unwrap_or(true)
    }
}
