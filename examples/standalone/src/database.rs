//! The database that the options name.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use handbill::{MemoryStore, Store};
use handbill_sql::{MySqlStore, PostgresStore, SqliteStore};

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
    MySql(MySqlStore),
    Postgres(Box<PostgresStore>),
}

impl Database {
    /// The database of the options, for a command or for the service.
    pub(crate) async fn open(
        options: &Options,
        command: Option<&DatabaseCommand>,
    ) -> Result<Self, Box<dyn Error>> {
        options.check_replicas()?;
        let is_cached = command.is_none() && options.post_cache == Switch::On;
        match &options.database {
            DatabaseUrl::Memory if command.is_some() => Err(in_memory()),
            DatabaseUrl::Memory => Ok(Self::memory()),
            DatabaseUrl::Sqlite(path) => {
                // `open` creates a missing file.
                if let Some(command) = command
                    && !path.try_exists()?
                {
                    match command.without_file() {
                        WithoutFile::Create => {}
                        WithoutFile::StayEmpty => return Ok(Self::memory()),
                        WithoutFile::Refuse => check_exists(path)?,
                    }
                }
                let store = match command {
                    Some(command) if command.reads_only() => {
                        SqliteStore::open_as_it_is(path).await?
                    }
                    _ => SqliteStore::open(path).await?,
                };
                let connections = Connections::Sqlite(store.clone());
                let store: Arc<dyn Store> = match is_cached {
                    true => Arc::new(store.cached()),
                    false => Arc::new(store),
                };
                Ok(Self { store, connections })
            }
            DatabaseUrl::MySql(address) => {
                let address = address.expose();
                let store = match command {
                    Some(command) if command.reads_only() => {
                        MySqlStore::open_as_it_is(address).await?
                    }
                    _ => MySqlStore::open(address).await?,
                };
                let connections = Connections::MySql(store.clone());
                let store: Arc<dyn Store> = match is_cached {
                    true => Arc::new(store.cached(POST_CACHE_BOUND)),
                    false => Arc::new(store),
                };
                Ok(Self { store, connections })
            }
            DatabaseUrl::Postgres(address) => {
                let address = address.expose();
                let mut store = match command {
                    Some(command) if command.reads_only() => {
                        PostgresStore::open_as_it_is(address).await?
                    }
                    _ => PostgresStore::open(address).await?,
                };
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

    /// Finishes the writes under way.
    pub(crate) async fn close(&self) {
        match &self.connections {
            Connections::None => {}
            Connections::Sqlite(store) => store.close().await,
            Connections::MySql(store) => store.close().await,
            Connections::Postgres(store) => store.close().await,
        }
    }
}

/// Why a command has no database.
pub(crate) fn in_memory() -> Box<dyn Error> {
    "what is in memory belongs to one process; name a database".into()
}

pub(crate) fn check_exists(path: &Path) -> Result<(), Box<dyn Error>> {
    match path.try_exists()? {
        true => Ok(()),
        false => Err(format!("there is no database file {}", path.display()).into()),
    }
}
