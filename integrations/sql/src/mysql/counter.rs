//! Counts list entries in the background: moves list changes into totals and blocks (`migrations/001.sql`).
//!
//! Each instance has a counter, and one of them counts at a time. Writers never wait for it. Reads are exact without
//! it, but take longer the more changes are not counted.

use std::collections::BTreeMap;

use sqlx::mysql::MySqlRow;
use sqlx::{AssertSqlSafe, MySqlConnection, Row as _};
use tokio::time::{Instant, timeout};

use super::failure::{Cause, timed_out};
use super::source::Source;
use super::transaction;
use super::writer::execute;
use crate::connections::Connections;
use crate::counter::{COUNT_TIMEOUT, Counter, Wakes};

/// Blocks of twice as many entries are divided into blocks of so many, of which the last is longer.
const BLOCK: usize = 512;
/// The most rows that one statement changes.
const CHUNK: usize = 5000;

/// One instance at a time. On another node, the second one fails when it commits. What follows reads one snapshot,
/// which is made after this.
const ONE_AT_A_TIME: &str = "UPDATE handbill_meta SET value = value + 1 WHERE name = 'count'";
const ONE_SNAPSHOT: &str = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";
const CHANGES: &str = "SELECT id, list, time, post, entries FROM handbill_list_changes";
const HAS_CHANGES: &str = "SELECT EXISTS (SELECT 1 FROM handbill_list_changes) AS has_changes";
const TOTAL: &str = "SELECT entries FROM handbill_list_totals WHERE list = ?";
const SET_TOTAL: &str = "
INSERT INTO handbill_list_totals (list, entries) VALUES (?, ?)
ON DUPLICATE KEY UPDATE entries = VALUES(entries)";
const BLOCK_BEFORE: &str = "
SELECT time, post, entries_before FROM handbill_list_blocks
WHERE list = ? AND (time < ? OR (time = ? AND post <= ?)) ORDER BY time DESC, post DESC LIMIT 1";
const BLOCKS_AFTER: &str = "
SELECT time, post, entries_before FROM handbill_list_blocks
WHERE list = ? AND (time > ? OR (time = ? AND post > ?)) ORDER BY time, post";
const ENTRIES: &str = "
SELECT time, post FROM handbill_list_entries
WHERE list = ? AND (time > ? OR (time = ? AND post >= ?)) AND (time < ? OR (time = ? AND post < ?))
ORDER BY time, post";
const DELETE_BLOCKS: &str = "
DELETE FROM handbill_list_blocks WHERE list = ? AND (time > ? OR (time = ? AND post > ?))";

/// The position of an entry: a time and a post.
type Position = (i64, String);

pub(super) fn start(source: Source) -> Counter {
    let (counter, wakes) = Counter::new();
    tokio::spawn(run(Connections::new(source, 1), wakes));
    counter
}

async fn run(connection: Connections<Source>, mut wakes: Wakes) {
    loop {
        let started = Instant::now();
        let counted = timeout(COUNT_TIMEOUT, connection.with(count)).await;
        let counted = match counted.unwrap_or_else(|_| Err(timed_out())) {
            // Another instance counts.
            Err(error) if Cause::of(&error) == Cause::Conflict => Ok(true),
            counted => counted,
        };
        if !wakes.next(started, counted).await {
            return connection.close().await;
        }
    }
}

/// Returns whether there were changes.
async fn count(connection: &mut MySqlConnection) -> sqlx::Result<bool> {
    execute(connection, "SET autocommit = 1").await?;
    let has_changes = sqlx::query(HAS_CHANGES).fetch_one(&mut *connection);
    if !has_changes.await?.try_get::<bool, _>("has_changes")? {
        return Ok(false);
    }
    let begin = [ONE_SNAPSHOT, transaction::BEGIN, ONE_AT_A_TIME].join("; ");
    let begin = sqlx::raw_sql(AssertSqlSafe(begin));
    begin.execute(&mut *connection).await?;
    let rows = sqlx::query(CHANGES).fetch_all(&mut *connection).await?;
    let mut lists: BTreeMap<Vec<u8>, BTreeMap<Position, i64>> = BTreeMap::new();
    let mut ids: Vec<i64> = Vec::with_capacity(rows.len());
    for row in &rows {
        ids.push(row.try_get("id")?);
        let changes = lists.entry(row.try_get("list")?).or_default();
        *changes.entry(position(row)?).or_default() += row.try_get::<i64, _>("entries")?;
    }
    for (list, changes) in &lists {
        count_list(connection, list, changes).await?;
    }
    for ids in ids.chunks(CHUNK) {
        let ids: Vec<_> = ids.iter().map(i64::to_string).collect();
        let ids = ids.join(",");
        let delete = format!("DELETE FROM handbill_list_changes WHERE id IN ({ids})");
        let delete = sqlx::raw_sql(AssertSqlSafe(delete));
        delete.execute(&mut *connection).await?;
    }
    transaction::commit(connection).await?;
    Ok(true)
}

