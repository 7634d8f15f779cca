//! One standby that Handbill may read from.
//!
//! A background task checks it every 250 ms. Handbill stops reading from a standby that is down,
//! lagging or promoted, and resumes when it has recovered.

use parking_lot::Mutex;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use handbill::store::ReplicaState;
use sqlx::Row;
use sqlx::postgres::PgRow;
use tokio::time::{Instant, sleep, timeout};

use super::lsn::{LsnSource, Position};
use crate::postgres::connections::{Access, Connections, Lease, MAX_READ_CONNECTIONS, Statement};
use crate::postgres::failure::{Cause, Failure};
use crate::postgres::server::{BEGIN_READING, Server};
use crate::postgres::source::Source;

const CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// How long a read waits for a replica to replay the primary's LSN before it goes to the primary.
const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(10);
const CATCH_UP_INTERVAL: Duration = Duration::from_millis(1);
/// How long a replica may take. It leaves the primary more than half of the time of a read.
const TIMEOUT: Duration = Duration::from_secs(2);

/// What a standby has replayed. `follows` is whether it is a standby, on the timeline `$1`. The lag is
/// the age of the last transaction that it has replayed.
const REPLAYED: &str = "
SELECT
  pg_is_in_recovery()
    AND EXISTS (SELECT 1 FROM handbill_meta WHERE value = $1 AND name LIKE 'timeline %') AS follows,
  (COALESCE(pg_last_wal_replay_lsn(), '0/0') - '0/0'::PG_LSN)::BIGINT AS lsn,
  (EXTRACT(EPOCH FROM CLOCK_TIMESTAMP() - pg_last_xact_replay_timestamp()) * 1000000)::BIGINT
    AS lag_micros";

pub(super) struct Replica {
    host: String,
    port: u16,
    connections: Connections,
    /// `None` before the first check.
    health: Mutex<Option<handbill::store::Replica>>,
}

impl Replica {
    /// Starts to check a standby, for as long as the replica is used. Handbill reads from it when a
    /// check has found that it is up.
    pub(super) fn start(server: Server, primary: &Arc<LsnSource>) -> Arc<Self> {
        let options = &server.options;
        let socket = options.get_socket().map(|path| path.display().to_string());
        let replica = Arc::new(Self {
            host: socket.unwrap_or_else(|| options.get_host().to_owned()),
            port: options.get_port(),
            connections: Connections::new(
                Source::Server(Box::new(server)),
                Access::Read,
                MAX_READ_CONNECTIONS,
            ),
            health: Mutex::default(),
        });
        let (checked, primary) = (Arc::downgrade(&replica), Arc::clone(primary));
        tokio::spawn(async move {
            while let Some(replica) = checked.upgrade() {
                if let Err(Failure::Closed) = replica.check(&primary).await {
                    return;
                }
                drop(replica);
                sleep(CHECK_INTERVAL).await;
            }
        });
        replica
    }

    pub(super) fn is_up(&self) -> bool {
        let health = self.health.lock();
        health
            .as_ref()
            .is_some_and(|replica| replica.state() == ReplicaState::Up)
    }

    /// The replica as it was at its last check.
    pub(super) fn health(&self) -> handbill::store::Replica {
        let health = self.health.lock().clone();
        health.unwrap_or_else(|| self.in_state(ReplicaState::Down))
    }

    /// Runs a statement that reads, if the replica has replayed the position or soon does. `None` if
    /// the primary must be asked instead.
    pub(super) async fn rows(
        &self,
        position: Position,
        statement: Statement<'_>,
    ) -> Option<Vec<PgRow>> {
        let read = timeout(TIMEOUT, self.read(position, statement)).await;
        match read.unwrap_or(Err(Failure::TimedOut)) {
            Ok(Some(rows)) => return Some(rows),
            Ok(None) => self.set_lagging(),
            // Replay may conflict with a read, and a standby can't run each statement. The primary can.
            Err(Failure::Database(error))
                if matches!(Cause::of(&error), Cause::Conflict | Cause::Statement) => {}
            Err(failure) => self.set_down(&failure),
        }
        None
    }

