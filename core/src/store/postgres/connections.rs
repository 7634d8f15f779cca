//! Connections to one server: a few of them, used again, each call within its time.
//!
//! sqlx's own pool asks the server whether a connection still answers each time it gets it back,
//! which costs as much as a read. Here a connection comes back at once if all that was sent through
//! it was answered, and is closed if not.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::{PgArguments, PgConnectOptions, PgRow};
use sqlx::query::Query;
use sqlx::{ConnectOptions, Connection, Executor, PgConnection, Postgres, Row};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::failure::{Cause, Failure, may_connect_later};
use super::position::Position;

/// How long a call may take altogether, waiting for a connection included.
///
/// It is counted here, and who loses patience drops the connection. The server's own
/// `statement_timeout` and its cancelling of statements are no way to that: they also end the wait
/// for a synchronous standby, after which the server reports as done what no standby has.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// Connections that read from one server: reads are short, and the server's cores few.
pub(super) const MOST_READING: usize = 8;
/// How often a transaction is tried that others are in the way of.
const MOST_TRIES: u32 = 8;
/// How long a connection may lie idle and be used without a look whether it is alive.
const TRUSTED_FOR: Duration = Duration::from_secs(1);
/// How long such a look may take.
const LOOK: Duration = Duration::from_millis(500);
/// How long a connection may lie idle.
const MAX_IDLE: Duration = Duration::from_secs(600);
/// The first pause before something is tried again, doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const MAX_PAUSE: Duration = Duration::from_millis(400);

pub(super) type Statement<'q> = Query<'q, Postgres, PgArguments>;

/// What is set on each connection to PostgreSQL. Plans are kept, and those that were made when the
/// tables were small would walk them when they have grown, until their statistics are made again.
/// No statement is worth compiling.
const SETTINGS: [(&str, &str); 2] = [("enable_seqscan", "off"), ("jit", "off")];

/// How to reach the server.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) options: PgConnectOptions,
    /// Whether each transaction may run on another connection of the server's, as behind a pooler
    /// in transaction mode: statements are then not kept prepared, and what is sent in several
    /// messages stands in a transaction.
    pub(super) shared: bool,
}

impl Server {
    /// The same server, known to be PostgreSQL itself.
    pub(super) fn tuned(self) -> Self {
        // A pooler may not let such settings through, and no plans are kept behind one.
        if self.shared {
            return self;
        }
        Self {
            options: self.options.options(SETTINGS),
            ..self
        }
    }
}

impl fmt::Debug for Server {
    /// Without the options, which hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("shared", &self.shared)
            .finish_non_exhaustive()
    }
}

/// What a call does: whether it may be made twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    Writes,
}

#[derive(Debug)]
pub(super) struct Connections {
    server: Server,
    effect: Effect,
    free: Semaphore,
    idle: Mutex<Vec<Idle>>,
    refusals: Mutex<Option<Refusals>>,
}

#[derive(Debug)]
struct Idle {
    connection: PgConnection,
    come_to: Option<Position>,
    since: Instant,
}

/// Nobody has listened at the server's address for a while.
#[derive(Clone, Copy, Debug)]
struct Refusals {
    first: Instant,
    last: Instant,
}

/// A connection in use, closed when dropped: a caller who stops waiting leaves an answer in it.
#[derive(Debug)]
pub(super) struct Lease<'a> {
    connections: &'a Connections,
    connection: PgConnection,
    /// Up to where the server is known to have replayed its primary's log, if it is a standby. That
    /// holds for this connection alone: where the server was started again, it begins further back.
    pub(super) come_to: Option<Position>,
    _permit: SemaphorePermit<'a>,
}

impl Connections {
    /// At most so many connections, opened when they are needed.
    pub(super) fn new(server: Server, effect: Effect, most: usize) -> Self {
        Self {
            server,
            effect,
            free: Semaphore::new(most),
            idle: Mutex::default(),
            refusals: Mutex::default(),
        }
    }

