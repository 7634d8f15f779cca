//! Changes, and the transaction that makes them.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use handbill::store::{
    Authority, NewChange, Outcome, Post, PostId, Revision, SecretHash, Timestamp, Words, Write,
};
use sqlx::mysql::MySqlRow;
use sqlx::{AssertSqlSafe, MySqlConnection, Row as _};

use super::entries::{self, Entry};
use super::failure::Cause;
use super::statement::{execute, statement};
use super::{index, outbox_change, transaction};
use crate::columns::{self, OF_POSTS};
use crate::outbox::applied_or;
use crate::query::{Query, Value};
use crate::request::{NewPost, Request};
use crate::write;

/// How many rows `handbill_gates` has.
pub(super) const GATES: u32 = 64;
const INSERT_SECRET: &str =
    "INSERT INTO handbill_secrets (name, secret) VALUES ('installation', $1)";
const FORGET_OWNER: &str = "
UPDATE handbill_posts SET owner = NULL, created_by = NULL
WHERE owner = $1 AND deleted ORDER BY created_at, id LIMIT $2";
const PASS_ALL_GATES: &str = "UPDATE handbill_gates SET passed = passed + 1";
const BAR_LATER: &str = "UPDATE handbill_bars SET until = $2 WHERE owner = $1 AND until < $2";
const BAR: &str = "INSERT INTO handbill_bars (owner, until) VALUES ($1, $2)";
/// The bars of the owners in `$1`, and whether there are listeners. It has a row for each owner, and one at least.
const BEGIN: &str = "
SELECT bar.owner, bar.until, EXISTS (SELECT 1 FROM handbill_listeners) AS has_listeners
FROM JSON_TABLE($1, '$[*]' COLUMNS (owner CHAR(64) CHARACTER SET ascii PATH '$')) AS asked
LEFT JOIN handbill_bars AS bar ON bar.owner = UNHEX(asked.owner)";

static INSERT_POSTS: LazyLock<String> = LazyLock::new(|| {
    let names = columns::each(&*OF_POSTS, |_, column| column.name.to_owned());
    format!("INSERT INTO handbill_posts ({names}, words, words_version)")
});

static UPDATE_POST: LazyLock<String> = LazyLock::new(|| {
    let columns = columns::each(columns::changing(), |place, column| {
        format!("{} = ${}", column.name, 4 + place)
    });
    format!("UPDATE handbill_posts SET {columns}, words = $2, words_version = $3 WHERE id = $1")
});

static DELETE_POST: LazyLock<String> = LazyLock::new(|| {
    let emptied = columns::emptied();
    format!(
        "UPDATE handbill_posts SET deleted = TRUE, words = NULL, words_version = NULL, {emptied} WHERE id = $1"
    )
});

static LOCK_POST: LazyLock<String> = LazyLock::new(|| {
    let columns = entries::COLUMNS;
    format!(
        "SELECT {columns} FROM handbill_posts WHERE id = $1 AND revision = $2 AND NOT deleted FOR UPDATE"
    )
});

/// A transaction that has begun.
pub(super) struct Transaction<'c> {
    pub(super) connection: &'c mut MySqlConnection,
    /// The bars of those in whose names it writes.
    bars: HashMap<SecretHash, Timestamp>,
    has_listeners: bool,
}

/// About how long a statement with this post and its words is, in bytes.
pub(super) fn size_of(post: &Post, words: Option<&Words>) -> usize {
    let columns = OF_POSTS.iter().map(|column| match column.value(post) {
        Value::Text(Some(text)) => text.len() + 16,
        _ => 64,
    });
    let words = words.into_iter().flat_map(Words::iter);
    columns.sum::<usize>() + words.map(|word| word.len() + 1).sum::<usize>()
}

