//! A pool of connections to one server, with a timeout for each call.
//!
//! The store measures the time of a call and drops the connection when it is over. The server's `statement_timeout`
//! and cancel requests are no alternative: they also end the wait for a synchronous standby, and the
//! server then reports as committed what no standby has. Its `lock_timeout` does not.
//!
//! It guarantees that each call ends within [`TIMEOUT`], that a statement which is known to have done
//! nothing is retried until then, and that a connection is reused only if the response to everything
//! sent on it was read. sqlx's own pool pings the server each time a connection is returned, which
//! costs as much as a read. If the host has one all the same, the connections come from there and return to it.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use handbill::store::NewChange;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{Connection, Executor, PgConnection, Postgres, Row};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

use super::failure::{Cause, Failure, READ_ONLY, may_connect_later};
use super::outbox::ForListeners;
use super::replicas::Position;
use super::server::BEGIN;
use super::source::{Connected, Source};
use super::statements;
use crate::backoff::{Away, Backoff, TIMEOUT};
use crate::statements::{HostStatements, Statements};

/// Connections that read from one server. Reads are short, so more would only wait for its cores.
pub(super) const MAX_READ_CONNECTIONS: usize = 8;
/// A connection that was idle for longer is pinged before it is used.
const PING_AFTER: Duration = Duration::from_secs(1);
const PING_TIMEOUT: Duration = Duration::from_millis(500);

pub(super) type Statement<'q> = Query<'q, Postgres, PgArguments>;

/// What the connections are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// A statement whose connection broke may be repeated.
    Read,
    /// The server must not be a standby, and a statement whose connection broke is not repeated.
    Write,
}

pub(super) struct Connections {
    source: Source,
    access: Access,
    /// Those of the host, which run with changes.
    statements: HostStatements<PgConnection>,
    /// Whether the last write with a change saw durable listeners.
    has_listeners: AtomicBool,
    permits: Semaphore,
    idle: Mutex<Vec<Idle>>,
    /// Whether connecting failed, and has not succeeded since.
    away: Away,
}

struct Idle {
    connection: PgConnection,
    replayed: Option<Position>,
    /// By the system's time, which also counts while the process or its machine is frozen.
    since: SystemTime,
}

/// A connection in use. Dropping it closes the connection, because a response may be unread.
pub(super) struct Lease<'a> {
    connections: &'a Connections,
    connection: Connected,
    /// What the server is known to have replayed, if it is a standby. This holds for this connection
    /// only: a standby that was restarted continues from an earlier position.
    pub(super) replayed: Option<Position>,
    /// Whether a transaction has begun and is not known to have ended. Then no other caller may use the connection.
    in_transaction: bool,
    _permit: SemaphorePermit<'a>,
}

/// What else runs in the transaction of a statement.
enum Beside<'a> {
    Nothing,
    /// These locks are taken before.
    Locks(&'static str),
    /// The host's statements, with a change that is not in the outbox yet.
    Host {
        statements: Statements<PgConnection>,
        change: &'a NewChange,
    },
}

impl Connections {
    /// At most `max` connections, opened when needed.
    pub(super) fn new(source: Source, access: Access, max: usize) -> Self {
        Self {
            source,
            access,
            statements: HostStatements::default(),
            has_listeners: AtomicBool::new(false),
            permits: Semaphore::new(max),
            idle: Mutex::default(),
            away: Away::default(),
        }
    }