    async fn read(
        &self,
        position: Position,
        statement: Statement<'_>,
    ) -> Result<Option<Vec<PgRow>>, Failure> {
        let mut lease = self.connections.lease(Instant::now()).await?;
        let pooled = self.connections.are_pooled();
        if pooled {
            // A pooler may change the server between two transactions. Each statement must see what
            // was replayed when it started.
            lease.execute(BEGIN_READING).await?;
        }
        // What a connection has replayed once stays replayed, if it always has the same server.
        let known = lease.replayed.filter(|_| !pooled);
        // The statement itself can't check: it sees what was replayed when it started.
        let has_replayed = known.is_some_and(|known| known.covers(&position))
            || lease.replay(position).await?.position.covers(&position);
        let rows = match has_replayed {
            true => Some(lease.rows(statement).await?),
            false => None,
        };
        if pooled {
            lease.execute("COMMIT").await?;
        }
        lease.give_back();
        Ok(rows)
    }

    async fn check(&self, primary: &LsnSource) -> Result<(), Failure> {
        let position = match primary.marked_position().await {
            Ok(position) => position,
            Err(failure) => {
                self.set_down(&format_args!("the primary's LSN is unknown: {failure}"));
                return Err(failure);
            }
        };
        let check = async {
            let mut lease = self.connections.lease(Instant::now()).await?;
            let replayed = lease.replay(position).await?;
            lease.give_back();
            Ok(replayed)
        };
        let checked = timeout(TIMEOUT, check).await;
        match checked.unwrap_or(Err(Failure::TimedOut)) {
            Ok(replayed) => self.set_replayed(position, &replayed),
            Err(failure) => {
                self.set_down(&failure);
                return Err(failure);
            }
        }
        Ok(())
    }

    fn set_replayed(&self, position: Position, replayed: &Replayed) {
        let bytes = position.lsn.saturating_sub(replayed.position.lsn).max(0);
        let (state, lag) = match replayed.position.covers(&position) {
            true => (ReplicaState::Up, Some(Duration::ZERO)),
            false => (ReplicaState::Lagging, replayed.lag),
        };
        let mut new = self.in_state(state).with_lag_bytes(bytes.cast_unsigned());
        if let Some(lag) = lag {
            new = new.with_lag(lag);
        }
        let old = self.health.lock().replace(new);
        if old.is_none_or(|replica| replica.state() == ReplicaState::Down) {
            tracing::info!("the replica {} responds", self.health().address());
        }
    }

    fn set_lagging(&self) {
        let lagging = self.in_state(ReplicaState::Lagging);
        if let Some(replica) = &mut *self.health.lock()
            && replica.state() == ReplicaState::Up
        {
            *replica = lagging;
        }
    }

    fn set_down(&self, reason: &dyn Display) {
        let down = self.in_state(ReplicaState::Down);
        let address = down.address().to_owned();
        let old = self.health.lock().replace(down);
        if old.is_none_or(|replica| replica.state() != ReplicaState::Down) {
            tracing::warn!("the replica {address} is no longer read from: {reason}");
            self.connections.close_idle();
        }
    }

    fn in_state(&self, state: ReplicaState) -> handbill::store::Replica {
        handbill::store::Replica::new(&self.host, self.port, state)
    }

    pub(super) fn close(&self) {
        self.connections.close();
    }
}

/// What a standby has replayed, and the age of the last transaction in it.
struct Replayed {
    position: Position,
    lag: Option<Duration>,
}

impl Lease<'_> {
    /// What the standby has replayed: the position, or as much as it replays in 10 ms.
    async fn replay(&mut self, position: Position) -> Result<Replayed, Failure> {
        let deadline = Instant::now() + CATCH_UP_TIMEOUT;
        loop {
            let replayed = self.query_replayed(position.timeline).await?;
            if replayed.position.covers(&position) || Instant::now() >= deadline {
                return Ok(replayed);
            }
            sleep(CATCH_UP_INTERVAL).await;
        }
    }

    async fn query_replayed(&mut self, timeline: i64) -> Result<Replayed, Failure> {
        let rows = self.rows(sqlx::query(REPLAYED).bind(timeline)).await?;
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        if !row.try_get::<bool, _>("follows")? {
            // Or it has not replayed enough to prove it.
            let reason = "it is not a standby of the primary, or far behind";
            return Err(Failure::Other(reason));
        }
        let lsn = row.try_get("lsn")?;
        let position = Position { timeline, lsn };
        self.replayed = Some(position);
        let lag: Option<i64> = row.try_get("lag_micros")?;
        // The clocks of two servers differ: the age may be negative.
        let lag = lag.map(|micros| Duration::from_micros(u64::try_from(micros).unwrap_or(0)));
        Ok(Replayed { position, lag })
    }
}
