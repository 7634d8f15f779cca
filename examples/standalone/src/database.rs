//! The database that the options name.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use handbill::{MemoryStore, Store};
use handbill_sql::{PostgresStore, SqliteStore};

use crate::command::{DatabaseCommand, WithoutFile};
use crate::database_url::DatabaseUrl;
use crate::options::{Options, Switch};

/// With `--post-cache on`, posts are less than this behind the changes of other instances. The help of
/// the option names this bound, too.
const POST_CACHE_BOUND: Duration = Duration::from_secs(1);

/// An open database.
pub(crate) struct Database {
    pub(crate) store: Arc<dyn Store>,
    connections: Connections,
}

/// What is closed when the program stops.
enum Connections {
    None,
    Sqlite(SqliteStore),
    Postgres(Box<PostgresStore>),
}

impl Database {
    /// The database of the options, for a command or for the service.
    pub(crate) async fn open(
        options: &Options,
        command: Option<&DatabaseCommand>,
    ) -> Result<Self, Box<dyn Error>> {
        let is_postgres = matches!(options.database, DatabaseUrl::Postgres(_));
        if !is_postgres && options.replicas().next().is_some() {
            return Err("--database-replica: only a database of PostgreSQL has replicas".into());
        }
        let is_cached = command.is_none() && options.post_cache == Switch::On;
        match &options.database {
            DatabaseUrl::Memory if command.is_some() => {
                Err("what is in memory belongs to one process; name a database".into())
            }
            DatabaseUrl::Memory => Ok(Self::memory()),
            DatabaseUrl::Sqlite(path) => {
                // `open` creates a missing file.
                if let Some(command) = command
                    && !path.try_exists()?
                {
                    match command.without_file() {
                        WithoutFile::Create => {}
                        WithoutFile::StayEmpty => return Ok(Self::memory()),
                        WithoutFile::Refuse => {
                            let file = path.display();
                            return Err(format!("there is no database file {file}").into());
                        }
                    }
                }
                let store = SqliteStore::open(path).await?;
                let connections = Connections::Sqlite(store.clone());
                let store: Arc<dyn Store> = match is_cached {
                    true => Arc::new(store.cached()),
                    false => Arc::new(store),
                };
                Ok(Self { store, connections })
            }
            DatabaseUrl::Postgres(address) => {
                let mut store = PostgresStore::open(address.expose()).await?;
                if command.is_none() {
                    for replica in options.replicas() {
                        store = store.with_replica(replica.expose())?;
                    }
                }
                let connections = Connections::Postgres(Box::new(store.clone()));
                let store: Arc<dyn Store> = match is_cached {
                    true => Arc::new(store.cached(POST_CACHE_BOUND)),
                    false => Arc::new(store),
                };
                Ok(Self { store, connections })
            }
        }
    }

    fn memory() -> Self {
        Self {
            store: Arc::new(MemoryStore::new()),
            connections: Connections::None,
        }
    }

    /// The store, if it is SQLite's.
    pub(crate) fn sqlite(&self) -> Option<&SqliteStore> {
        match &self.connections {
            Connections::Sqlite(store) => Some(store),
            Connections::None | Connections::Postgres(_) => None,
        }
    }

    /// Finishes the writes under way.
    pub(crate) async fn close(&self) {
        match &self.connections {
            Connections::None => {}
            Connections::Sqlite(store) => store.close().await,
            Connections::Postgres(store) => store.close().await,
        }
    }
}
