//! Why a statement failed, and whether it may be retried.

use std::io::ErrorKind;

use sqlx::MySqlConnection;
use sqlx::mysql::MySqlDatabaseError;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

use super::source::Source;
use super::statement::execute;
use super::transaction;
use crate::backoff::{Backoff, TIMEOUT};
use crate::connections::Connections;

const SNAPSHOT: &str = "
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";

/// What a failed statement says about a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// A conflict with another transaction, also on another node. Nothing was done.
    Conflict,
    /// A row with this key exists. Only this statement had no effect.
    Duplicate,
    /// The server is read-only, or its node has left the cluster. Nothing was done, and a retry may reach another one.
    NotReady,
    /// The connection is broken, and the outcome of the statement is unknown.
    Connection,
    /// The statement itself is at fault.
    Statement,
}

impl Cause {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        use sqlx::Error::{ColumnDecode, ColumnNotFound, Database, RowNotFound};

        let number = match error {
            Database(_) => number(error),
            ColumnDecode { .. } | ColumnNotFound(_) | RowNotFound => return Self::Statement,
            _ => return Self::Connection,
        };
        match number.unwrap_or_default() {
            // ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK, ER_CHECKREAD
            1205 | 1213 | 1020 => Self::Conflict,
            // ER_DUP_ENTRY
            1062 => Self::Duplicate,
            // ER_UNKNOWN_COM_ERROR ("WSREP has not yet prepared node for application use"),
            // ER_OPTION_PREVENTS_STATEMENT, ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, ER_READ_ONLY_MODE
            1047 | 1290 | 1792 | 1836 => Self::NotReady,
            // ER_CON_COUNT_ERROR, ER_SERVER_SHUTDOWN, ER_NORMAL_SHUTDOWN, ER_QUERY_INTERRUPTED, ER_CONNECTION_KILLED
            1040 | 1053 | 1077 | 1317 | 1927 => Self::Connection,
            // ER_SP_DOES_NOT_EXIST: of the transaction nothing was left to commit.
            1305 if error.to_string().contains(transaction::NAME) => Self::Conflict,
            _ => Self::Statement,
        }
    }
}

/// The number of a server's error.
pub(super) fn number(error: &sqlx::Error) -> Option<u16> {
    let error = error.as_database_error()?;
    let error = error.try_downcast_ref::<MySqlDatabaseError>()?;
    Some(error.number())
}

/// A timeout is an error, too.
pub(super) fn in_time<T>(done: Result<sqlx::Result<T>, Elapsed>) -> sqlx::Result<T> {
    done.unwrap_or_else(|_| Err(sqlx::Error::Io(ErrorKind::TimedOut.into())))
}

/// When a call that failed is made again, within the time limit.
pub(super) struct Retries<'c> {
    connections: &'c Connections<Source>,
    pub(super) deadline: Instant,
    backoff: Backoff,
}

impl<'c> Retries<'c> {
    pub(super) fn on(connections: &'c Connections<Source>) -> Self {
        let deadline = Instant::now() + TIMEOUT;
        Self {
            connections,
            deadline,
            backoff: Backoff::until(deadline),
        }
    }

    /// Waits before a retry, and returns false if there is none. There may be one if the call met another transaction,
    /// or a node that is not ready, or if the server was restarted and the call has done nothing.
    pub(super) async fn wait_after(&mut self, error: &sqlx::Error, may_be_done: bool) -> bool {
        let may_retry = match Cause::of(error) {
            Cause::Conflict => true,
            Cause::Connection | Cause::NotReady => {
                self.connections.drop_idle();
                self.backoff.deadline = self.connections.source().away.retry_until(self.deadline);
                !may_be_done && !matches!(error, sqlx::Error::PoolClosed)
            }
            Cause::Duplicate | Cause::Statement => false,
        };
        may_retry && self.backoff.wait().await
    }
}

/// Reads, within the time limit.
pub(super) async fn read<T>(
    connections: &Connections<Source>,
    queries: impl AsyncFnOnce(&mut MySqlConnection) -> sqlx::Result<T> + Clone,
) -> sqlx::Result<T> {
    let mut retries = Retries::on(connections);
    loop {
        let read = timeout_at(retries.deadline, connections.with(queries.clone())).await;
        match in_time(read) {
            Ok(read) => {
                connections.source().away.end();
                return Ok(read);
            }
            Err(error) if retries.wait_after(&error, false).await => {}
            Err(error) => return Err(error),
        }
    }
}

/// The same, and all queries read one snapshot.
pub(super) async fn read_snapshot<T>(
    connections: &Connections<Source>,
    queries: impl AsyncFnOnce(&mut MySqlConnection) -> sqlx::Result<T> + Clone,
) -> sqlx::Result<T> {
    let queries = async |connection: &mut MySqlConnection| {
        execute(connection, SNAPSHOT).await?;
        let read = queries(connection).await?;
        execute(connection, "COMMIT").await?;
        Ok(read)
    };
    read(connections, queries).await
}
