//! Opens the database, by an address or with the host's pool, and creates the tables.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use handbill::store::StoreError;
use include_dir::{Dir, include_dir};
use sqlx::{Connection as _, MySqlConnection, MySqlPool};
use tokio::time::{Instant, timeout};

use super::failure::{Cause, in_time, number};
use super::reader::Reader;
use super::source::{From, Source, text};
use super::statement::execute;
use super::{MySqlStore, address, counter, writer};
use crate::backoff::{Backoff, TIMEOUT};
use crate::connections::Source as _;
use crate::counter::Counter;
use crate::migration::{self, OpenError, Schema, Tables};
use crate::tls::PlainTextReport;

static MIGRATIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/mysql/migrations");
const FIND_SCHEMA: &str = "SELECT value FROM handbill_meta WHERE name = 'schema'";

/// `ER_NO_SUCH_TABLE`.
const NO_SUCH_TABLE: u16 = 1146;
const NAMED_LIKE_OURS: &str = "
SELECT table_name FROM information_schema.tables
WHERE table_schema = DATABASE() AND LEFT(table_name, 9) = 'handbill_' ORDER BY table_name LIMIT 1";

impl MySqlStore {
    /// Opens the database at this address, and creates the tables if there are none. Call it on a tokio runtime, where
    /// the store's background tasks then run.
    ///
    /// # Errors
    /// If the address is invalid, the server can't be reached or rejects the user, or the tables can't be created.
    /// Tables of a later version are refused and left alone. No error contains the address.
    pub async fn open(address: &str) -> Result<Self, StoreError> {
        open(source(address), Tables::Upgraded).await
    }

    /// Opens the database at this address to read it, and neither makes nor upgrades tables.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and if the tables need an upgrade: the error has the numbers of both schemas.
    pub async fn open_as_it_is(address: &str) -> Result<Self, StoreError> {
        open(source(address), Tables::AsTheyAre).await
    }

    /// The schema of the tables in the database at this address, which stay as they are.
    ///
    /// # Errors
    /// If the database can't be reached, or has tables that this version can't use.
    pub async fn schema(address: &str) -> Result<Schema, StoreError> {
        let source = source(address);
        let found: BoxFuture<'_, Result<Schema, OpenError>> = Box::pin(async {
            let mut connection = in_time(timeout(TIMEOUT, source.await?.connect()).await)?;
            let found = find_schema(&mut connection).await?;
            connection.close().await?;
            Ok(Schema::new(&MIGRATIONS, found)?)
        });
        found.await.map_err(opening)
    }

    /// Opens the tables in the database of the host's pool, as [`open`](Self::open) does at an address. The store takes
    /// up to 11 connections out of the pool, which opens others in their place, and sets on them what it needs. It
    /// waits for a connection for 5 seconds at most. [`close`](Self::close) leaves the pool open.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub async fn with_pool(pool: MySqlPool) -> Result<Self, StoreError> {
        let source = Box::pin(async {
            let source = timeout(TIMEOUT, Source::new(From::Pool(pool))).await;
            Ok(in_time(source)?)
        });
        open(source, Tables::Upgraded).await
    }
}

fn source(address: &str) -> BoxFuture<'_, Result<Source, OpenError>> {
    Box::pin(async {
        let options = Box::new(address::parse(address)?);
        let from = From::Address(options, PlainTextReport::default());
        Ok(in_time(timeout(TIMEOUT, Source::new(from)).await)?)
    })
}

fn opening(error: OpenError) -> StoreError {
    StoreError::new("open the MySQL database", error)
}

/// Boxed, so that this crate compiles it, and not each program again.
fn open<'a>(
    source: BoxFuture<'a, Result<Source, OpenError>>,
    tables: Tables,
) -> BoxFuture<'a, Result<MySqlStore, StoreError>> {
    Box::pin(async move {
        let source = source.await.map_err(opening)?;
        prepare(&source, tables).await.map_err(opening)?;
        let counter = match tables {
            Tables::Upgraded => counter::start(source.clone()),
            Tables::AsTheyAre => Counter::of_others(),
        };
        Ok(MySqlStore {
            reader: Arc::new(Reader::new(&source)),
            writer: writer::start(source, counter),
            changes: None,
        })
    })
}

/// Creates or upgrades the tables, or checks that they need no upgrade. Several instances may do so at once: each
/// statement of a migration can be repeated.
async fn prepare(source: &Source, tables: Tables) -> Result<(), OpenError> {
    let mut connection = in_time(timeout(TIMEOUT, source.connect()).await)?;
    let found = find_schema(&mut connection).await?;
    match tables {
        Tables::AsTheyAre => Schema::new(&MIGRATIONS, found)?.check_is_current()?,
        Tables::Upgraded => upgrade(&mut connection, found).await?,
    }
    connection.close().await?;
    Ok(())
}

async fn upgrade(
    connection: &mut MySqlConnection,
    mut found: Option<i64>,
) -> Result<(), OpenError> {
    if found.is_none() {
        refuse_tables_of_others(connection).await?;
    }
    let mut backoff = Backoff::until(Instant::now() + TIMEOUT);
    while let Some(migration) = migration::next(&MIGRATIONS, found)? {
        match execute(connection, migration.sql).await {
            Ok(()) => {}
            // It met the same of an instance on another node.
            Err(error) if Cause::of(&error) == Cause::Conflict && backoff.wait().await => {}
            Err(sqlx::Error::Database(error)) => {
                let (schema, message) = (migration.schema, error.message());
                return Err(format!("schema {schema} cannot be made: {message}").into());
            }
            Err(error) => return Err(error.into()),
        }
        found = find_schema(connection).await?;
    }
    Ok(())
}

/// Otherwise `CREATE TABLE IF NOT EXISTS` would take them for those of Handbill.
async fn refuse_tables_of_others(connection: &mut MySqlConnection) -> Result<(), OpenError> {
    let named = sqlx::query(NAMED_LIKE_OURS).fetch_optional(&mut *connection);
    let Some(row) = named.await? else {
        return Ok(());
    };
    // Another instance that makes the tables now has made this one first.
    match sqlx::query(FIND_SCHEMA).fetch_optional(connection).await {
        Err(error) if number(&error) == Some(NO_SUCH_TABLE) => {
            let name = text(&row, 0)?;
            Err(format!("there is a table {name}, which is not one of Handbill").into())
        }
        found => Ok(found.map(drop)?),
    }
}

async fn find_schema(connection: &mut MySqlConnection) -> Result<Option<i64>, OpenError> {
    let found = sqlx::query_scalar(FIND_SCHEMA).persistent(false);
    match in_time(timeout(TIMEOUT, found.fetch_optional(connection)).await) {
        Ok(found) => Ok(found),
        Err(error) if number(&error) == Some(NO_SUCH_TABLE) => Ok(None),
        // ER_BAD_FIELD_ERROR
        Err(error) if number(&error) == Some(1054) => {
            Err(format!("handbill_meta is not a table of Handbill: {error}").into())
        }
        Err(error) => Err(error.into()),
    }
}
