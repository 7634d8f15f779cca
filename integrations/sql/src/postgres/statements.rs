//! The host's own statements in the transaction of a change.

use std::sync::Arc;

use handbill::Change;
use handbill::store::NewChange;
use sqlx::{PgConnection, Row};
use tokio::time::Instant;

use super::connections::Lease;
use super::failure::{Cause, Failure};
use super::{PostgresStore, outbox};
use crate::statements::{Running, Statements, TIMEOUT, failed};

/// The server stops a statement that was given up, which would otherwise keep its locks for as long as it runs.
const BEFORE: &str = "SAVEPOINT handbill_change; SET LOCAL statement_timeout = '4s'";
/// A commit that waits for a standby has no such limit.
const AFTER: &str = "RELEASE SAVEPOINT handbill_change; SET LOCAL statement_timeout = 0";

impl PostgresStore {
    /// Runs the host's own statements in the transaction of each change of a post or a key: both happen, or neither. It
    /// is the same [`Change`] that durable listeners receive. Later calls replace the statements, and all clones of the
    /// store share them.
    ///
    /// Each change, also a creation, then has a transaction of its own. Others that need the same rows of yours wait
    /// until it ends. If the statements return an error (a `Box<dyn Error + Send + Sync>`), panic or take longer than 3
    /// seconds, the change is not made, and the client gets 503. If the error is sqlx's own and says that there was a
    /// conflict with another transaction, they run again, together with the change. Do not call `begin` on the
    /// connection, which would end Handbill's transaction: for a part that may fail, use `SAVEPOINT`. Do not write to
    /// the tables of Handbill. The statements do not run for what is no change, such as an import of an archive, nor
    /// for the changes of other programs: triggers do. A store of yours around this one must pass the changes on, or
    /// they never run. `SqliteStore::with_statements` has an example; here, parameters are `$1` and so on.
    #[must_use]
    pub fn with_statements<F>(self, statements: F) -> Self
    where
        F: for<'c> Fn(&'c mut PgConnection, &'c Change) -> Running<'c> + Send + Sync + 'static,
    {
        self.writers.set_statements(Arc::new(statements));
        self
    }
}

/// Puts a change that this transaction has made into the outbox, and runs the host's statements with it.
pub(super) async fn run(
    lease: &mut Lease<'_>,
    statements: &Statements<PgConnection>,
    change: &NewChange,
) -> Result<(), Failure> {
    let added = lease.rows(outbox::add(change)).await?;
    let row = added.first().ok_or(sqlx::Error::RowNotFound)?;
    let number: i64 = row.try_get("number")?;
    let change = change.clone().numbered(number.cast_unsigned());
    lease.execute(BEFORE).await?;
    let deadline = Instant::now() + TIMEOUT;
    let run = crate::statements::run(statements, lease.connection(), &change, deadline).await;
    if let Err(error) = run {
        let is_no_fault =
            |error: &sqlx::Error| matches!(Cause::of(error), Cause::Conflict | Cause::ReadOnly);
        return Err(Failure::Statements(Arc::new(failed(error, is_no_fault)?)));
    }
    // An error if the host's statements have ended the transaction, or one of them failed and they went on. PostgreSQL
    // reports a commit as a success also then.
    lease.execute(AFTER).await?;
    Ok(())
}