/// Begins. A transaction that writes in the name of owners passes the gate of this instance: bars wait for it.
pub(super) async fn begin<'c>(
    connection: &'c mut MySqlConnection,
    gate: u32,
    requests: &[Request],
) -> sqlx::Result<Transaction<'c>> {
    let owners = requests.iter().filter_map(|request| match request {
        Request::Write(write, _) => Some(hex::encode(write.by()?.owner.as_bytes())),
        _ => None,
    });
    let owners: BTreeSet<_> = owners.collect();
    let mut begin = transaction::BEGIN.to_owned();
    if !owners.is_empty() {
        begin.push_str(&format!("; {PASS_ALL_GATES} WHERE gate = {gate}"));
    }
    execute(connection, AssertSqlSafe(begin)).await?;
    let asked: Vec<_> = owners.iter().map(String::as_str).chain([""]).collect();
    let query = Query::new(BEGIN).bind(serde_json::json!(asked).to_string());
    let rows = statement(&query).fetch_all(&mut *connection).await?;
    let (mut bars, mut has_listeners) = (HashMap::new(), false);
    for row in &rows {
        has_listeners = row.try_get("has_listeners")?;
        if row.try_get::<Option<i64>, _>("until")?.is_some() {
            let bar = crate::row::bar(row)?;
            bars.insert(bar.owner, bar.until);
        }
    }
    Ok(Transaction {
        connection,
        bars,
        has_listeners,
    })
}

