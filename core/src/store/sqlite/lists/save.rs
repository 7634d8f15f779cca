//! Writing blocks, many at once.

use sqlx::SqliteConnection;

use super::Block;

/// Writes as many blocks as there are rows of placeholders. Rows that nothing is bound to are null, and
/// passed over.
macro_rules! save_blocks {
    ($rows:expr) => {
        concat!(
            "REPLACE INTO handbill_blocks (
               number, list, created_at, id, last_created_at, last_id, places, posts
             ) ",
            $rows
        )
    };
}

macro_rules! row {
    () => {
        "SELECT ? AS number, ?, ?, ?, ?, ?, ?, ? WHERE number IS NOT NULL"
    };
}

macro_rules! four {
    ($rows:expr) => {
        concat!(
            $rows,
            " UNION ALL ",
            $rows,
            " UNION ALL ",
            $rows,
            " UNION ALL ",
            $rows
        )
    };
}

/// Placeholders of a row.
const COLUMNS: usize = 8;

/// One text for few blocks and others for many, within a transaction and to end one.
struct Save {
    most: usize,
    within: &'static str,
    ending: &'static str,
}

macro_rules! save {
    ($most:expr, $rows:expr) => {
        Save {
            most: $most,
            within: save_blocks!($rows),
            ending: concat!(save_blocks!($rows), "; COMMIT"),
        }
    };
}

const SAVES: [Save; 3] = [
    save!(1, row!()),
    save!(4, four!(row!())),
    save!(MOST_BLOCKS, four!(four!(row!()))),
];
/// Blocks that are saved at once at the most.
const MOST_BLOCKS: usize = 16;

pub(in crate::store::sqlite) async fn save(
    connection: &mut SqliteConnection,
    blocks: &[Block],
) -> sqlx::Result<()> {
    for blocks in blocks.chunks(MOST_BLOCKS) {
        run_save(connection, blocks, |save| save.within).await?;
    }
    Ok(())
}

/// Saves blocks and commits the transaction.
pub(in crate::store::sqlite) async fn save_and_commit(
    connection: &mut SqliteConnection,
    blocks: &[Block],
) -> sqlx::Result<()> {
    let (first, last) = blocks.split_at(blocks.len().saturating_sub(MOST_BLOCKS));
    save(connection, first).await?;
    run_save(connection, last, |save| save.ending).await
}

/// Saves up to [`MOST_BLOCKS`] blocks.
async fn run_save(
    connection: &mut SqliteConnection,
    blocks: &[Block],
    text: fn(&Save) -> &'static str,
) -> sqlx::Result<()> {
    let [.., largest] = &SAVES;
    let save = SAVES
        .iter()
        .find(|save| blocks.len() <= save.most)
        .unwrap_or(largest);
    let mut query = sqlx::query(text(save));
    for block in blocks {
        query = query
            .bind(block.number)
            .bind(block.list)
            .bind(block.start.created_at)
            .bind(block.start.id)
            .bind(block.last.created_at)
            .bind(block.last.id)
            .bind(block.posts.len() as i64)
            .bind(block.posts.as_bytes());
    }
    for _ in 0..COLUMNS * (save.most - blocks.len()) {
        query = query.bind(None::<i64>);
    }
    query.execute(connection).await?;
    Ok(())
}
