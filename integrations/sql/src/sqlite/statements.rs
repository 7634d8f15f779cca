//! The host's own statements in the transaction of each change.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use handbill::Change;
use handbill::store::{NewChange, Outcome};
use sqlx::SqliteConnection;
use tokio::time::{Instant, timeout};

use super::change::make;
use super::{SqliteStore, outbox_change};
use crate::connections::ACQUIRE_TIMEOUT;
use crate::request::Request;
use crate::statements::{Running, Statements, StatementsFailed, TIMEOUT, run};
use crate::writer::WriteError;

/// How long SQLite goes on with the statements of a transaction after they were given up.
const GRACE: Duration = Duration::from_secs(1);
/// SQLite runs some millions of its instructions each second.
const INSTRUCTIONS_BETWEEN_CHECKS: i32 = 10_000;

impl SqliteStore {
    /// Runs the host's own statements in the transaction of each change of a post or a key: both happen, or neither. It
    /// is the same [`Change`] that durable listeners receive. Later calls replace the statements, and all clones of the
    /// store share them.
    ///
    /// If they return an error (a `Box<dyn Error + Send + Sync>`) or panic, this change is not made, and the client
    /// gets 503. Changes that arrive at the same time share a transaction, whose statements have 3 seconds together,
    /// and the file has one writer: so write a few rows and do nothing else. A statement of SQL that runs for longer is
    /// stopped. Do not call `begin` on the connection, which is in a transaction: for a part that may fail, use
    /// `SAVEPOINT`. Do not end the transaction, nor write to the tables of Handbill. The statements do not run for what
    /// is no change, such as an import of an archive, nor for the changes of other processes: triggers do. A store of
    /// yours around this one must pass the changes on, or they never run.
    ///
    /// ```
    /// use handbill::{Draft, Handbill};
    /// use handbill_sql::SqliteStore;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let file = folder.path().join("app.db");
    /// # let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    /// # let pool = sqlx::SqlitePool::connect_with(options).await?;
    /// # sqlx::query("CREATE TABLE audit (number INTEGER PRIMARY KEY, who TEXT, what TEXT, subject TEXT)")
    /// #     .execute(&pool).await?;
    /// let store = SqliteStore::open(file).await?.with_statements(|connection, change| {
    ///     Box::pin(async move {
    ///         sqlx::query("INSERT INTO audit (number, who, what, subject) VALUES (?, ?, ?, ?)")
    ///             .bind(change.number as i64)
    ///             .bind(change.by.to_string())
    ///             .bind(change.event.name())
    ///             .bind(change.event.subject())
    ///             .execute(connection)
    ///             .await?;
    ///         Ok(())
    ///     })
    /// });
    /// let handbill = Handbill::new("https://example.org", store.cached())?;
    /// handbill.posts().create(Draft::new().body("Noted.")).await?;
    /// # let row = sqlx::query_as("SELECT number, who, what FROM audit").fetch_one(&pool).await;
    /// # let row: (i64, String, String) = row?;
    /// # assert_eq!(row, (1, "host".to_owned(), "post.created".to_owned()));
    /// # Ok(())
    /// # }
    /// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(example()).unwrap();
    /// ```
    #[must_use]
    pub fn with_statements<F>(self, statements: F) -> Self
    where
        F: for<'c> Fn(&'c mut SqliteConnection, &'c Change) -> Running<'c> + Send + Sync + 'static,
    {
        self.writer.set_statements(Arc::new(statements));
        self
    }
}

/// Makes all changes in one transaction. One whose statements fail is not made. After any other error nothing is
/// changed, once the connection is closed.
pub(super) async fn commit(
    connection: &mut SqliteConnection,
    requests: &[Request],
    statements: &Statements<SqliteConnection>,
) -> sqlx::Result<Vec<Result<Outcome, WriteError>>> {
    let has_listeners = outbox_change::begin(connection).await?;
    let deadline = Instant::now() + TIMEOUT;
    stop_after(connection, deadline + GRACE).await?;
    let mut outcomes = Vec::with_capacity(requests.len());
    for request in requests {
        let outcome = match request.change() {
            Some(change) => {
                let write = (request, change, has_listeners);
                make_with_statements(connection, write, statements, deadline).await?
            }
            None => Ok(make(connection, request).await?),
        };
        outcomes.push(outcome);
    }
    connection.lock_handle().await?.remove_progress_handler();
    execute(connection, "COMMIT").await?;
    Ok(outcomes)
}

/// Stops what SQLite runs after this instant. It would otherwise go on with a statement that was given up, which may
/// never end, and lock the file.
async fn stop_after(connection: &mut SqliteConnection, last: Instant) -> sqlx::Result<()> {
    let last = last.into_std();
    let goes_on = move || std::time::Instant::now() < last;
    let mut handle = connection.lock_handle().await?;
    handle.set_progress_handler(INSTRUCTIONS_BETWEEN_CHECKS, goes_on);
    Ok(())
}

async fn make_with_statements(
    connection: &mut SqliteConnection,
    (request, change, has_listeners): (&Request, &NewChange, bool),
    statements: &Statements<SqliteConnection>,
    deadline: Instant,
) -> sqlx::Result<Result<Outcome, WriteError>> {
    execute(connection, "SAVEPOINT handbill_change").await?;
    let made = make(connection, request).await?;
    let mut outcome: Result<_, WriteError> = Ok(made);
    if made == Outcome::Applied {
        let number = outbox_change::add(connection, change, has_listeners).await?;
        let change = change.clone().numbered(number);
        if let Err(error) = run(statements, connection, &change, deadline).await {
            // It waits for a statement that was given up, and may not end.
            let undo = execute(connection, "ROLLBACK TO handbill_change");
            let undone = timeout(ACQUIRE_TIMEOUT, undo).await;
            undone.map_err(|_| sqlx::Error::Io(ErrorKind::TimedOut.into()))??;
            outcome = Err(Arc::new(StatementsFailed(error)));
        }
    }
    // An error if the host's statements have ended the transaction.
    execute(connection, "RELEASE handbill_change").await?;
    Ok(outcome)
}

async fn execute(connection: &mut SqliteConnection, statement: &'static str) -> sqlx::Result<()> {
    sqlx::query(statement).execute(connection).await.map(drop)
}
