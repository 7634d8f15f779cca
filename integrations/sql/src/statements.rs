//! The host's own statements in the transaction of each change.

use parking_lot::Mutex;
use std::error::Error;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use handbill::Change;
use tokio::time::{Instant, timeout_at};

/// How long the statements of one transaction may take. Other changes wait for them.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(3);

pub(crate) type StatementsError = Box<dyn Error + Send + Sync>;

/// The host's statements failed with this error.
#[derive(Debug)]
pub(crate) struct StatementsFailed(pub(crate) StatementsError);

impl fmt::Display for StatementsFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the host's statements failed: {}", self.0)
    }
}

impl Error for StatementsFailed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// That the host's statements failed with this error.
///
/// # Errors
/// sqlx's own error, if this is one that is no fault of the statements.
#[cfg(any(feature = "postgres", feature = "mysql"))]
pub(crate) fn failed(
    error: StatementsError,
    is_no_fault: impl Fn(&sqlx::Error) -> bool,
) -> sqlx::Result<StatementsFailed> {
    match error.downcast::<sqlx::Error>() {
        Ok(error) if is_no_fault(&error) => Err(*error),
        Ok(error) => Ok(StatementsFailed(error)),
        Err(error) => Ok(StatementsFailed(error)),
    }
}

/// What the host's statements do, until they have succeeded or failed.
pub(crate) type Running<'c> =
    Pin<Box<dyn Future<Output = Result<(), StatementsError>> + Send + 'c>>;

/// A function of the host, which runs its statements on a connection of type `C`.
pub(crate) type Statements<C> =
    Arc<dyn for<'c> Fn(&'c mut C, &'c Change) -> Running<'c> + Send + Sync>;

/// The host's statements, if there are any. All clones of a store share them.
pub(crate) type HostStatements<C> = Arc<Mutex<Option<Statements<C>>>>;

/// Runs the host's statements. A panic and a timeout are errors, too.
pub(crate) async fn run<C>(
    statements: &Statements<C>,
    connection: &mut C,
    change: &Change,
    deadline: Instant,
) -> Result<(), StatementsError> {
    let run = AssertUnwindSafe(async { statements(connection, change).await }).catch_unwind();
    match timeout_at(deadline, run).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Err("they panicked".into()),
        Err(_) => Err(format!("they took longer than {} seconds", TIMEOUT.as_secs()).into()),
    }
}
