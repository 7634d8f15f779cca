//! What a replica must have replayed to answer a read: all that was acknowledged before.

use std::sync::Arc;

use sqlx::Row;

use super::connections::Connections;
use super::failure::Failure;
use super::position::{LogPosition, Position};
use crate::store::coalescer::Coalescer;

/// The name of the primary's history: a promotion begins another timeline, and what a dump was
/// restored into has a number of its own. The server's files of the log begin with the timeline's
/// number.
macro_rules! history {
    ($log:literal) => {
        concat!(
            "'history ' || (SELECT system_identifier FROM pg_control_system()) || ' '
               || substr(pg_walfile_name(",
            $log,
            "), 1, 8)"
        )
    };
}

/// Where the primary is, and the mark in its history. A commit is acknowledged after its log was
/// flushed; where sessions do not wait for that, it is in the log at least.
const WHERE_IS_IT: &str = concat!(
    "SELECT
       log::TEXT AS log,
       (SELECT value FROM handbill_meta WHERE name = ",
    history!("log"),
    ") AS mark
     FROM (
       SELECT CASE current_setting('synchronous_commit')
         WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn()
       END AS log
     ) AS now"
);
const LEAVE_A_MARK: &str = concat!(
    "INSERT INTO handbill_meta (name, value) VALUES (",
    history!("pg_current_wal_flush_lsn()"),
    ", $1) ON CONFLICT (name) DO NOTHING"
);

/// Gives out tickets.
#[derive(Debug)]
pub(super) struct TicketOffice {
    primary: Arc<Connections>,
    tickets: Coalescer<(), Result<Ticket, Failure>>,
}

#[derive(Clone, Copy, Debug)]
struct Ticket {
    log: LogPosition,
    mark: Option<i64>,
}

impl TicketOffice {
    pub(super) fn new(primary: Arc<Connections>) -> Self {
        Self {
            primary,
            tickets: Coalescer::default(),
        }
    }

    /// Where the primary is, by a question that is asked after this is called: a position that covers
    /// all that was acknowledged before, by whatever instance. None where its history has no mark.
    pub(super) async fn ticket(&self) -> Result<Option<Position>, Failure> {
        let Ticket { log, mark } = self.tickets.ask((), async |_| self.look().await).await?;
        Ok(mark.map(|history| Position { history, log }))
    }

    /// The same, after leaving a mark where there is none.
    pub(super) async fn ticket_of_marked_history(&self) -> Result<Position, Failure> {
        if let Some(ticket) = self.ticket().await? {
            return Ok(ticket);
        }
        let mark: i64 = rand::random();
        let leave = || sqlx::query(LEAVE_A_MARK).bind(mark);
        self.primary.rows(leave).await?;
        let ticket = self.ticket().await?;
        Ok(ticket.ok_or(sqlx::Error::RowNotFound)?)
    }

    async fn look(&self) -> Result<Ticket, Failure> {
        let rows = self.primary.rows(|| sqlx::query(WHERE_IS_IT)).await?;
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        let log = LogPosition::parse(row.try_get("log")?);
        Ok(Ticket {
            log: log.ok_or_else(|| sqlx::Error::Decode("no position in a log".into()))?,
            mark: row.try_get("mark")?,
        })
    }
}