    /// Runs one statement as a transaction and returns its rows. Waits for a server that is away.
    pub(super) async fn rows<'q>(
        &self,
        statement: impl Fn() -> Statement<'q>,
    ) -> Result<Vec<PgRow>, Failure> {
        self.rows_by(Instant::now() + TIMEOUT, statement).await
    }

    /// The same, but retries only until the deadline.
    pub(super) async fn rows_by<'q>(
        &self,
        deadline: Instant,
        statement: impl Fn() -> Statement<'q>,
    ) -> Result<Vec<PgRow>, Failure> {
        let outcome = timeout(TIMEOUT, self.retry(deadline, statement, &Beside::Nothing)).await;
        outcome.unwrap_or(Err(Failure::TimedOut))
    }

    /// Takes locks and then runs one statement, in a transaction.
    pub(super) async fn rows_with_locks<'q>(
        &self,
        locks: &'static str,
        statement: impl Fn() -> Statement<'q>,
    ) -> Result<Vec<PgRow>, Failure> {
        let (deadline, locks) = (Instant::now() + TIMEOUT, Beside::Locks(locks));
        let outcome = timeout(TIMEOUT, self.retry(deadline, statement, &locks)).await;
        outcome.unwrap_or(Err(Failure::TimedOut))
    }

    /// Runs one statement that makes writes, and puts their changes into the outbox if there are durable listeners. If
    /// the host has statements, runs them and this one in a transaction.
    ///
    /// As long as there were no listeners, the statement without the outbox runs, which finds out by itself whether it
    /// may. The other one follows only if it may not, or makes no write for another reason.
    pub(super) async fn write<'q>(
        &self,
        changes: &[&NewChange],
        statement: impl Fn(ForListeners<'_>) -> Statement<'q>,
    ) -> Result<Vec<PgRow>, Failure> {
        let deadline = Instant::now() + TIMEOUT;
        let host_statements = self.statements.lock().clone();
        let rows = async {
            if let (Some(statements), [change]) = (host_statements, changes) {
                let host = Beside::Host { statements, change };
                let statement = || statement(ForListeners::Nothing);
                return self.retry(deadline, statement, &host).await;
            }
            let run = async |how| {
                self.retry(deadline, || statement(how), &Beside::Nothing)
                    .await
            };
            if changes.is_empty() {
                return run(ForListeners::Nothing).await;
            }
            if !self.has_listeners.load(Ordering::Relaxed) {
                let rows = run(ForListeners::NothingIfAbsent).await?;
                if !rows.is_empty() {
                    return Ok(rows);
                }
            }
            let rows = run(ForListeners::Add(changes)).await?;
            if let Some(row) = rows.first() {
                let has_listeners = row.try_get("has_listeners")?;
                self.has_listeners.store(has_listeners, Ordering::Relaxed);
            }
            Ok(rows)
        };
        timeout(TIMEOUT, rows)
            .await
            .unwrap_or(Err(Failure::TimedOut))
    }

    /// Runs these in the transaction of each later change.
    pub(super) fn set_statements(&self, statements: Statements<PgConnection>) {
        *self.statements.lock() = Some(statements);
    }

    pub(super) fn have_statements(&self) -> bool {
        self.statements.lock().is_some()
    }

    async fn retry<'q>(
        &self,
        deadline: Instant,
        statement: impl Fn() -> Statement<'q>,
        beside: &Beside<'_>,
    ) -> Result<Vec<PgRow>, Failure> {
        let mut backoff = Backoff::until(deadline);
        let mut reconnected = false;
        loop {
            let mut lease = self.lease(deadline).await?;
            let failure = match lease.transaction(statement(), beside).await {
                Ok(rows) => {
                    lease.give_back();
                    return Ok(rows);
                }
                Err(failure) => failure,
            };
            let may_retry = match failure.cause() {
                Cause::Statement => {
                    lease.give_back();
                    false
                }
                Cause::Conflict => {
                    lease.give_back();
                    backoff.wait().await
                }
                Cause::ReadOnly => {
                    drop(lease);
                    self.close_idle();
                    backoff.wait().await
                }
                Cause::Connection => {
                    drop(lease);
                    self.close_idle();
                    self.access == Access::Read && !std::mem::replace(&mut reconnected, true)
                }
            };
            if !may_retry {
                return Err(failure);
            }
        }
    }

    /// An idle connection, or a new one by the deadline.
    pub(super) async fn lease(&self, deadline: Instant) -> Result<Lease<'_>, Failure> {
        let permit = self.permits.acquire().await.map_err(|_| Failure::Closed)?;
        let (connection, replayed) = loop {
            let idle = self.idle.lock().pop();
            let Some(mut idle) = idle else {
                break (self.connect(deadline).await?, None);
            };
            let idle_for = idle.since.elapsed();
            if idle_for.is_ok_and(|idle_for| idle_for <= PING_AFTER)
                || matches!(
                    timeout(PING_TIMEOUT, idle.connection.ping()).await,
                    Ok(Ok(()))
                )
            {
                break (Connected::Own(idle.connection), idle.replayed);
            }
        };
        Ok(Lease {
            connections: self,
            connection,
            replayed,
            in_transaction: false,
            _permit: permit,
        })
    }

    /// Connects. Retries until the deadline, since the server may be starting or a standby may be
    /// taking its place. Calls fail at once while a server is away for longer than [`TIMEOUT`].
    async fn connect(&self, deadline: Instant) -> Result<Connected, Failure> {
        let mut backoff = Backoff::until(deadline);
        loop {
            let failure = match self.connect_once().await {
                Ok(connection) => {
                    self.away.end();
                    return Ok(connection);
                }
                Err(failure) => failure,
            };
            backoff.deadline = self.away.retry_until(deadline);
            let may_retry = match &failure {
                Failure::Database(error) => may_connect_later(error),
                _ => true,
            };
            if !may_retry || !backoff.wait().await {
                return Err(failure);
            }
        }
    }

    async fn connect_once(&self) -> Result<Connected, Failure> {
        let mut connection = self.source.connect().await?;
        // During a failover, a standby may respond at the primary's address.
        if self.access == Access::Write {
            let row = connection.fetch_one("SHOW transaction_read_only").await?;
            if row.try_get::<&str, _>(0)? == "on" {
                return Err(READ_ONLY);
            }
        }
        Ok(connection)
    }

    /// Closes the idle connections. When one connection is lost, most others are, too.
    pub(super) fn close_idle(&self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        drop(idle);
    }

    pub(super) fn are_pooled(&self) -> bool {
        self.source.is_pooled()
    }

    /// Closes all connections; those in use when they are given back.
    pub(super) fn close(&self) {
        self.permits.close();
        self.close_idle();
    }
}

