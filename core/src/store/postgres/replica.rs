//! One standby that may be read from.

use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Row;
use sqlx::postgres::PgRow;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::connections::{Connections, Effect, Lease, MOST_READING, Server, Statement};
use super::failure::{Cause, Failure};
use super::position::{Lag, LogPosition, Position};
use super::ticket::TicketOffice;
use crate::store::{self, ReplicaState};

/// How long a read waits for a replica that is behind, before it goes to the primary.
const CATCH_UP: Duration = Duration::from_millis(10);
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(1);
/// How long a replica may take to answer. It leaves a read more than half of its time.
const PATIENCE: Duration = Duration::from_secs(2);
/// The pause between two looks at a replica that is read from.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// The same, of one that is behind, and the first one of one that is down, doubled each time.
const BETWEEN_CLOSE_LOOKS: Duration = Duration::from_millis(100);
const MAX_BETWEEN_LOOKS: Duration = Duration::from_secs(5);

/// How far a standby has come, if it is one, and if it is in the history of this mark.
const HOW_FAR: &str = "
SELECT
  pg_is_in_recovery()
    AND EXISTS (SELECT 1 FROM handbill_meta WHERE value = $1 AND name LIKE 'history %') AS follows,
  COALESCE(pg_last_wal_replay_lsn()::TEXT, '0/0') AS replayed";

/// A standby, looked at as long as this is there.
#[derive(Debug)]
pub(super) struct Replica {
    site: Arc<Site>,
    watcher: AbortHandle,
}

#[derive(Debug)]
struct Site {
    host: String,
    port: u16,
    connections: Connections,
    standing: Mutex<Standing>,
    left_out: Notify,
}

/// What is known of it.
#[derive(Debug, Default)]
struct Standing {
    /// None until it was looked at.
    state: Option<ReplicaState>,
    lag: Lag,
    lag_bytes: Option<u64>,
}

impl Replica {
    /// Begins to look at a standby, which is read from when it is found to have come far enough.
    pub(super) fn watch(server: Server, tickets: Arc<TicketOffice>) -> Self {
        let options = &server.options;
        let socket = options.get_socket().map(|path| path.display().to_string());
        let site = Arc::new(Site {
            host: socket.unwrap_or_else(|| options.get_host().to_owned()),
            port: options.get_port(),
            connections: Connections::new(server, Effect::Reads, MOST_READING),
            standing: Mutex::default(),
            left_out: Notify::new(),
        });
        let watched = Arc::clone(&site);
        let watcher = tokio::spawn(async move { watched.watch(&tickets).await }).abort_handle();
        Self { site, watcher }
    }

    pub(super) fn is_up(&self) -> bool {
        self.site.standing().state == Some(ReplicaState::Up)
    }

    /// Runs a statement that reads, if the replica has all that this position covers, or has soon.
    /// None where the primary is to be asked.
    pub(super) async fn rows(
        &self,
        ticket: Position,
        statement: Statement<'_>,
    ) -> Option<Vec<PgRow>> {
        let read = timeout(PATIENCE, self.site.rows(ticket, statement)).await;
        match read.unwrap_or(Err(Failure::TimedOut)) {
            Ok(Some(rows)) => return Some(rows),
            Ok(None) => self.site.is_behind(),
            // What it has to replay may be in the way of what is read, and the statement may be one
            // that it can't do: the primary can.
            Err(Failure::Database(error))
                if matches!(Cause::of(&error), Cause::Rivals | Cause::Statement) => {}
            Err(failure) => self.site.leave_out(&failure),
        }
        None
    }

    /// What is known of it, without asking.
    pub(super) fn health(&self) -> store::Replica {
        let standing = self.site.standing();
        let state = standing.state.unwrap_or(ReplicaState::Down);
        let health = store::Replica::new(&self.site.host, self.site.port, state);
        match standing.lag_bytes {
            Some(bytes) => {
                let lag = standing.lag.at(Instant::now());
                health.with_lag_bytes(bytes).with_lag(lag)
            }
            None => health,
        }
    }

    pub(super) fn close(&self) {
        self.watcher.abort();
        self.site.connections.close();
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.watcher.abort();
    }
}

impl Site {
    async fn rows(
        &self,
        ticket: Position,
        statement: Statement<'_>,
    ) -> Result<Option<Vec<PgRow>>, Failure> {
        // Whoever has to connect tries it once: the primary is there.
        let mut lease = self.connections.lease(tokio::time::Instant::now()).await?;
        let in_transaction = self.connections.are_shared();
        if in_transaction {
            // Behind a pooler only a transaction is sure to stay on one server. In it each statement
            // must see what was replayed when it began.
            lease
                .execute("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY")
                .await?;
        }
        let rows = if lease.comes_to(ticket).await? {
            Some(lease.rows(statement).await?)
        } else {
            None
        };
        if in_transaction {
            lease.execute("COMMIT").await?;
        }
        lease.give_back();
        Ok(rows)
    }

