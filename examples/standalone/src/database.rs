//! The database that the options name.

use std::error::Error;
use std::time::Duration;

use handbill::{Handbill, InvalidBaseUrl, MemoryStore, PostgresStore, SqliteStore};

use crate::database_url::DatabaseUrl;
use crate::options::{Command, KeysCommand, Options, Switch};

/// With `--post-cache on`, posts are less than this behind the changes of other instances. The help of
/// the option names this bound, too.
const POST_CACHE_BOUND: Duration = Duration::from_secs(1);

/// An open database.
pub(crate) enum Database {
    Memory,
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
    CachedPostgres(PostgresStore),
}

impl Database {
    pub(crate) async fn open(options: &Options) -> Result<Self, Box<dyn Error>> {
        let is_postgres = matches!(options.database, DatabaseUrl::Postgres(_));
        if !is_postgres && options.replicas().next().is_some() {
            return Err("--database-replica: only a database of PostgreSQL has replicas".into());
        }
        match &options.database {
            DatabaseUrl::Memory if options.command.is_some() => {
                Err("keys in memory belong to one process; name a database".into())
            }
            DatabaseUrl::Memory => Ok(Self::Memory),
            DatabaseUrl::Sqlite(path) => {
                // `open` creates a missing file. Without a file there are no keys either.
                if needs_keys(options) && !path.try_exists()? {
                    return Err(format!("there is no database file {}", path.display()).into());
                }
                Ok(Self::Sqlite(SqliteStore::open(path).await?))
            }
            DatabaseUrl::Postgres(address) => {
                let mut store = PostgresStore::open(address.expose()).await?;
                if options.command.is_some() {
                    return Ok(Self::Postgres(store));
                }
                for replica in options.replicas() {
                    store = store.with_replica(replica.expose())?;
                }
                Ok(match options.post_cache {
                    Switch::On => Self::CachedPostgres(store),
                    Switch::Off => Self::Postgres(store),
                })
            }
        }
    }

    /// The service over this database.
    pub(crate) fn handbill(&self, base_url: &str) -> Result<Handbill, InvalidBaseUrl> {
        match self {
            Self::Memory => Handbill::new(base_url, MemoryStore::new()),
            Self::Sqlite(store) => Handbill::new(base_url, store.clone()),
            Self::Postgres(store) => Handbill::new(base_url, store.clone()),
            Self::CachedPostgres(store) => {
                Handbill::new(base_url, store.clone().cached(POST_CACHE_BOUND))
            }
        }
    }

    /// Finishes the writes under way.
    pub(crate) async fn close(&self) {
        match self {
            Self::Memory => {}
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(store) | Self::CachedPostgres(store) => store.close().await,
        }
    }
}

fn needs_keys(options: &Options) -> bool {
    let Some(Command::Keys { command }) = &options.command else {
        return false;
    };
    matches!(command, KeysCommand::List | KeysCommand::Revoke { .. })
}
