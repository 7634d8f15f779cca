//! Why a call failed, and whether it may be retried.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::statements::StatementsFailed;
use crate::tls::is_tls_error;

/// Why a call to the database failed. Clones are for the callers whose posts shared a batch.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    Database(Arc<sqlx::Error>),
    Statements(Arc<StatementsFailed>),
    TimedOut,
    Closed,
    /// Anything else, as a sentence.
    Other(&'static str),
}

impl Failure {
    /// What it says about a retry.
    pub(super) fn cause(&self) -> Cause {
        match self {
            Self::Database(error) => Cause::of(error),
            _ => Cause::Statement,
        }
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolClosed => Self::Closed,
            error => Self::Database(Arc::new(error)),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Database(error) => return error.fmt(f),
            Self::Statements(error) => return error.fmt(f),
            Self::TimedOut => "it took too long",
            Self::Closed => "the store is closed",
            Self::Other(sentence) => sentence,
        })
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The error itself is printed above.
            Self::Database(error) => error.source(),
            Self::Statements(error) => error.source(),
            _ => None,
        }
    }
}

/// The server is a standby, or was made read-only.
pub(super) const READ_ONLY: Failure = Failure::Other("the server is read-only");

/// What a failed statement says about a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// A conflict with another transaction. Nothing was done: retry.
    Conflict,
    /// The server has become read-only. Nothing was done: retry on a new connection, which may reach
    /// its successor.
    ReadOnly,
    /// The connection is broken, and the outcome of the statement is unknown.
    Connection,
    /// The statement itself is at fault. Nothing was done, and a retry would fail, too.
    Statement,
}

impl Cause {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        let sqlx::Error::Database(error) = error else {
            return Self::Connection;
        };
        match error.code().as_deref() {
            // serialization_failure, deadlock_detected
            Some("40001" | "40P01") => Self::Conflict,
            // read_only_sql_transaction
            Some("25006") => Self::ReadOnly,
            // Class 08 is connection errors; class 57P is the server's shutdown and start.
            Some(code) if code.starts_with("08") || code.starts_with("57P") => Self::Connection,
            _ => Self::Statement,
        }
    }
}

/// Whether a server that refused a connection may accept one later.
pub(super) fn may_connect_later(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => !is_tls_error(error),
        // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections. Class 08: a
        // pooler has no server.
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            matches!(&*code, "57P01" | "57P02" | "57P03" | "53300") || code.starts_with("08")
        }),
        _ => false,
    }
}
