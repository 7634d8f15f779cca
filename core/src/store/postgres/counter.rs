//! Counting: what writers left in `handbill_uncounted` is carried over into totals and blocks.
//!
//! Each instance has a counter; one of them counts at a time. Writers never wait for it, nor it for
//! them: it counts what its transaction sees, and what comes meanwhile is for the next time. Nothing
//! but a counter changes totals and blocks, and each time it takes all that there is to be seen, so
//! that the places that it sees are those that it has counted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sqlx::Row;
use sqlx::postgres::PgRow;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::blocks::{Block, Change, Cut, rearrange};
use super::connections::{Connections, Lease, PATIENCE, Statement};
use super::failure::{Cause, Failure};

/// The least time between two countings, so that there is something to count.
const PAUSE: Duration = Duration::from_millis(100);
/// How much longer than a counting the pause after it is: counting takes a small part of the
/// server's time, however much it has to rearrange.
const PAUSE_RATIO: u32 = 10;
/// How long one may take: a whole import may be waiting to be counted.
const COUNT_PATIENCE: Duration = Duration::from_secs(60);

/// The snapshot is that of the next statement, which whoever saw an earlier counting's beginning
/// only fails at: the row that it locks was changed meanwhile.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ";
const LOCK: &str = "SELECT value FROM handbill_meta WHERE name = 'counted' FOR UPDATE SKIP LOCKED";
const TAKE: &str = "DELETE FROM handbill_uncounted RETURNING list, oldest, newest, places";
const NOTE: &str = "UPDATE handbill_meta SET value = value + 1 WHERE name = 'counted'";

const ADD: &str = "
INSERT INTO handbill_totals (list, places)
SELECT * FROM UNNEST($1::TEXT[], $2::BIGINT[])
ON CONFLICT (list) DO UPDATE SET places = handbill_totals.places + excluded.places
RETURNING list, places";
const FORGET_EMPTY: &str =
    "DELETE FROM handbill_totals WHERE list = ANY ($1::TEXT[]) AND places = 0";

/// The blocks of each list from the one on that its oldest change lies in.
const BLOCKS: &str = "
SELECT changed.list, block.start, block.places_before
FROM UNNEST($1::TEXT[], $2::BIGINT[]) AS changed (list, oldest)
CROSS JOIN LATERAL (
  SELECT start, places_before FROM handbill_blocks
  WHERE list = changed.list AND start >= COALESCE((
    SELECT MAX(start) FROM handbill_blocks WHERE list = changed.list AND start <= changed.oldest
  ), 0)
) AS block
ORDER BY changed.list, block.start";
const REMOVE_BLOCKS: &str = "
DELETE FROM handbill_blocks AS block
USING UNNEST($1::TEXT[], $2::BIGINT[]) AS removed (list, start)
WHERE block.list = removed.list AND block.start = removed.start";
const RECOUNT_BLOCKS: &str = "
UPDATE handbill_blocks AS block SET places_before = recounted.places_before
FROM UNNEST($1::TEXT[], $2::BIGINT[], $3::BIGINT[]) AS recounted (list, start, places_before)
WHERE block.list = recounted.list AND block.start = recounted.start";

/// Cuts the part of list `$1` from `$2` to `$3`, which has `$5` places, and `$4` before it, into
/// blocks of `$6` places; the last one has up to twice as many. A block begins with all places of
/// one time.
const CUT: &str = "
INSERT INTO handbill_blocks (list, start, places_before)
SELECT $1, created_at, $4 + places_before FROM (
  SELECT
    created_at,
    RANK() OVER (ORDER BY created_at) - 1 AS places_before,
    ROW_NUMBER() OVER (ORDER BY created_at) - 1 AS number
  FROM handbill_places WHERE list = $1 AND created_at >= $2 AND created_at < $3
) AS place
WHERE number % $6 = 0 AND number <= $5 - $6 AND places_before > 0
ON CONFLICT (list, start) DO NOTHING";

/// Tells the counter that there is something to count. It ends when nobody has this any more.
#[derive(Clone, Debug)]
pub(super) struct Wake(mpsc::Sender<()>);

impl Wake {
    pub(super) fn now(&self) {
        // Where it has been told and has not looked yet, that is enough.
        let _ = self.0.try_send(());
    }
}

/// Starts a counter, which looks at once for what instances that are no more have left.
pub(super) fn start(connections: Arc<Connections>) -> Wake {
    let (wake, woken) = mpsc::channel(1);
    tokio::spawn(run(connections, woken));
    Wake(wake)
}

async fn run(connections: Arc<Connections>, mut woken: mpsc::Receiver<()>) {
    loop {
        let started = Instant::now();
        let may_be_more = match count(&connections).await {
            Ok(Counted::Nothing) => false,
            Ok(Counted::Some | Counted::ByAnother) => true,
            Err(Failure::Closed) => return,
            Err(failure) => {
                tracing::warn!(%failure, "could not count places; lists take longer meanwhile");
                true
            }
        };
        if woken.is_closed() || (!may_be_more && woken.recv().await.is_none()) {
            return;
        }
        sleep(PAUSE.max(started.elapsed() * PAUSE_RATIO)).await;
    }
}

enum Counted {
    Nothing,
    Some,
    /// Another instance is counting, but may have begun too early to see what there is.
    ByAnother,
}

