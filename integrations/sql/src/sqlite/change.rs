//! Changes, and the transaction that makes them.

use std::collections::HashSet;
use std::sync::LazyLock;

use handbill::store::{Authority, Outcome, Post, Revision, Write};
use sqlx::query::Query;
use sqlx::query_builder::Separated;
use sqlx::sqlite::SqliteArguments;
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};

use super::index::{self, Indexed};
use super::outbox_change;
use crate::columns::{self, Column, OF_POSTS};
use crate::outbox::applied_or;
use crate::query::Value;
use crate::request::{NewPost, Request};
use crate::write;

/// A condition of writes whose authority is in the columns `by_owner` and `by_at`. Without an owner, it holds.
pub(super) const IS_NOT_BARRED: &str = "
NOT EXISTS (SELECT 1 FROM handbill_bars AS bar WHERE bar.owner = by_owner AND bar.until >= by_at)";

/// What comes before the values, and after them.
static INSERT_POSTS: LazyLock<[String; 2]> = LazyLock::new(|| {
    let names = columns::each(&*OF_POSTS, |_, column| column.name.to_owned());
    [
        format!("WITH post ({names}, by_owner, by_at) AS ("),
        format!(
            ") INSERT INTO handbill_posts ({names}) SELECT {names} FROM post WHERE {IS_NOT_BARRED}"
        ),
    ]
});

static UPDATE_POST: LazyLock<String> = LazyLock::new(|| {
    let set = |place, column: &Column| format!("{} = ?{}", column.name, 3 + place);
    let columns = columns::each(columns::changing(), set);
    format!("UPDATE handbill_posts SET {columns} WHERE id = ?1 AND revision = ?2 AND NOT deleted")
});

static DELETE_POST: LazyLock<String> = LazyLock::new(|| {
    let emptied = columns::emptied();
    format!(
        "UPDATE handbill_posts SET deleted = 1, {emptied}
         WHERE id = ?1 AND revision = ?2 AND NOT deleted"
    )
});

/// The index of the lists of owners finds the tombstones, too.
const FORGET_OWNER: &str = "
UPDATE handbill_posts SET owner = NULL, created_by = NULL WHERE id IN (
  SELECT id FROM handbill_posts WHERE owner = ?1 AND deleted = 1 LIMIT ?2
)";

const BAR: &str = "
INSERT INTO handbill_bars (owner, until) VALUES (?1, ?2)
ON CONFLICT (owner) DO UPDATE SET until = excluded.until WHERE until < excluded.until";

const INSERT_INSTALLATION_SECRET: &str =
    "UPDATE handbill_meta SET installation_secret = ?1 WHERE installation_secret IS NULL";

/// What an insertion does if its identifier is taken.
const DO_NOTHING: &str = "ON CONFLICT (id) DO NOTHING";

/// Makes all changes in one transaction and returns their outcomes. After an error nothing is
/// changed, once the connection is closed.
///
/// New posts come first: the callers are independent of each other. Where there are only new posts without words, the
/// whole transaction is one round trip to the database's thread. As long as there were no
/// durable listeners, it does not touch the outbox: its statement finds out whether it may, and otherwise inserts none.
pub(super) async fn commit(
    connection: &mut SqliteConnection,
    requests: &[Request],
    has_listeners: &mut bool,
) -> sqlx::Result<Vec<Outcome>> {
    let new_posts: Vec<_> = requests.iter().filter_map(NewPost::of).collect();
    if new_posts.len() == requests.len() {
        let for_listeners = match requests.iter().any(|request| request.change().is_some()) {
            true if *has_listeners => ForListeners::Add,
            true => ForListeners::NothingIfAbsent,
            false => ForListeners::Nothing,
        };
        let has_words = new_posts.iter().any(|new| new.words.is_some());
        let (begin, commit) = ("BEGIN IMMEDIATE; ", if has_words { "" } else { "; COMMIT" });
        let outcomes = insert_posts(connection, begin, &new_posts, for_listeners, commit).await?;
        if has_words {
            sqlx::query("COMMIT").execute(&mut *connection).await?;
        }
        if for_listeners != ForListeners::NothingIfAbsent || outcomes.contains(&Outcome::Applied) {
            return Ok(outcomes);
        }
    }

    *has_listeners = outbox_change::begin(connection).await?;
    let mut inserted = match (new_posts.as_slice(), *has_listeners) {
        ([], _) => Vec::new(),
        (posts, true) => insert_posts(connection, "", posts, ForListeners::Add, "").await?,
        (posts, false) => insert_posts(connection, "", posts, ForListeners::Nothing, "").await?,
    }
    .into_iter();
    let mut outcomes = Vec::with_capacity(requests.len());
    for request in requests {
        let outcome = match request {
            Request::Write(Write::InsertPost { .. }, _) => {
                inserted.next().unwrap_or(Outcome::Conflict)
            }
            other => make(connection, other).await?,
        };
        // A listener that this transaction adds receives the changes of later transactions.
        if let Some(change) = request.change()
            && *has_listeners
            && outcome == Outcome::Applied
            && !matches!(request, Request::Write(Write::InsertPost { .. }, _))
        {
            outbox_change::add(connection, change, true).await?;
        }
        outcomes.push(outcome);
    }
    sqlx::query("COMMIT").execute(connection).await?;
    Ok(outcomes)
}

