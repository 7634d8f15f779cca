//! Erasing what was deleted or replaced.
//!
//! SQLite overwrites it in the database with zeros (`secure_delete`), but the write-ahead log has it until
//! the log is emptied. That happens at once after a change, but not more often than every
//! [`PAUSE`], and when the store is closed. A read of older data, such as a long backup, delays it, and another program
//! that reads all the time, such as Litestream, prevents it. That is a warning after [`ATTEMPTS_BEFORE_WARNING`].
//! Words in the index are erased by [`WordEraser`], and then leave the log in the same way.

use std::pin::pin;
use std::time::Duration;

use handbill::store::Write;
use sqlx::Connection;
use tokio::time::{Instant, timeout_at};

use super::connections::Source;
use super::erase_words::WordEraser;
use crate::connections::Source as _;
use crate::request::{OutboxChange, Request};

/// The minimum interval between two truncations of the WAL. Each takes as long as a few commits.
const PAUSE: Duration = Duration::from_secs(30);
/// How often readers may prevent that in turn before it is reported: for five minutes.
const ATTEMPTS_BEFORE_WARNING: u32 = 10;
/// How long that waits for reads of older data, in milliseconds. Writes wait for it.
const BUSY_TIMEOUT: &str = "100";

pub(super) struct Eraser {
    source: Source,
    /// When to empty the log, if it may have deleted data.
    due: Option<Instant>,
    /// The pause after the last deletion for which the log was emptied, or will be.
    not_before: Instant,
    /// How often readers prevented it since it succeeded.
    prevented: u32,
    words: WordEraser,
}

impl Eraser {
    /// Begins by emptying the log of an earlier process, which may have been killed.
    pub(super) fn new(source: &Source) -> Self {
        let now = Instant::now();
        let source = source.clone().with_pragma("busy_timeout", BUSY_TIMEOUT);
        Self {
            words: WordEraser::new(source.clone()),
            source,
            due: Some(now),
            not_before: now,
            prevented: 0,
        }
    }

    /// Some data was deleted or replaced.
    pub(super) fn mark_dirty(&mut self) {
        self.words.mark_dirty();
        self.mark_log_dirty();
    }

    fn mark_log_dirty(&mut self) {
        if self.due.is_none() {
            let due = self.not_before.max(Instant::now());
            self.due = Some(due);
            self.not_before = due + PAUSE;
        }
    }

    /// Erases whenever that is due, before `next` completes.
    pub(super) async fn erase_before<T>(&mut self, next: impl Future<Output = T>) -> T {
        let mut next = pin!(next);
        while let Some(due) = [self.due, self.words.due].into_iter().flatten().min() {
            if due > Instant::now()
                && let Ok(completed) = timeout_at(due, &mut next).await
            {
                return completed;
            }
            if self.due == Some(due) {
                self.erase().await;
            } else if self.words.step().await {
                self.mark_log_dirty();
            }
        }
        next.await
    }

    /// Erases what is left, as far as that takes a moment.
    pub(super) async fn finish(&mut self) {
        if self.words.finish().await || self.due.is_some() {
            self.erase().await;
        }
    }

    async fn erase(&mut self) {
        self.due = Some(Instant::now() + PAUSE);
        match self.empty_log().await {
            Ok(true) => {
                if self.prevented >= ATTEMPTS_BEFORE_WARNING {
                    tracing::info!("deleted data is erased from the write-ahead log again");
                }
                self.due = None;
                self.prevented = 0;
            }
            Ok(false) => {
                self.prevented += 1;
                if self.prevented == ATTEMPTS_BEFORE_WARNING {
                    tracing::warn!(
                        "deleted data is still in the write-ahead log: something has read the database all the time for five minutes"
                    );
                }
            }
            Err(error) => {
                tracing::warn!(%error, "could not erase deleted data from the write-ahead log yet");
            }
        }
    }

    /// Returns false if a reader prevents it.
    async fn empty_log(&self) -> sqlx::Result<bool> {
        let mut connection = self.source.connect().await?;
        let is_busy: bool = sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&mut connection)
            .await?;
        connection.close().await?;
        Ok(!is_busy)
    }
}

impl Request {
    /// Whether data is replaced or deleted, which then has to disappear from the disk.
    pub(super) fn erases(&self) -> bool {
        match self {
            Self::Write(write, _) => match write {
                Write::UpdatePost { .. }
                | Write::DeletePost { .. }
                | Write::RevokeKey(_)
                | Write::ForgetOwner { .. } => true,
                Write::InsertPost { .. }
                | Write::InsertTombstone(_)
                | Write::InsertKey { .. }
                | Write::TouchKey { .. }
                | Write::Bar { .. }
                | Write::Unbar { .. } => false,
            },
            Self::InsertInstallationSecret(_) | Self::Index(_) => false,
            Self::Outbox(OutboxChange::Settle { done, .. }) => !done.is_empty(),
            Self::Outbox(OutboxChange::Remove(_)) => true,
            Self::Outbox(OutboxChange::Add(_) | OutboxChange::Lease { .. }) => false,
        }
    }
}
