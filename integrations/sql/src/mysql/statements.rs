//! The host's own statements in the transaction of each change.

use std::sync::Arc;

use handbill::Change;
use handbill::store::{NewChange, Outcome};
use sqlx::MySqlConnection;
use tokio::time::Instant;

use super::change::Transaction;
use super::failure::Cause;
use super::statement::execute;
use super::writer::Outcomes;
use super::{MySqlStore, outbox_change};
use crate::request::Request;
use crate::statements::{Running, Statements, TIMEOUT, failed, run};
use crate::writer::WriteError;

/// MariaDB ends a statement of the host that goes on after all callers have given up. Otherwise its transaction would
/// stay, and with it the lock of the gate that the writes of this instance pass.
const BEGIN: &str = "
SET innodb_lock_wait_timeout = 3 /*M!100100 , max_statement_time = 6 */; SAVEPOINT handbill_change";
const UNDO: &str = "ROLLBACK TO SAVEPOINT handbill_change";

impl MySqlStore {
    /// Runs the host's own statements in the transaction of each change of a post or a key: both happen, or neither. It
    /// is the same [`Change`] that durable listeners receive. Later calls replace the statements, and all clones of the
    /// store share them.
    ///
    /// If they return an error (a `Box<dyn Error + Send + Sync>`) or panic, this change is not made, and the client
    /// gets 503. Changes that arrive at the same time share a transaction, whose statements have 3 seconds together: so
    /// write a few rows and do nothing else. MariaDB ends a statement that goes on after that, and MySQL does not. A
    /// transaction that meets another one is made again, and your statements with it. Do not call `begin` on the
    /// connection, which is in a transaction: for a part that may fail, use `SAVEPOINT`. Do not end the transaction,
    /// not by a statement such as `CREATE TABLE` either, nor write to the tables of Handbill. The statements do not run
    /// for what is no change, such as an import of an archive, nor for the changes of other processes: triggers do. A
    /// store of yours around this one must pass the changes on, or they never run. `SqliteStore::with_statements` has
    /// an example.
    #[must_use]
    pub fn with_statements<F>(self, statements: F) -> Self
    where
        F: for<'c> Fn(&'c mut MySqlConnection, &'c Change) -> Running<'c> + Send + Sync + 'static,
    {
        self.writer.set_statements(Arc::new(statements));
        self
    }
}

/// Makes changes and runs the host's statements with each. A change whose statements fail is not made.
pub(super) async fn make(
    transaction: &mut Transaction<'_>,
    requests: &[Request],
    statements: &Statements<MySqlConnection>,
) -> sqlx::Result<Outcomes> {
    let deadline = Instant::now() + TIMEOUT;
    let mut outcomes = Vec::with_capacity(requests.len());
    for request in requests {
        outcomes.push(match request.change() {
            Some(change) => make_with(transaction, (request, change), statements, deadline).await?,
            None => Ok(transaction.make(request).await?),
        });
    }
    Ok(outcomes)
}

async fn make_with(
    transaction: &mut Transaction<'_>,
    (request, change): (&Request, &NewChange),
    statements: &Statements<MySqlConnection>,
    deadline: Instant,
) -> sqlx::Result<Result<Outcome, WriteError>> {
    execute(transaction.connection, BEGIN).await?;
    let made = transaction.make(request).await?;
    let mut outcome: Result<_, WriteError> = Ok(made);
    if made == Outcome::Applied {
        let number = outbox_change::add(transaction, change).await?;
        let change = change.clone().numbered(number);
        let run = run(statements, transaction.connection, &change, deadline);
        if let Err(error) = run.await {
            // A transaction that met another one is made again, with the statements.
            let failed = failed(error, |error| Cause::of(error) == Cause::Conflict)?;
            outcome = Err(Arc::new(failed));
            execute(transaction.connection, UNDO).await?;
        }
    }
    // An error if the host's statements have ended the transaction.
    execute(transaction.connection, "RELEASE SAVEPOINT handbill_change").await?;
    Ok(outcome)
}