/// Makes one change in the transaction that has begun.
pub(super) async fn make(
    connection: &mut SqliteConnection,
    request: &Request,
) -> sqlx::Result<Outcome> {
    if let Request::Write(write, _) = request
        && let Some(by) = write.by()
        && is_barred(connection, by).await?
    {
        return Ok(Outcome::Barred);
    }
    let (query, otherwise) = match request {
        Request::Write(Write::InsertPost { .. }, _) => {
            let (new, nothing) = (NewPost::of(request), ForListeners::Nothing);
            let inserted = insert_posts(connection, "", new.as_slice(), nothing, "").await?;
            return Ok(inserted.first().copied().unwrap_or(Outcome::Conflict));
        }
        Request::Write(Write::InsertTombstone(tombstone), _) => {
            let insert = write::insert_tombstone(tombstone, DO_NOTHING);
            (insert.into_statement(), Outcome::Conflict)
        }
        Request::Write(Write::UpdatePost { expected, post, .. }, _) => {
            (update_post(*expected, post), Outcome::Conflict)
        }
        Request::Write(Write::DeletePost { id, expected, .. }, _) => {
            let query = sqlx::query(DELETE_POST.as_str()).bind(id.as_str());
            (
                query.bind(expected.number().cast_signed()),
                Outcome::Conflict,
            )
        }
        Request::Write(Write::InsertKey { key, .. }, _) => {
            let insert = write::insert_key(key, DO_NOTHING);
            (insert.into_statement(), Outcome::Conflict)
        }
        Request::Write(Write::TouchKey { id, at }, _) => (
            write::touch_key(id, *at).into_statement(),
            Outcome::NotFound,
        ),
        Request::Write(Write::RevokeKey(id), _) => {
            (write::revoke_key(id).into_statement(), Outcome::NotFound)
        }
        Request::Write(Write::ForgetOwner { owner, limit }, _) => {
            let query = sqlx::query(FORGET_OWNER).bind(owner.as_str());
            (query.bind(limit), Outcome::NotFound)
        }
        Request::Write(Write::Bar { owner, until }, _) => {
            let query = sqlx::query(BAR).bind(owner.as_bytes().as_slice());
            (query.bind(until.as_micros()), Outcome::Conflict)
        }
        Request::Write(Write::Unbar { owner, at }, _) => {
            (write::unbar(owner, *at).into_statement(), Outcome::NotFound)
        }
        Request::InsertInstallationSecret(secret) => {
            let query = sqlx::query(INSERT_INSTALLATION_SECRET);
            (query.bind(secret.as_bytes().as_slice()), Outcome::Conflict)
        }
        Request::Outbox(change) => return outbox_change::change(connection, change).await,
        Request::Index(change) => return index::change(connection, change).await,
    };
    let made = query.execute(&mut *connection).await?;
    let outcome = applied_or(otherwise, made.rows_affected());
    if let Request::Write(Write::UpdatePost { post, words, .. }, _) = request
        && let Some(words) = words
        && outcome == Outcome::Applied
    {
        index::add(connection, vec![Indexed::new(post, words)]).await?;
    }
    Ok(outcome)
}