fn position(row: &MySqlRow) -> sqlx::Result<Position> {
    Ok((row.try_get("time")?, row.try_get("post")?))
}

/// The start of a block, and how many entries are before it.
fn block(row: &MySqlRow) -> sqlx::Result<(Position, i64)> {
    Ok((position(row)?, row.try_get("entries_before")?))
}

async fn count_list(
    connection: &mut MySqlConnection,
    list: &[u8],
    changes: &BTreeMap<Position, i64>,
) -> sqlx::Result<()> {
    let total = count_total(connection, list, changes.values().sum()).await?;
    let Some(((time, post), _)) = changes.first_key_value() else {
        return Ok(());
    };
    let beside = |sql| sqlx::query(sql).bind(list).bind(time).bind(time).bind(post);
    let first = beside(BLOCK_BEFORE)
        .fetch_optional(&mut *connection)
        .await?;
    let first = first.as_ref().map(block).transpose()?;
    let first = first.unwrap_or(((-1, String::new()), 0));
    let rows = beside(BLOCKS_AFTER).fetch_all(&mut *connection).await?;
    let later = rows.iter().map(block).collect::<sqlx::Result<Vec<_>>>()?;

    let mut changes = changes.iter().peekable();
    let mut counted = 0;
    let later = later.into_iter().map(|(start, before)| {
        while let Some((_, entries)) = changes.next_if(|(position, _)| **position < start) {
            counted += entries;
        }
        (start, before + counted)
    });
    let end = ((i64::MAX, String::new()), total);
    let bounds: Vec<_> = std::iter::once(first.clone())
        .chain(later)
        .chain([end])
        .collect();
    let mut blocks = Vec::new();
    for [(start, before), (stop, next)] in bounds.array_windows() {
        // A block without entries, or with nothing before it, is of no use.
        if *before > 0 && next > before && *start != first.0 {
            blocks.push((start.clone(), *before));
        }
        if next - before >= 2 * BLOCK as i64 {
            let entries = sqlx::query(ENTRIES)
                .bind(list)
                .bind(start.0)
                .bind(start.0)
                .bind(&start.1)
                .bind(stop.0)
                .bind(stop.0)
                .bind(&stop.1)
                .fetch_all(&mut *connection)
                .await?;
            let last = entries.len().saturating_sub(BLOCK);
            for place in (BLOCK..=last).step_by(BLOCK) {
                blocks.push((position(&entries[place])?, before + place as i64));
            }
        }
    }
    let delete = sqlx::query(DELETE_BLOCKS).bind(list);
    let delete = delete.bind(first.0.0).bind(first.0.0).bind(&first.0.1);
    delete.execute(&mut *connection).await?;
    for blocks in blocks.chunks(CHUNK) {
        let mut insert = sqlx::QueryBuilder::new(
            "INSERT INTO handbill_list_blocks (list, time, post, entries_before) ",
        );
        insert.push_values(blocks, |mut row, ((time, post), before)| {
            row.push_bind(list)
                .push_bind(time)
                .push_bind(post)
                .push_bind(before);
        });
        insert.build().execute(&mut *connection).await?;
    }
    Ok(())
}

/// Adds entries to the total of a list, and returns it.
async fn count_total(
    connection: &mut MySqlConnection,
    list: &[u8],
    entries: i64,
) -> sqlx::Result<i64> {
    let before = sqlx::query_scalar(TOTAL).bind(list);
    let before: Option<i64> = before.fetch_optional(&mut *connection).await?;
    let total = before.unwrap_or_default() + entries;
    let set = match total {
        0 => sqlx::query("DELETE FROM handbill_list_totals WHERE list = ?").bind(list),
        _ => sqlx::query(SET_TOTAL).bind(list).bind(total),
    };
    set.execute(connection).await?;
    Ok(total)
}
