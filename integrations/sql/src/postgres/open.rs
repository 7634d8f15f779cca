//! Opens the database, by an address or with the host's pool.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use handbill::store::StoreError;
use sqlx::{Executor, PgConnection, PgPool, Row};
use tokio::time::timeout;

use super::connections::{Access, Connections, MAX_READ_CONNECTIONS};
use super::failure::Failure;
use super::reader::Reader;
use super::source::{Connected, Source};
use super::{PostgresStore, address, counter, schema, writer};
use crate::backoff::TIMEOUT;
use crate::counter::Counter;
use crate::lookup::Lookup;
use crate::migration::{OpenError, Schema, Tables};

/// One for each batch, one for the counter, and one for other changes, which may use all when they are
/// free.
const MAX_WRITE_CONNECTIONS: usize = writer::BATCHERS + 2;

impl PostgresStore {
    /// Opens the database at this address. Creates the tables if there are none, and upgrades those of earlier
    /// versions from schema 4 on: each step is one transaction, and of several instances that start at once, one
    /// does it. Call it on a tokio runtime, where the store's background tasks then run.
    ///
    /// # Errors
    /// If the address is invalid, the server can't be reached or rejects the user, or the tables can't
    /// be created or upgraded. Tables of a later version are refused and left alone. No error contains the address.
    pub async fn open(address: &str) -> Result<Self, StoreError> {
        Self::open_at(address, Tables::Upgraded).await
    }

    /// Opens the database at this address to read it, and neither makes nor upgrades tables.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and if the tables need an upgrade: the error has the numbers of both schemas.
    pub async fn open_as_it_is(address: &str) -> Result<Self, StoreError> {
        Self::open_at(address, Tables::AsTheyAre).await
    }

    /// The schema of the tables in the database at this address, which stay as they are.
    ///
    /// # Errors
    /// If the database can't be reached, or has tables that this version can't use.
    pub async fn schema(address: &str) -> Result<Schema, StoreError> {
        let source = source(address)?;
        let found: BoxFuture<'_, Result<Schema, OpenError>> = Box::pin(async {
            let connected = timeout(TIMEOUT, connect(&source)).await;
            let (mut connection, _) = connected.map_err(|_| Failure::TimedOut)??;
            let schema = schema::find(&mut connection).await?;
            connection.finish().await;
            Ok(schema)
        });
        found.await.map_err(opening)
    }

    async fn open_at(address: &str, tables: Tables) -> Result<Self, StoreError> {
        let source = source(address)?;
        let is_postgres = prepare(&source, tables).await.map_err(opening)?;
        let source = match is_postgres {
            true => source.with_settings(),
            false => source,
        };
        Ok(Self::start(source, is_postgres, tables))
    }

    /// Opens the tables in the database of the host's pool, as [`open`](Self::open) does at an address. All connections
    /// are the pool's: Handbill takes up to 13 at a time, and needs only one.
    ///
    /// Use it where connections are few. As behind a [pooler](Self#connections), each statement then runs in an
    /// explicit transaction, and the pool pings before it lends a connection: five or six round trips instead of one.
    /// And [`cached`](Self::cached) receives no notifications. When all connections are in use, calls wait for one and
    /// fail after 5 seconds, those of [`health`](handbill::Store::health) too. After a large import, the count of the
    /// lists may hold one for up to a minute. [`close`](Self::close) leaves the pool open: call it before you close the
    /// pool.
    ///
    /// The connections must be able to write, and their `synchronous_commit` must not be `off`, now and later: what
    /// Handbill acknowledges is durable.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and if a setting does not fit, which the error names.
    pub async fn with_pool(pool: PgPool) -> Result<Self, StoreError> {
        let source = Source::Pool(pool);
        let is_postgres = prepare(&source, Tables::Upgraded).await.map_err(opening)?;
        Ok(Self::start(source, is_postgres, Tables::Upgraded))
    }

    fn start(source: Source, notifies: bool, tables: Tables) -> Self {
        let connect = |access, max| Connections::new(source.clone(), access, max);
        let readers = Arc::new(connect(Access::Read, MAX_READ_CONNECTIONS));
        let writers = Arc::new(connect(Access::Write, MAX_WRITE_CONNECTIONS));
        let probe = connect(Access::Read, 1);
        let counter = match tables {
            Tables::Upgraded => counter::start(&writers),
            Tables::AsTheyAre => Counter::of_others(),
        };
        Self {
            reader: Arc::new(Reader::new(&readers, probe)),
            writer: writer::start(&writers, notifies, &counter),
            lookups: Arc::new(Lookup::new(1)),
            source,
            notifies,
            readers,
            writers,
            counter,
            listeners: Arc::default(),
            changes: None,
        }
    }
}

fn source(address: &str) -> Result<Source, StoreError> {
    let server = address::parse(address).map_err(|reason| opening(reason.into()))?;
    Ok(Source::Server(Box::new(server)))
}

fn opening(error: OpenError) -> StoreError {
    StoreError::new("open the PostgreSQL database", error)
}

/// Creates or upgrades the tables, or checks that they need no upgrade. Returns whether the server is PostgreSQL
/// itself, and so notifies: other engines that speak its protocol have other settings, too. Boxed, so that this crate
/// compiles it, and not each program again.
fn prepare(source: &Source, tables: Tables) -> BoxFuture<'_, Result<bool, OpenError>> {
    Box::pin(async move {
        let connected = timeout(TIMEOUT, connect(source)).await;
        let (mut connection, version) = connected.map_err(|_| Failure::TimedOut)??;
        if let Source::Pool(_) = source {
            let checked = timeout(TIMEOUT, check_settings(&mut connection)).await;
            checked.map_err(|_| Failure::TimedOut)??;
        }
        match tables {
            Tables::Upgraded => schema::prepare(&mut connection).await?,
            Tables::AsTheyAre => schema::find(&mut connection).await?.check_is_current()?,
        }
        connection.finish().await;
        Ok(version.starts_with("PostgreSQL") && !version.contains("-YB-"))
    })
}

/// A connection, and what the server says about itself.
async fn connect(source: &Source) -> sqlx::Result<(Connected, String)> {
    let mut connection = source.connect().await?;
    let row = connection.fetch_one("SELECT version()").await?;
    Ok((connection, row.try_get(0)?))
}

/// What the connections of a pool must not be set to.
const WRONG_SETTINGS: [(&str, &str); 2] = [
    ("transaction_read_only", "on"),
    ("synchronous_commit", "off"),
];

async fn check_settings(connection: &mut PgConnection) -> Result<(), OpenError> {
    for (name, wrong) in WRONG_SETTINGS {
        let query = sqlx::query_scalar("SELECT current_setting($1)").bind(name);
        let found: String = query.persistent(false).fetch_one(&mut *connection).await?;
        if found == wrong {
            return Err(format!("the connections of the pool have {name}={found}").into());
        }
    }
    Ok(())
}
