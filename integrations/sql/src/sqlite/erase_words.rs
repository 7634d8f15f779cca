//! Erasing the words of deleted posts from the index.
//!
//! FTS5 marks posts as deleted, and leaves their words in the file until it writes that part of the index again. So all
//! parts that have such posts are written again, in steps between other writes. SQLite then overwrites the old ones
//! with zeros.

use std::mem;
use std::time::Duration;

use sqlx::{Connection, SqliteConnection};
use tokio::time::Instant;

use super::connections::Source;
use crate::connections::Source as _;

/// The pages that a step writes: other writes wait for some 10 ms.
const PAGES: i64 = 16;
/// The pause after a step, as a multiple of what it took.
const PAUSE_RATIO: u32 = 4;
/// The same, after all steps.
const REST_RATIO: u32 = 20;
const MIN_REST: Duration = Duration::from_secs(30);
/// How long a store that is closed takes for it. What is then left is erased after the next start.
const MAX_FINISH: Duration = Duration::from_secs(2);

/// FTS5 stores which posts are deleted under numbers from 2^53 on.
const HAS_DELETED: &str = "SELECT EXISTS (SELECT 1 FROM handbill_words_data WHERE id >= 1 << 53)";
const CHANGES: &str = "SELECT total_changes()";
/// A negative number of pages makes it begin with all parts of the index.
const MERGE: &str = "INSERT INTO handbill_words (handbill_words, rank) VALUES ('merge', ?1)";

pub(super) struct WordEraser {
    source: Source,
    connection: Option<SqliteConnection>,
    /// When the next step is due, if there may be one.
    pub(super) due: Option<Instant>,
    /// When all parts may be written again.
    not_before: Instant,
    /// What the steps have taken since they began.
    taken: Duration,
    has_erased: bool,
    /// Whether the next step begins with all parts.
    begins: bool,
}

impl WordEraser {
    /// Begins by erasing what an earlier process has left.
    pub(super) fn new(source: Source) -> Self {
        let now = Instant::now();
        Self {
            source,
            connection: None,
            due: Some(now),
            not_before: now,
            taken: Duration::ZERO,
            has_erased: false,
            begins: true,
        }
    }

    /// Some posts were deleted or have other words.
    pub(super) fn mark_dirty(&mut self) {
        if self.due.is_none() {
            self.due = Some(self.not_before.max(Instant::now()));
        }
    }

    /// Makes a step. Returns whether words were erased and none are left.
    pub(super) async fn step(&mut self) -> bool {
        let began = Instant::now();
        let has_deleted = match self.write_anew().await {
            Ok(has_deleted) => has_deleted,
            Err(error) => {
                tracing::warn!(%error, "could not erase deleted words from the index yet");
                self.connection = None;
                self.due = Some(Instant::now() + MIN_REST);
                return false;
            }
        };
        let taken = began.elapsed();
        if has_deleted {
            self.has_erased = true;
            self.taken += taken;
            self.due = Some(Instant::now() + taken * PAUSE_RATIO);
            return false;
        }
        self.due = None;
        self.not_before = Instant::now() + MIN_REST.max(self.taken * REST_RATIO);
        self.taken = Duration::ZERO;
        mem::take(&mut self.has_erased)
    }

    /// Makes the steps that are left, without pauses. Returns whether words were erased.
    pub(super) async fn finish(&mut self) -> bool {
        let (end, mut has_erased) = (Instant::now() + MAX_FINISH, false);
        while self.due.is_some() && Instant::now() < end {
            self.step().await;
            if self.connection.is_none() {
                // Nothing is left, or it has failed.
                break;
            }
            has_erased = true;
        }
        if let Some(connection) = self.connection.take() {
            let _ = connection.close().await;
        }
        has_erased
    }

    /// Returns false, and does nothing, if no part has deleted posts.
    async fn write_anew(&mut self) -> sqlx::Result<bool> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.source.connect().await?,
        };
        let has_deleted = sqlx::query_scalar(HAS_DELETED).fetch_one(&mut connection);
        if !has_deleted.await? {
            self.begins = true;
            connection.close().await?;
            return Ok(false);
        }
        let pages = if self.begins { -PAGES } else { PAGES };
        let before: i64 = sqlx::query_scalar(CHANGES)
            .fetch_one(&mut connection)
            .await?;
        sqlx::query(MERGE)
            .bind(pages)
            .execute(&mut connection)
            .await?;
        let after: i64 = sqlx::query_scalar(CHANGES)
            .fetch_one(&mut connection)
            .await?;
        // Where nothing was left to do, as FTS5 documents it, posts were deleted after it began.
        self.begins = after - before < 2;
        self.connection = Some(connection);
        Ok(true)
    }
}
