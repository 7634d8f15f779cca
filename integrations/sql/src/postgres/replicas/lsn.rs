//! How far the primary has written the write-ahead log, and a standby has replayed it.

use std::sync::Arc;

use sqlx::Row;

use crate::coalescer::Coalescer;
use crate::postgres::connections::Connections;
use crate::postgres::failure::Failure;

/// The name of a timeline's row in `handbill_meta`. The names of the log's files begin with the number
/// of the timeline. A database that was restored from a dump has another system identifier.
macro_rules! timeline_name {
    ($lsn:literal) => {
        concat!(
            "'timeline ' || (SELECT system_identifier FROM pg_control_system()) || ' '
               || SUBSTR(pg_walfile_name(",
            $lsn,
            "), 1, 8)"
        )
    };
}

/// A commit is acknowledged when its log is flushed. With `synchronous_commit = off`, it is only
/// inserted by then.
const POSITION: &str = concat!(
    "SELECT
       (lsn - '0/0'::PG_LSN)::BIGINT AS lsn,
       (SELECT value FROM handbill_meta WHERE name = ",
    timeline_name!("lsn"),
    ") AS timeline
     FROM (
       SELECT CASE current_setting('synchronous_commit')
         WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn()
       END AS lsn
     ) AS now"
);
const MARK_TIMELINE: &str = concat!(
    "INSERT INTO handbill_meta (name, value) VALUES (",
    timeline_name!("pg_current_wal_flush_lsn()"),
    ", $1) ON CONFLICT (name) DO NOTHING"
);

/// An LSN on a timeline.
///
/// LSNs of two timelines can't be compared: after a failover, the log of the old primary and of its
/// standbys may be longer than that of the new primary, by changes that are lost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::postgres) struct Position {
    /// The random number that an instance stored in `handbill_meta` for the timeline.
    pub(in crate::postgres) timeline: i64,
    /// Bytes of the log.
    pub(in crate::postgres) lsn: i64,
}

impl Position {
    /// Whether a server that has replayed this position has replayed the other, too.
    pub(in crate::postgres) fn covers(&self, other: &Self) -> bool {
        self.timeline == other.timeline && self.lsn >= other.lsn
    }
}

/// Asks the primary for its current position. Concurrent calls share one query.
pub(super) struct LsnSource {
    primary: Arc<Connections>,
    queries: Coalescer<(), Result<Option<Position>, Failure>>,
}

impl LsnSource {
    pub(super) fn new(primary: &Arc<Connections>) -> Self {
        Self {
            primary: Arc::clone(primary),
            queries: Coalescer::new(1),
        }
    }

    /// A position that covers all changes acknowledged before this call, by any instance. The query
    /// starts after this call. `None` if the timeline has no row yet.
    pub(super) async fn position(&self) -> Result<Option<Position>, Failure> {
        self.queries.ask((), async |_| self.query().await).await
    }

    /// The same, after adding the row of the timeline if it is missing.
    pub(super) async fn marked_position(&self) -> Result<Position, Failure> {
        if let Some(position) = self.position().await? {
            return Ok(position);
        }
        let mark: i64 = rand::random();
        let statement = || sqlx::query(MARK_TIMELINE).bind(mark);
        self.primary.rows(statement).await?;
        let position = self.position().await?;
        Ok(position.ok_or(sqlx::Error::RowNotFound)?)
    }

    async fn query(&self) -> Result<Option<Position>, Failure> {
        let rows = self.primary.rows(|| sqlx::query(POSITION)).await?;
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        let (timeline, lsn): (Option<i64>, _) = (row.try_get("timeline")?, row.try_get("lsn")?);
        Ok(timeline.map(|timeline| Position { timeline, lsn }))
    }
}