    async fn watch(&self, tickets: &TicketOffice) {
        let mut pause = BETWEEN_CLOSE_LOOKS;
        let mut told = false;
        loop {
            match tickets.ticket_of_marked_history().await {
                Ok(ticket) => {
                    told = false;
                    pause = match self.look(ticket).await {
                        ReplicaState::Up => BETWEEN_LOOKS,
                        ReplicaState::Lagging => BETWEEN_CLOSE_LOOKS,
                        ReplicaState::Down => (pause * 2).min(MAX_BETWEEN_LOOKS),
                    };
                }
                Err(why) if !told => {
                    told = true;
                    tracing::warn!(
                        replica = %self.address(), %why,
                        "a replica can't be read from: where the primary is, is not known"
                    );
                }
                Err(_) => {}
            }
            if timeout(pause, self.left_out.notified()).await.is_ok() {
                pause = BETWEEN_CLOSE_LOOKS;
                sleep(pause).await;
            }
        }
    }

    /// Finds out whether it can be read from, now that the primary was at this position.
    async fn look(&self, ticket: Position) -> ReplicaState {
        let seen_at = Instant::now();
        let look = async {
            let mut lease = self.connections.lease(tokio::time::Instant::now()).await?;
            let position = lease.catches_up(ticket).await?;
            lease.give_back();
            Ok(position)
        };
        let looked = timeout(PATIENCE, look).await;
        let position = match looked.unwrap_or(Err(Failure::TimedOut)) {
            Ok(position) => position,
            Err(failure) => {
                self.leave_out(&failure);
                return ReplicaState::Down;
            }
        };
        let mut standing = self.standing();
        standing.lag.primary_at(ticket, seen_at);
        standing.lag.replica_at(position);
        standing.lag_bytes = Some(position.log.bytes_behind(ticket.log));
        let state = if position.covers(&ticket) {
            ReplicaState::Up
        } else {
            ReplicaState::Lagging
        };
        let before = standing.state.replace(state);
        drop(standing);
        if matches!(before, None | Some(ReplicaState::Down)) {
            tracing::info!(replica = %self.address(), "a replica is there");
        }
        state
    }

    fn is_behind(&self) {
        let mut standing = self.standing();
        if standing.state == Some(ReplicaState::Up) {
            standing.state = Some(ReplicaState::Lagging);
            self.left_out.notify_one();
        }
    }

    fn leave_out(&self, why: &dyn Display) {
        let mut standing = self.standing();
        standing.lag_bytes = None;
        let before = standing.state.replace(ReplicaState::Down);
        drop(standing);
        if before != Some(ReplicaState::Down) {
            tracing::warn!(replica = %self.address(), %why, "a replica is left out");
            self.connections.distrust();
            self.left_out.notify_one();
        }
    }

    fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    // Nothing panics while it holds the lock.
    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease<'_> {
    /// Whether the standby has come to this position, or does so soon. What is true once stays so for
    /// as long as the connection is to the same server.
    ///
    /// A statement after this sees all that the position covers; the same statement would not, since
    /// it sees what was replayed when it began.
    async fn comes_to(&mut self, ticket: Position) -> Result<bool, Failure> {
        let known = self.come_to.filter(|_| !self.is_shared());
        if known.is_some_and(|known| known.covers(&ticket)) {
            return Ok(true);
        }
        Ok(self.catches_up(ticket).await?.covers(&ticket))
    }

    /// How far the standby has come: to the ticket, or as far as it comes soon.
    async fn catches_up(&mut self, ticket: Position) -> Result<Position, Failure> {
        let deadline = Instant::now() + CATCH_UP;
        loop {
            let position = self.come_so_far(ticket).await?;
            if position.covers(&ticket) || Instant::now() >= deadline {
                return Ok(position);
            }
            sleep(BETWEEN_QUESTIONS).await;
        }
    }

    /// How far the standby has come in the history of this ticket.
    async fn come_so_far(&mut self, ticket: Position) -> Result<Position, Failure> {
        let rows = self.rows(sqlx::query(HOW_FAR).bind(ticket.history)).await?;
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        if !row.try_get::<bool, _>("follows")? {
            return Err(Failure::NoStandby);
        }
        let log = LogPosition::parse(row.try_get("replayed")?);
        let position = Position {
            history: ticket.history,
            log: log.ok_or_else(|| sqlx::Error::Decode("no position in a log".into()))?,
        };
        self.come_to = Some(position);
        Ok(position)
    }
}
