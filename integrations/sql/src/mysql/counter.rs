//! Counts list entries in the background: moves list changes into totals and blocks (`migrations/001.sql`).
//!
//! Each instance has a counter, and one of them counts at a time. Writers never wait for it. Reads are exact without
//! it, but take longer the more changes are not counted.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, MySqlConnection, Row as _};
use tokio::time::{Instant, timeout};

use super::failure::{Cause, in_time};
use super::lists::{FIRST, LAST, Position, block, position};
use super::source::Source;
use super::statement::{execute, statement};
use super::transaction;
use crate::connections::Connections;
use crate::counter::{COUNT_TIMEOUT, Counter, Wakes};
use crate::query::Query;

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
const TOTAL: &str = "SELECT entries FROM handbill_list_totals WHERE list = $1";
const SET_TOTAL: &str = "
INSERT INTO handbill_list_totals (list, entries) VALUES ($1, $2)
ON DUPLICATE KEY UPDATE entries = VALUES(entries)";
const BLOCK_BEFORE: &str = "
SELECT time, post, entries_before AS before_ FROM handbill_list_blocks
WHERE list = $1 AND (time < $2 OR (time = $2 AND post <= $3)) ORDER BY time DESC, post DESC LIMIT 1";
const BLOCKS_AFTER: &str = "
SELECT time, post, entries_before AS before_ FROM handbill_list_blocks
WHERE list = $1 AND (time > $2 OR (time = $2 AND post > $3)) ORDER BY time, post";
const ENTRIES: &str = "
SELECT time, post FROM handbill_list_entries
WHERE list = $1 AND (time > $2 OR (time = $2 AND post >= $3)) AND (time < $4 OR (time = $4 AND post < $5))
ORDER BY time, post";
const DELETE_BLOCKS: &str = "
DELETE FROM handbill_list_blocks WHERE list = $1 AND (time > $2 OR (time = $2 AND post > $3))";
const DELETE_TOTAL: &str = "DELETE FROM handbill_list_totals WHERE list = $1";
const INSERT_BLOCKS: &str = "INSERT INTO handbill_list_blocks (list, time, post, entries_before)";

pub(super) fn start(source: Source) -> Counter {
    let (counter, wakes) = Counter::new();
    tokio::spawn(run(Connections::new(source, 1), wakes));
    counter
}

async fn run(connection: Connections<Source>, mut wakes: Wakes) {
    loop {
        let started = Instant::now();
        let counted = timeout(COUNT_TIMEOUT, connection.with(count)).await;
        let counted = match in_time(counted) {
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
    let has_changes = sqlx::query_scalar(HAS_CHANGES).fetch_one(&mut *connection);
    if !has_changes.await? {
        return Ok(false);
    }
    let begin = [ONE_SNAPSHOT, transaction::BEGIN, ONE_AT_A_TIME].join("; ");
    execute(connection, AssertSqlSafe(begin)).await?;
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
        execute(connection, AssertSqlSafe(delete)).await?;
    }
    transaction::commit(connection).await?;
    Ok(true)
}

async fn count_list(
    connection: &mut MySqlConnection,
    list: &[u8],
    changes: &BTreeMap<Position, i64>,
) -> sqlx::Result<()> {
    let total = count_total(connection, list, changes.values().sum()).await?;
    let Some((start, _)) = changes.first_key_value() else {
        return Ok(());
    };
    let query = query_at(BLOCK_BEFORE, list, start);
    let row = statement(&query).fetch_optional(&mut *connection).await?;
    let first = row.as_ref().map_or(Ok((FIRST, 0)), block)?;
    let query = query_at(BLOCKS_AFTER, list, start);
    let rows = statement(&query).fetch_all(&mut *connection).await?;

    let (mut changes, mut counted) = (changes.iter().peekable(), 0);
    let mut bounds = vec![first.clone()];
    for row in &rows {
        let (start, before) = block(row)?;
        while let Some((_, entries)) = changes.next_if(|(position, _)| **position < start) {
            counted += entries;
        }
        bounds.push((start, before + counted));
    }
    bounds.push((LAST, total));
    let mut blocks = Vec::new();
    for [(start, before), (stop, next)] in bounds.array_windows() {
        // A block without entries, or with nothing before it, is of no use.
        if *before > 0 && next > before && *start != first.0 {
            blocks.push((start.clone(), *before));
        }
        if next - before >= 2 * BLOCK as i64 {
            let query = query_at(ENTRIES, list, start).bind(stop.0).bind(&*stop.1);
            let entries = statement(&query).fetch_all(&mut *connection).await?;
            let last = entries.len().saturating_sub(BLOCK);
            for place in (BLOCK..=last).step_by(BLOCK) {
                blocks.push((position(&entries[place])?, before + place as i64));
            }
        }
    }
    let delete = query_at(DELETE_BLOCKS, list, &first.0);
    statement(&delete).execute(&mut *connection).await?;
    for blocks in blocks.chunks(CHUNK) {
        let rows = blocks.iter().map(|((time, post), before)| {
            let post = post.as_str();
            vec![list.into(), (*time).into(), post.into(), (*before).into()]
        });
        let insert = Query::new(INSERT_BLOCKS).with_rows(rows);
        statement(&insert).execute(&mut *connection).await?;
    }
    Ok(())
}

fn query_at<'q>(sql: &'static str, list: &'q [u8], (time, post): &'q Position) -> Query<'q> {
    Query::new(sql).bind(list).bind(*time).bind(post.as_str())
}

/// Adds entries to the total of a list, and returns it.
async fn count_total(
    connection: &mut MySqlConnection,
    list: &[u8],
    entries: i64,
) -> sqlx::Result<i64> {
    let query = Query::new(TOTAL).bind(list);
    let row = statement(&query).fetch_optional(&mut *connection).await?;
    let before: Option<i64> = row.map(|row| row.try_get("entries")).transpose()?;
    let total = before.unwrap_or_default() + entries;
    let set = match total {
        0 => Query::new(DELETE_TOTAL).bind(list),
        _ => Query::new(SET_TOTAL).bind(list).bind(total),
    };
    statement(&set).execute(connection).await?;
    Ok(total)
}