    /// Runs one statement as a transaction, and returns its rows.
    ///
    /// What is known to have done nothing is tried again in time. A read that lost its connection is
    /// repeated, a write is not.
    pub(super) async fn rows<'q>(
        &self,
        statement: impl Fn() -> Statement<'q>,
    ) -> Result<Vec<PgRow>, Failure> {
        let deadline = Instant::now() + PATIENCE;
        let outcome = timeout_at(deadline, self.try_rows(deadline, statement)).await;
        outcome.unwrap_or(Err(Failure::TimedOut))
    }

    /// The same, but who finds no server does not wait for one.
    pub(super) async fn rows_if_there<'q>(
        &self,
        statement: impl Fn() -> Statement<'q>,
    ) -> Result<Vec<PgRow>, Failure> {
        let outcome = timeout(PATIENCE, self.try_rows(Instant::now(), statement)).await;
        outcome.unwrap_or(Err(Failure::TimedOut))
    }

    /// A server is waited for until the deadline.
    async fn try_rows<'q>(
        &self,
        deadline: Instant,
        statement: impl Fn() -> Statement<'q>,
    ) -> Result<Vec<PgRow>, Failure> {
        let mut pause = Pause::default();
        let mut lost = false;
        loop {
            let mut lease = self.lease(deadline).await?;
            let error = match lease.transaction(statement()).await {
                Ok(rows) => {
                    lease.give_back();
                    return Ok(rows);
                }
                Err(error) => error,
            };
            match Cause::of(&error) {
                Cause::Statement => {
                    lease.give_back();
                    return Err(error.into());
                }
                Cause::Rivals if pause.taken < MOST_TRIES => lease.give_back(),
                Cause::ReadOnly if pause.taken < MOST_TRIES => self.distrust(),
                Cause::Connection if self.effect == Effect::Reads && !lost => {
                    lost = true;
                    self.distrust();
                    continue;
                }
                Cause::Rivals | Cause::ReadOnly | Cause::Connection => {
                    self.distrust();
                    return Err(error.into());
                }
            }
            pause.take().await;
        }
    }

    /// A connection, idle or new.
    pub(super) async fn lease(&self, deadline: Instant) -> Result<Lease<'_>, Failure> {
        let permit = self.free.acquire().await.map_err(|_| Failure::Closed)?;
        let (connection, come_to) = loop {
            let Some(Idle {
                mut connection,
                come_to,
                since,
            }) = lock(&self.idle).pop()
            else {
                break (self.connect(deadline).await?, None);
            };
            if since.elapsed() <= TRUSTED_FOR
                || matches!(timeout(LOOK, connection.ping()).await, Ok(Ok(())))
            {
                break (connection, come_to);
            }
        };
        Ok(Lease {
            connections: self,
            connection,
            come_to,
            _permit: permit,
        })
    }

    /// Connects, trying again while the server may be starting or another one be taking its place.
    /// Where it has been away for longer than a call may take, nobody waits for it any more.
    async fn connect(&self, deadline: Instant) -> Result<PgConnection, Failure> {
        let mut pause = Pause::default();
        loop {
            let failure = match self.connect_once().await {
                Ok(connection) => {
                    *lock(&self.refusals) = None;
                    return Ok(connection);
                }
                Err(Failure::Database(error)) if !may_connect_later(&error) => {
                    return Err(Failure::Database(error));
                }
                Err(failure) => failure,
            };
            let deadline = match &failure {
                Failure::Database(error) if matches!(**error, sqlx::Error::Io(_)) => {
                    deadline.min(self.refused_since() + PATIENCE)
                }
                _ => deadline,
            };
            if deadline.duration_since(Instant::now()) <= pause.next {
                return Err(failure);
            }
            pause.take().await;
        }
    }

    async fn connect_once(&self) -> Result<PgConnection, Failure> {
        let mut connection = self.server.options.connect().await?;
        // Behind one address there may be a standby for a while. Reads do with that.
        if self.effect == Effect::Writes {
            let shown = connection.fetch_one("SHOW transaction_read_only").await?;
            if shown.try_get::<&str, _>(0)? == "on" {
                return Err(Failure::ReadOnly);
            }
        }
        Ok(connection)
    }

    /// Notes that the server refused a connection, and tells since when it has, of what is known
    /// without a gap.
    fn refused_since(&self) -> Instant {
        let now = Instant::now();
        let mut refusals = lock(&self.refusals);
        let first = match *refusals {
            Some(Refusals { first, last }) if now < last + PATIENCE => first,
            _ => now,
        };
        *refusals = Some(Refusals { first, last: now });
        first
    }

    /// Closes the idle connections: where one is lost, the others mostly are, too.
    pub(super) fn distrust(&self) {
        let distrusted = std::mem::take(&mut *lock(&self.idle));
        drop(distrusted);
    }

    /// Whether each transaction may run on another connection of the server's.
    pub(super) fn are_shared(&self) -> bool {
        self.server.shared
    }

    /// Closes all connections, those in use as soon as they are not.
    pub(super) fn close(&self) {
        self.free.close();
        self.distrust();
    }
}