async fn count(connections: &Connections) -> Result<Counted, Failure> {
    let mut lease = connections.lease(Instant::now() + PATIENCE).await?;
    let counted = timeout(COUNT_PATIENCE, transaction(&mut lease)).await;
    match counted.map_err(|_| Failure::TimedOut)? {
        Ok(counted) => {
            lease.give_back();
            Ok(counted)
        }
        Err(error) if Cause::of(&error) == Cause::Rivals => {
            lease.give_back();
            Ok(Counted::ByAnother)
        }
        Err(error) => Err(error.into()),
    }
}

async fn transaction(lease: &mut Lease<'_>) -> sqlx::Result<Counted> {
    lease.execute(BEGIN).await?;
    if lease.within(sqlx::query(LOCK)).await?.is_empty() {
        lease.execute("ROLLBACK").await?;
        return Ok(Counted::ByAnother);
    }
    let changes = by_list(&lease.within(sqlx::query(TAKE)).await?)?;
    if changes.is_empty() {
        lease.execute("ROLLBACK").await?;
        return Ok(Counted::Nothing);
    }
    lease.within(sqlx::query(NOTE)).await?;
    let totals = add_to_totals(lease, &changes).await?;
    let mut blocks = blocks_of(lease, &changes).await?;
    let (mut removed, mut recounted, mut cuts) = (Vec::new(), Vec::new(), Vec::new());
    for (list, changes) in &changes {
        let blocks = blocks.remove(list).unwrap_or_default();
        let total = totals.get(list).copied().unwrap_or_default();
        let outcome = rearrange(blocks, changes, total);
        let own = |start| (list.as_str(), start);
        removed.extend(outcome.removed.into_iter().map(own));
        let recount = |block: Block| (list.as_str(), block);
        recounted.extend(outcome.recounted.into_iter().map(recount));
        cuts.extend(outcome.cuts.into_iter().map(|cut| (list.as_str(), cut)));
    }
    remove_blocks(lease, removed).await?;
    recount_blocks(lease, recounted).await?;
    for (list, cut) in cuts {
        lease.within(cut_statement(list, &cut)).await?;
    }
    lease.execute("COMMIT").await?;
    Ok(Counted::Some)
}

type ByList<T> = BTreeMap<String, T>;

fn by_list(rows: &[PgRow]) -> sqlx::Result<ByList<Vec<Change>>> {
    let mut changes: ByList<Vec<Change>> = BTreeMap::new();
    for row in rows {
        let change = Change {
            oldest: row.try_get("oldest")?,
            newest: row.try_get("newest")?,
            places: row.try_get("places")?,
        };
        changes
            .entry(row.try_get("list")?)
            .or_default()
            .push(change);
    }
    Ok(changes)
}

/// Returns the lists' new totals.
async fn add_to_totals(
    lease: &mut Lease<'_>,
    changes: &ByList<Vec<Change>>,
) -> sqlx::Result<ByList<i64>> {
    let lists: Vec<&str> = changes.keys().map(String::as_str).collect();
    let gains = changes
        .values()
        .map(|changes| changes.iter().map(|change| change.places).sum());
    let gains: Vec<i64> = gains.collect();
    let query = sqlx::query(ADD).bind(lists.as_slice()).bind(gains);
    let rows = lease.within(query).await?;
    lease
        .within(sqlx::query(FORGET_EMPTY).bind(lists.as_slice()))
        .await?;
    rows.iter()
        .map(|row| Ok((row.try_get("list")?, row.try_get("places")?)))
        .collect()
}

async fn blocks_of(
    lease: &mut Lease<'_>,
    changes: &ByList<Vec<Change>>,
) -> sqlx::Result<ByList<Vec<Block>>> {
    let lists: Vec<&str> = changes.keys().map(String::as_str).collect();
    let oldest = changes
        .values()
        .map(|changes| changes.iter().map(|change| change.oldest).min());
    let oldest: Vec<Option<i64>> = oldest.collect();
    let query = sqlx::query(BLOCKS).bind(lists).bind(oldest);
    let mut blocks: ByList<Vec<Block>> = BTreeMap::new();
    for row in lease.within(query).await? {
        let block = Block {
            start: row.try_get("start")?,
            places_before: row.try_get("places_before")?,
        };
        blocks.entry(row.try_get("list")?).or_default().push(block);
    }
    Ok(blocks)
}

async fn remove_blocks(lease: &mut Lease<'_>, removed: Vec<(&str, i64)>) -> sqlx::Result<()> {
    if !removed.is_empty() {
        let (lists, starts): (Vec<_>, Vec<_>) = removed.into_iter().unzip();
        let query = sqlx::query(REMOVE_BLOCKS).bind(lists).bind(starts);
        lease.within(query).await?;
    }
    Ok(())
}

async fn recount_blocks(lease: &mut Lease<'_>, recounted: Vec<(&str, Block)>) -> sqlx::Result<()> {
    if !recounted.is_empty() {
        let (lists, blocks): (Vec<_>, Vec<_>) = recounted.into_iter().unzip();
        let starts: Vec<i64> = blocks.iter().map(|block| block.start).collect();
        let places: Vec<i64> = blocks.iter().map(|block| block.places_before).collect();
        let query = sqlx::query(RECOUNT_BLOCKS).bind(lists).bind(starts);
        lease.within(query.bind(places)).await?;
    }
    Ok(())
}

fn cut_statement<'q>(list: &'q str, cut: &Cut) -> Statement<'q> {
    sqlx::query(CUT)
        .bind(list)
        .bind(cut.from.start)
        .bind(cut.end)
        .bind(cut.from.places_before)
        .bind(cut.places)
        .bind(cut.into)
}