impl Lease<'_> {
    /// Runs one statement as a transaction, and with it what else there is.
    async fn transaction(
        &mut self,
        statement: Statement<'_>,
        beside: &Beside<'_>,
    ) -> Result<Vec<PgRow>, Failure> {
        if !self.connections.are_pooled() && matches!(beside, Beside::Nothing) {
            // It commits by itself: one round trip.
            return Ok(self.rows(statement).await?);
        }
        self.in_transaction = true;
        self.execute(BEGIN).await?;
        let outcome = self.rows_with(statement, beside).await;
        match &outcome {
            Ok(_) => self.execute("COMMIT").await?,
            // It fails if a statement that the host has given up fails, too.
            Err(_) if self.execute("ROLLBACK").await.is_err() => return outcome,
            Err(_) => {}
        }
        self.in_transaction = false;
        outcome
    }

    /// Takes locks, runs one statement, and if it has made a change, the host's own.
    async fn rows_with(
        &mut self,
        statement: Statement<'_>,
        beside: &Beside<'_>,
    ) -> Result<Vec<PgRow>, Failure> {
        if let Beside::Locks(locks) = beside {
            self.execute(locks).await?;
        }
        let rows = self.rows(statement).await?;
        if let Beside::Host { statements, change } = beside
            && !rows.is_empty()
        {
            statements::run(self, statements, change).await?;
        }
        Ok(rows)
    }

    /// Runs one statement.
    pub(super) async fn rows(&mut self, statement: Statement<'_>) -> sqlx::Result<Vec<PgRow>> {
        statement
            .persistent(!self.connections.are_pooled())
            .fetch_all(&mut *self.connection)
            .await
    }

    /// Runs statements without parameters and rows, in one round trip.
    pub(super) async fn execute(&mut self, statements: &'static str) -> sqlx::Result<()> {
        sqlx::raw_sql(statements)
            .execute(&mut *self.connection)
            .await
            .map(drop)
    }

    /// The connection, for statements of the host.
    pub(super) fn connection(&mut self) -> &mut PgConnection {
        &mut self.connection
    }

    /// Makes the connection available to others, unless it may be in a transaction. The caller has read all responses.
    pub(super) fn give_back(self) {
        match self.connection {
            _ if self.in_transaction => {}
            Connected::Own(connection) if !self.connections.permits.is_closed() => {
                self.connections.idle.lock().push(Idle {
                    connection,
                    replayed: self.replayed,
                    since: SystemTime::now(),
                });
            }
            Connected::Own(_) => {}
            Connected::OfPool(connection) => connection.give_back(),
        }
    }
}