/// What the insertion of posts does for durable listeners.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ForListeners {
    Nothing,
    /// Nothing, but if there is a listener, it inserts no post.
    NothingIfAbsent,
    /// It adds a row for each of them.
    Add,
}

/// Inserts posts by one statement, between two pieces of SQL, and then their words. There is one text per number of
/// posts, so that each is prepared once.
async fn insert_posts(
    connection: &mut SqliteConnection,
    before: &'static str,
    posts: &[NewPost<'_>],
    for_listeners: ForListeners,
    after: &'static str,
) -> sqlx::Result<Vec<Outcome>> {
    let mut query = QueryBuilder::new(before);
    if for_listeners == ForListeners::Add {
        // Of two posts with one identifier, the first one will be inserted.
        let mut ids = HashSet::new();
        let first = posts.iter().filter(|new| ids.insert(new.post.summary.id));
        let changes = first.filter_map(|new| Some((new.change?, new.by)));
        outbox_change::push_new_posts(&mut query, &changes.collect::<Vec<_>>());
    }
    let [before_values, after_values] = &*INSERT_POSTS;
    query.push(before_values);
    query.push_values(posts, |mut row, NewPost { post, by, .. }| {
        for column in &*OF_POSTS {
            match column.value(post) {
                Value::Integer(number) => row.push_bind(number),
                Value::Text(text) => row.push_bind(text),
                Value::Bytes(bytes) => row.push_bind(bytes),
            };
        }
        push_authority(&mut row, by.as_ref());
    });
    query.push(after_values);
    if for_listeners == ForListeners::NothingIfAbsent {
        query.push(" AND NOT EXISTS (SELECT 1 FROM handbill_listeners)");
    }
    query.push(" ON CONFLICT (id) DO NOTHING RETURNING id");
    query.push(after);
    let rows = query.build().fetch_all(&mut *connection).await?;
    let inserted = rows.iter().map(|row| row.try_get(0));
    let mut inserted: HashSet<&str> = inserted.collect::<sqlx::Result<_>>()?;
    let (mut outcomes, mut indexed) = (Vec::with_capacity(posts.len()), Vec::new());
    for NewPost {
        post, words, by, ..
    } in posts
    {
        outcomes.push(match by {
            _ if inserted.remove(post.summary.id.as_str()) => {
                indexed.extend(words.map(|words| Indexed::new(post, words)));
                Outcome::Applied
            }
            Some(by) if is_barred(connection, *by).await? => Outcome::Barred,
            _ => Outcome::Conflict,
        });
    }
    index::add(connection, indexed).await?;
    Ok(outcomes)
}

/// Adds the values of `by_owner` and `by_at`.
pub(super) fn push_authority(
    row: &mut Separated<'_, Sqlite, &'static str>,
    by: Option<&Authority>,
) {
    row.push_bind(by.map(|by| by.owner.as_bytes().as_slice()))
        .push_bind(by.map(|by| by.at.as_micros()));
}

async fn is_barred(connection: &mut SqliteConnection, by: Authority) -> sqlx::Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM handbill_bars WHERE owner = ?1 AND until >= ?2)";
    sqlx::query_scalar(query)
        .bind(by.owner.as_bytes().as_slice())
        .bind(by.at.as_micros())
        .fetch_one(connection)
        .await
}

fn update_post(expected: Revision, post: &Post) -> Query<'_, Sqlite, SqliteArguments> {
    let query = sqlx::query(UPDATE_POST.as_str())
        .bind(post.summary.id.as_str())
        .bind(expected.number().cast_signed());
    columns::changing().fold(query, |query, column| match column.value(post) {
        Value::Integer(number) => query.bind(number),
        Value::Text(text) => query.bind(text),
        Value::Bytes(bytes) => query.bind(bytes),
    })
}
