//! Why something was not done, and what may be done about it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Why a call to the database failed. Shared by all posts that were to be inserted together.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    Database(Arc<sqlx::Error>),
    /// The server takes no writes: it is a standby, or was made one.
    ReadOnly,
    /// The server is no standby of the primary, or not up to where that could be told.
    NoStandby,
    /// A connection that was listened on is gone.
    Lost,
    /// Nothing comes by it.
    Silent,
    TimedOut,
    QueueFull,
    Closed,
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(error) => error.fmt(f),
            Self::ReadOnly => f.write_str("the server takes no writes"),
            Self::NoStandby => f.write_str("it is no standby of the primary, or far behind it"),
            Self::Lost => f.write_str("the connection was lost"),
            Self::Silent => f.write_str("the server delivers no notifications"),
            Self::TimedOut => f.write_str("it took too long"),
            Self::QueueFull => f.write_str("too many posts are waiting already"),
            Self::Closed => f.write_str("the store is closed"),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Database(error) => Some(error.as_ref()),
            Self::ReadOnly
            | Self::NoStandby
            | Self::Lost
            | Self::Silent
            | Self::TimedOut
            | Self::QueueFull
            | Self::Closed => None,
        }
    }
}

/// What a failed statement tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Others were in the way; nothing was done, and the whole transaction may be tried again.
    Rivals,
    /// The server has become read-only; nothing was done, and another connection may find its
    /// successor.
    ReadOnly,
    /// The connection is of no more use; whether the statement was done, nobody knows.
    Connection,
    /// The statement itself; nothing was done.
    Statement,
}

impl Cause {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        let sqlx::Error::Database(error) = error else {
            return Self::Connection;
        };
        match error.code().as_deref() {
            // serialization_failure, deadlock_detected
            Some("40001" | "40P01") => Self::Rivals,
            // read_only_sql_transaction
            Some("25006") => Self::ReadOnly,
            // What begins with 08 are connections' own troubles; with 57P, the server's end or start.
            Some(code) if code.starts_with("08") || code.starts_with("57P") => Self::Connection,
            _ => Self::Statement,
        }
    }
}

/// Whether a server that refuses a connection may take one a little later.
pub(super) fn may_connect_later(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        // cannot_connect_now, too_many_connections; 08: a pooler has no server.
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            matches!(&*code, "57P01" | "57P02" | "57P03" | "53300") || code.starts_with("08")
        }),
        _ => false,
    }
}
