//! Inserting posts, many at once: each way to the database and back costs more than a row.

use std::collections::HashSet;
use std::sync::Arc;

use sqlx::error::{BoxDynError, ErrorKind};
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, Row, SqliteConnection};

use super::ids;
use super::lists::{self, Block, NewPlaces};
use super::row::{json, tags_json, token_names_id};
use crate::id::PostId;
use crate::post::Post;
use crate::store::Write;

/// Posts that are inserted at once at the most.
pub(super) const MOST_POSTS: usize = 64;
/// Posts after which the latest identifiers are carried over to the others.
const POSTS_OF_NEW_IDS: i64 = 4096;

/// Inserts as many posts as there are rows of placeholders, notes their identifiers, and asks for the lists
/// that they are to stand in. Rows that nothing is bound to are null, and passed over. The posts have the
/// last numbers, one after the other.
///
/// Whatever fails undoes the whole transaction, which spares SQLite the means to undo a statement.
/// It prepares these all the same where a statement calls a function, as `last_insert_rowid()` is.
macro_rules! insert_posts {
    ($rows:expr) => {
        concat!(
            "INSERT OR ROLLBACK INTO handbill_posts (
               id, revision, created_at, updated_at, edit_token, token_names_id, created_by,
               creation_edit_token, creation_request, title, focus_keyword, tags, excerpt, body
             ) ",
            $rows,
            ";

             INSERT OR ROLLBACK INTO handbill_new_ids (id, post)
             SELECT id, CASE WHEN NOT EXISTS (
               SELECT 1 FROM handbill_ids AS old WHERE old.id = new.id
             ) THEN number END
             FROM handbill_posts AS new
             WHERE number > (SELECT MAX(number) FROM handbill_posts) - ?; ",
            lists::last_blocks!()
        )
    };
}

macro_rules! row {
    () => {
        "SELECT ? AS id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE id IS NOT NULL"
    };
}

macro_rules! two {
    ($rows:expr) => {
        concat!($rows, " UNION ALL ", $rows)
    };
}

macro_rules! eight {
    ($rows:expr) => {
        two!(two!(two!($rows)))
    };
}

/// Placeholders of a row.
const COLUMNS: usize = 14;

/// One text for few posts and others for many, within a transaction and to begin one.
struct Insert {
    most: usize,
    within: &'static str,
    beginning: &'static str,
}

macro_rules! insert {
    ($most:expr, $rows:expr) => {
        Insert {
            most: $most,
            within: insert_posts!($rows),
            beginning: concat!("BEGIN IMMEDIATE; ", insert_posts!($rows)),
        }
    };
}

const INSERTS: [Insert; 4] = [
    insert!(1, row!()),
    insert!(8, eight!(row!())),
    insert!(32, two!(two!(eight!(row!())))),
    insert!(MOST_POSTS, eight!(eight!(row!()))),
];

const TAKEN: &str = "
SELECT id FROM handbill_new_ids WHERE id IN (SELECT value FROM json_each(?1))
UNION ALL
SELECT id FROM handbill_ids WHERE id IN (SELECT value FROM json_each(?1))";

const CARRY_IDS_OVER: &str = "
INSERT OR ROLLBACK INTO handbill_ids SELECT * FROM handbill_new_ids ORDER BY id;
DELETE FROM handbill_new_ids";

/// New posts as [`INSERTS`] take them, bound one by one.
pub(super) struct Rows(Result<SqliteArguments, BoxDynError>);

impl Rows {
    pub(super) fn none() -> Self {
        Self(Ok(SqliteArguments::default()))
    }

    fn of(posts: &[&Post]) -> Self {
        let mut rows = Self::none();
        for post in posts {
            rows.push(post);
        }
        rows
    }

    pub(super) fn push(&mut self, post: &Post) {
        if let Ok(arguments) = &mut self.0
            && let Err(error) = bind(arguments, post)
        {
            self.0 = Err(error);
        }
    }
}

