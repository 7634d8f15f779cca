//! Connections to the file, or out of the host's pool.

use std::path::Path;
use std::sync::Arc;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, SqliteConnection, SqlitePool};

use crate::connections::{self, acquire};

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

    /// The path of the database.
    pub(super) fn path(&self) -> &Path {
        self.options.get_filename()
    }
}

impl connections::Source for Source {
    type Connection = SqliteConnection;

    async fn connect(&self) -> sqlx::Result<SqliteConnection> {
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
}
