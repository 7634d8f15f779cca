//! The database that the options name.

use std::error::Error;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use handbill::{MemoryStore, Store};
use handbill_sql::{MySqlStore, PostgresStore, SqliteStore};

use crate::command::{Access, DatabaseCommand};
use crate::database_url::DatabaseUrl;
use crate::options::{Options, Switch};

/// With `--post-cache on`, posts are less than this behind the changes of other instances. The help of
/// the option names this bound, too.
const POST_CACHE_BOUND: Duration = Duration::from_secs(1);

/// An open database.
pub(crate) struct Database {
    pub(crate) store: Arc<dyn Store>,
    /// Finishes the writes under way.
    pub(crate) close: Pin<Box<dyn Future<Output = ()>>>,
}

impl Database {
    /// The database of the options, for a command or for the service.
    pub(crate) async fn open(
        options: &Options,
        command: Option<&DatabaseCommand>,
    ) -> Result<Self, Box<dyn Error>> {
        let is_cached = command.is_none() && options.post_cache == Switch::On;
        let access = command.map(DatabaseCommand::access);
        let reads_only = matches!(access, Some(Access::Read | Access::ReadOrEmpty));
        match &options.database {
            DatabaseUrl::Memory if command.is_some() => Err(in_memory()),
            DatabaseUrl::Memory => Ok(Self::memory()),
            DatabaseUrl::Sqlite(path) => {
                match access {
                    // `open` creates a missing file.
                    None | Some(Access::Create) => {}
                    Some(Access::Change | Access::Read) => check_exists(path)?,
                    Some(Access::ReadOrEmpty) if path.try_exists()? => {}
                    Some(Access::ReadOrEmpty) => return Ok(Self::memory()),
                }
                let mut store = match reads_only {
                    true => SqliteStore::open_as_it_is(path).await?,
                    false => SqliteStore::open(path).await?,
                };
                if is_cached {
                    store = store.cached();
                }
                let same = store.clone();
                Ok(Self::new(store, async move { same.close().await }))
            }
            DatabaseUrl::MySql(address) => {
                let address = address.expose();
                let mut store = match reads_only {
                    true => MySqlStore::open_as_it_is(address).await?,
                    false => MySqlStore::open(address).await?,
                };
                if is_cached {
                    store = store.cached(POST_CACHE_BOUND);
                }
                let same = store.clone();
                Ok(Self::new(store, async move { same.close().await }))
            }
            DatabaseUrl::Postgres(address) => {
                let address = address.expose();
                let mut store = match reads_only {
                    true => PostgresStore::open_as_it_is(address).await?,
                    false => PostgresStore::open(address).await?,
                };
                if command.is_none() {
                    for replica in options.replicas() {
                        store = store.with_replica(replica.expose())?;
                    }
                }
                if is_cached {
                    store = store.cached(POST_CACHE_BOUND);
                }
                let same = store.clone();
                Ok(Self::new(store, async move { same.close().await }))
            }
        }
    }

    fn memory() -> Self {
        Self::new(MemoryStore::new(), async {})
    }

    fn new(store: impl Store + 'static, close: impl Future<Output = ()> + 'static) -> Self {
        Self {
            store: Arc::new(store),
            close: Box::pin(close),
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