fn bind(row: &mut SqliteArguments, post: &Post) -> Result<(), BoxDynError> {
    let (summary, creation) = (&post.summary, post.creation.as_ref());
    row.add(ids::of_post(summary.id))?;
    row.add(summary.revision.number().cast_signed())?;
    row.add(summary.created_at.as_micros())?;
    row.add(summary.updated_at.as_micros())?;
    row.add(post.edit_token.as_bytes().as_slice())?;
    row.add(token_names_id(post))?;
    row.add(post.created_by.map(ids::of_key))?;
    row.add(creation.map(|creation| creation.edit_token.as_bytes().as_slice()))?;
    row.add(creation.map(|creation| creation.request.as_bytes().as_slice()))?;
    row.add(summary.title.as_deref().map(owned))?;
    row.add(summary.focus_keyword.as_deref().map(owned))?;
    row.add(owned(&tags_json(&summary.tags)))?;
    row.add(owned(&summary.excerpt))?;
    row.add(owned(&post.body))
}

/// A text for a thread of its own: sqlx would make two allocations of a borrowed one, for the other
/// thread to free.
fn owned(text: &str) -> Arc<str> {
    text.into()
}

/// Inserts up to [`MOST_POSTS`] posts. Of two with the same identifier one is applied.
pub(super) async fn insert_posts(
    connection: &mut SqliteConnection,
    posts: &[&Post],
) -> sqlx::Result<Vec<Write>> {
    let mut taken = taken(connection, posts).await?;
    let (mut free, mut writes) = (Vec::new(), Vec::new());
    for post in posts {
        writes.push(if taken.insert(post.summary.id) {
            free.push(*post);
            Write::Applied
        } else {
            Write::Conflict
        });
    }
    if !free.is_empty() {
        let blocks = run(connection, &free, Rows::of(&free), |insert| insert.within).await?;
        lists::save(connection, &blocks).await?;
    }
    Ok(writes)
}

/// Inserts up to [`MOST_POSTS`] posts, one at least, in a transaction of their own. Nothing is done,
/// and it is false, where an identifier is taken: that is rare, and to look first would cost each time.
pub(super) async fn insert_and_commit(
    connection: &mut SqliteConnection,
    posts: &[&Post],
    rows: Rows,
) -> sqlx::Result<bool> {
    match run(connection, posts, rows, |insert| insert.beginning).await {
        Ok(blocks) => lists::save_and_commit(connection, &blocks)
            .await
            .map(|()| true),
        Err(sqlx::Error::Database(error)) if is_of_taken_id(error.kind()) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Of the latest identifiers none is there twice; for an older one, the number is missing.
const fn is_of_taken_id(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UniqueViolation | ErrorKind::NotNullViolation
    )
}

/// Those of the posts' identifiers that other posts have.
async fn taken(
    connection: &mut SqliteConnection,
    posts: &[&Post],
) -> sqlx::Result<HashSet<PostId>> {
    let ids = posts.iter().map(|post| ids::of_post(post.summary.id));
    let ids: Vec<i64> = ids.collect();
    let query = sqlx::query_scalar(TAKEN).bind(json(&ids));
    let taken: Vec<i64> = query.fetch_all(connection).await?;
    Ok(taken.into_iter().filter_map(ids::post).collect())
}

/// Inserts posts with these rows, whose identifiers are free, and returns the blocks of lists that are
/// to be saved.
async fn run(
    connection: &mut SqliteConnection,
    posts: &[&Post],
    rows: Rows,
    text: fn(&Insert) -> &'static str,
) -> sqlx::Result<Vec<Block>> {
    let [.., largest] = &INSERTS;
    let insert = INSERTS
        .iter()
        .find(|insert| posts.len() <= insert.most)
        .unwrap_or(largest);
    let rows = rows.0.map_err(sqlx::Error::Encode)?;
    let mut query = sqlx::query_with(text(insert), rows);
    for _ in 0..COLUMNS * (insert.most - posts.len()) {
        query = query.bind(None::<i64>);
    }
    let mut places = NewPlaces::of(posts.iter().map(|post| &post.summary));
    let counts: Arc<str> = places.counts().into();
    let query = query.bind(posts.len() as i64);
    let query = query.bind(Arc::clone(&counts)).bind(counts);
    let last_blocks = query.fetch_all(&mut *connection).await?;
    if let Some(row) = last_blocks.first() {
        let newest: i64 = row.try_get("newest_post")?;
        let before = newest - posts.len() as i64;
        places.number_from(before + 1);
        if newest / POSTS_OF_NEW_IDS > before / POSTS_OF_NEW_IDS {
            let query = sqlx::query(CARRY_IDS_OVER);
            query.execute(&mut *connection).await?;
        }
    }
    lists::add(connection, &last_blocks, places).await
}