// Nothing panics while it holds a lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lease<'_> {
    /// Runs one statement as a transaction of its own.
    async fn transaction(&mut self, statement: Statement<'_>) -> sqlx::Result<Vec<PgRow>> {
        if !self.connections.server.shared {
            // It commits by itself: one way there and back.
            return self.rows(statement).await;
        }
        self.execute("BEGIN").await?;
        let rows = self.within(statement).await?;
        self.execute("COMMIT").await?;
        Ok(rows)
    }

    /// Runs a statement within a transaction, and ends that if it fails.
    pub(super) async fn within(&mut self, statement: Statement<'_>) -> sqlx::Result<Vec<PgRow>> {
        match self.rows(statement).await {
            Err(error @ sqlx::Error::Database(_)) => {
                self.execute("ROLLBACK").await?;
                Err(error)
            }
            outcome => outcome,
        }
    }

    /// Whether another transaction may run on another connection of the server's.
    pub(super) fn is_shared(&self) -> bool {
        self.connections.are_shared()
    }

    /// Runs one statement.
    pub(super) async fn rows(&mut self, statement: Statement<'_>) -> sqlx::Result<Vec<PgRow>> {
        let keeps_prepared = !self.connections.server.shared;
        statement
            .persistent(keeps_prepared)
            .fetch_all(&mut self.connection)
            .await
    }

    /// Runs a statement without parameters and rows.
    pub(super) async fn execute(&mut self, statement: &'static str) -> sqlx::Result<()> {
        self.connection.execute(statement).await.map(drop)
    }

    /// Makes the connection free for others. All that was sent has been answered, or a statement
    /// failed and left the connection in order.
    pub(super) fn give_back(self) {
        if self.connections.free.is_closed() {
            return;
        }
        let mut idle = lock(&self.connections.idle);
        let too_long = |oldest: &Idle| oldest.since.elapsed() > MAX_IDLE;
        if idle.first().is_some_and(too_long) {
            idle.remove(0);
        }
        idle.push(Idle {
            connection: self.connection,
            come_to: self.come_to,
            since: Instant::now(),
        });
    }
}

/// Pauses that grow, each another for everyone, so that rivals do not meet again.
pub(super) struct Pause {
    next: Duration,
    pub(super) taken: u32,
}

impl Default for Pause {
    fn default() -> Self {
        Self {
            next: FIRST_PAUSE,
            taken: 0,
        }
    }
}

impl Pause {
    pub(super) async fn take(&mut self) {
        sleep(self.next.mul_f64(rand::random_range(0.5..1.0))).await;
        self.next = (self.next * 2).min(MAX_PAUSE);
        self.taken += 1;
    }
}
