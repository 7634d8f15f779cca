//! Where connections come from: a server at an address, or the host's pool.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Connection, PgConnection, PgPool, Postgres};

use super::server::Server;

#[derive(Clone)]
pub(super) enum Source {
    Server(Box<Server>),
    Pool(PgPool),
}

impl Source {
    pub(super) async fn connect(&self) -> sqlx::Result<Connected> {
        match self {
            Self::Server(server) => Ok(Connected::Own(server.connect().await?)),
            Self::Pool(pool) => Ok(Connected::OfPool(OfPool {
                connection: pool.acquire().await?,
                may_return: false,
            })),
        }
    }

    /// Whether the settings of a connection are others' business, and it may be another one for the next
    /// transaction. Then statements are not prepared in advance, and each runs in an explicit transaction.
    pub(super) const fn is_pooled(&self) -> bool {
        match self {
            Self::Server(server) => server.pooled,
            Self::Pool(_) => true,
        }
    }

    /// The same source, known to be PostgreSQL itself.
    pub(super) fn with_settings(self) -> Self {
        match self {
            Self::Server(server) => Self::Server(Box::new(server.with_settings())),
            pool @ Self::Pool(_) => pool,
        }
    }
}

pub(super) enum Connected {
    Own(PgConnection),
    OfPool(OfPool),
}

impl Connected {
    /// Ends the use of a connection that no [`Connections`](super::connections::Connections) has. All responses were
    /// read, so an error does not matter.
    pub(super) async fn finish(self) {
        match self {
            Self::Own(connection) => drop(connection.close().await),
            Self::OfPool(connection) => connection.give_back(),
        }
    }
}

/// Dropping it closes the connection, because a response may be unread.
pub(super) struct OfPool {
    connection: PoolConnection<Postgres>,
    may_return: bool,
}

impl OfPool {
    /// Returns the connection to the pool. All responses were read.
    pub(super) fn give_back(mut self) {
        self.may_return = true;
    }
}

impl Drop for OfPool {
    fn drop(&mut self) {
        if !self.may_return {
            self.connection.close_on_drop();
        }
    }
}

impl Deref for Connected {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match self {
            Self::Own(connection) => connection,
            Self::OfPool(lent) => &lent.connection,
        }
    }
}

impl DerefMut for Connected {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match self {
            Self::Own(connection) => connection,
            Self::OfPool(lent) => &mut lent.connection,
        }
    }
}