impl Transaction<'_> {
    fn is_barred(&self, by: Option<Authority>) -> bool {
        let until = by.and_then(|by| Some((self.bars.get(&by.owner)?, by.at)));
        until.is_some_and(|(until, at)| *until >= at)
    }

    /// Runs one statement. Returns how many rows it found, also if it did not change them: so sqlx counts.
    pub(super) async fn run(&mut self, query: Query<'_>) -> sqlx::Result<u64> {
        let done = statement(&query).execute(&mut *self.connection).await?;
        Ok(done.rows_affected())
    }

    /// What becomes of a write. It conflicts with a row that has its key.
    pub(super) async fn write(
        &mut self,
        query: Query<'_>,
        otherwise: Outcome,
    ) -> sqlx::Result<Outcome> {
        match self.run(query).await {
            Err(error) if Cause::of(&error) == Cause::Duplicate => Ok(Outcome::Conflict),
            written => Ok(applied_or(otherwise, written?)),
        }
    }

    /// Inserts posts, and adds them to their lists: several with one statement of this size at most, in bytes.
    pub(super) async fn insert_posts(
        &mut self,
        posts: &[NewPost<'_>],
        max_size: usize,
    ) -> sqlx::Result<Vec<Outcome>> {
        let mut outcomes = Vec::with_capacity(posts.len());
        let mut left = posts;
        while !left.is_empty() {
            let mut size = 0;
            let fitting = left.iter().take_while(|new| {
                size += size_of(new.post, new.words);
                size <= max_size
            });
            let (together, rest) = left.split_at(fitting.count().max(1));
            outcomes.extend(self.insert_together(together).await?);
            left = rest;
        }
        let mut entries = BTreeSet::new();
        for (new, outcome) in posts.iter().zip(&outcomes) {
            if *outcome == Outcome::Applied {
                entries.extend(entries::of_post(new.post, new.words));
            }
        }
        entries::change(self.connection, &BTreeSet::new(), &entries).await?;
        Ok(outcomes)
    }

    /// Inserts posts with one statement. If one of their identifiers is taken, with one for each.
    async fn insert_together(&mut self, posts: &[NewPost<'_>]) -> sqlx::Result<Vec<Outcome>> {
        let allowed = posts.iter().filter(|new| !self.is_barred(new.by));
        let allowed: Vec<_> = allowed.collect();
        let together = self.insert_rows(&allowed).await?;
        let mut outcomes = Vec::with_capacity(posts.len());
        for new in posts {
            outcomes.push(match self.is_barred(new.by) {
                true => Outcome::Barred,
                false if together == Outcome::Applied => Outcome::Applied,
                false => self.insert_rows(&[new]).await?,
            });
        }
        Ok(outcomes)
    }

    /// Inserts all of these posts, or none.
    async fn insert_rows(&mut self, posts: &[&NewPost<'_>]) -> sqlx::Result<Outcome> {
        if posts.is_empty() {
            return Ok(Outcome::Applied);
        }
        let rows = posts.iter().map(|new| {
            let mut row: Vec<_> = OF_POSTS.iter().map(|of| of.value(new.post)).collect();
            row.push(new.words.map(entries::text_of).into());
            row.push(new.words.map(Words::version).into());
            row
        });
        let insert = Query::new(INSERT_POSTS.as_str()).with_rows(rows);
        self.write(insert, Outcome::Conflict).await
    }

    /// Makes one change. What it tells listeners is not added.
    pub(super) async fn make(&mut self, request: &Request) -> sqlx::Result<Outcome> {
        let write = match request {
            Request::Write(write, _) => write,
            Request::InsertInstallationSecret(secret) => {
                let insert = Query::new(INSERT_SECRET).bind(secret.as_bytes());
                return self.write(insert, Outcome::Conflict).await;
            }
            Request::Outbox(change) => return outbox_change::change(self, change).await,
            Request::Index(change) => return index::change(self, change).await,
        };
        if self.is_barred(write.by()) {
            return Ok(Outcome::Barred);
        }
        let (query, otherwise) = match write {
            Write::InsertPost { .. } => {
                let new = NewPost::of(request);
                let inserted = self.insert_posts(new.as_slice(), usize::MAX).await?;
                return Ok(inserted.first().copied().unwrap_or(Outcome::Conflict));
            }
            Write::InsertTombstone(tombstone) => {
                (write::insert_tombstone(tombstone, ""), Outcome::Conflict)
            }
            Write::InsertKey { key, .. } => (write::insert_key(key, ""), Outcome::Conflict),
            Write::UpdatePost {
                expected,
                post,
                words,
                ..
            } => {
                let (id, words) = (post.summary.id, words.as_ref());
                let update = |_: &_| Ok((update_post(post, words), entries::of_post(post, words)));
                return self.change_post(id, *expected, update).await;
            }
            Write::DeletePost { id, expected, .. } => {
                let delete = Query::new(DELETE_POST.as_str()).bind(id.as_str());
                let delete = |_: &_| Ok((delete, BTreeSet::new()));
                return self.change_post(*id, *expected, delete).await;
            }
            Write::Bar { owner, until } => return self.bar(*owner, *until).await,
            Write::TouchKey { id, at } => (write::touch_key(id, *at), Outcome::NotFound),
            Write::RevokeKey(id) => (write::revoke_key(id), Outcome::NotFound),
            Write::ForgetOwner { owner, limit } => {
                let forget = Query::new(FORGET_OWNER).bind(owner.as_str()).bind(*limit);
                (forget, Outcome::NotFound)
            }
            Write::Unbar { owner, at } => {
                if let Some(until) = self.bars.get_mut(owner) {
                    *until = (*until).min(*at);
                }
                (write::unbar(owner, *at), Outcome::NotFound)
            }
        };
        self.write(query, otherwise).await
    }

    /// Changes a live post in this revision, and its lists. `change` makes of its row a statement, and the lists that
    /// the post is in then.
    pub(super) async fn change_post<'q>(
        &mut self,
        id: PostId,
        expected: Revision,
        change: impl FnOnce(&MySqlRow) -> sqlx::Result<(Query<'q>, BTreeSet<Entry>)>,
    ) -> sqlx::Result<Outcome> {
        let lock = Query::new(LOCK_POST.as_str())
            .bind(id.as_str())
            .bind(expected.number().cast_signed());
        let locked = statement(&lock).fetch_optional(&mut *self.connection);
        let Some(row) = locked.await? else {
            return Ok(Outcome::Conflict);
        };
        let before = entries::of_row(&row, None)?;
        let (query, after) = change(&row)?;
        self.run(query).await?;
        entries::change(self.connection, &before, &after).await?;
        Ok(Outcome::Applied)
    }

    /// Waits for the writes in progress: each of them has passed one of the gates.
    async fn bar(&mut self, owner: SecretHash, until: Timestamp) -> sqlx::Result<Outcome> {
        self.run(Query::new(PASS_ALL_GATES)).await?;
        let mut outcome = Outcome::Conflict;
        for sql in [BAR_LATER, BAR] {
            if outcome == Outcome::Conflict {
                let bar = Query::new(sql).bind(owner.as_bytes());
                let bar = bar.bind(until.as_micros());
                outcome = self.write(bar, Outcome::Conflict).await?;
            }
        }
        if outcome == Outcome::Applied {
            self.bars.insert(owner, until);
        }
        Ok(outcome)
    }

    /// Adds a change for the listeners, if there are any.
    pub(super) async fn add_change(&mut self, change: Option<&NewChange>) -> sqlx::Result<()> {
        if let Some(change) = change
            && self.has_listeners
        {
            outbox_change::add(self, change).await?;
        }
        Ok(())
    }
}

fn update_post<'q>(post: &'q Post, words: Option<&Words>) -> Query<'q> {
    let query = Query::new(UPDATE_POST.as_str())
        .bind(post.summary.id.to_string())
        .bind(words.map(entries::text_of))
        .bind(words.map(Words::version));
    columns::changing().fold(query, |query, column| query.bind(column.value(post)))
}
