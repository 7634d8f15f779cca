//! Writes the words of posts (`migrations/010.sql`). Triggers remove those of posts that change or are deleted.

use std::collections::HashMap;

use handbill::store::{MAX_LEASE, Outcome, Post, PostId, Revision, Tag, Words};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row as _, SqliteConnection};

use super::reader::json;
use crate::outbox::{applied_or, millis};
use crate::request::IndexChange;
use crate::row::{self, Row as _};

/// In milliseconds, by the clock of the machine, which all processes that have the file share.
const LEASE: &str = "
WITH clock (now) AS (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER))
UPDATE handbill_meta SET indexer = ?1, indexer_until = now + ?2 FROM clock
WHERE indexer IS NULL OR indexer = ?1 OR indexer_until <= now OR indexer_until > now + ?3";

/// Of the posts `?1`, the live ones that are in one of the revisions `?2`.
const LIVE: &str = "
SELECT id, revision, COALESCE(published_at, created_at) AS date, listed_at, owner, tags FROM handbill_posts
WHERE id IN (SELECT value FROM json_each(?1)) AND revision IN (SELECT value FROM json_each(?2)) AND NOT deleted";

/// How far the place of a post may be after its date, in microseconds.
pub(super) const MAX_DELAY: i64 = 1 << 32;
/// The most posts that one statement indexes.
const CHUNK: usize = 64;

/// A post as the index has it.
pub(super) struct Indexed {
    post: PostId,
    version: u32,
    /// In microseconds.
    date: i64,
    /// The words, with spaces between them, and the names of the lists that have the post.
    text: String,
}

impl Indexed {
    pub(super) fn new(post: &Post, words: &Words) -> Self {
        let summary = &post.summary;
        let date = summary.published_at.unwrap_or(summary.created_at);
        let is_hidden = summary.listed_at().is_none();
        let owner = summary.owner.as_ref().map(|owner| owner.as_str());
        Self {
            post: summary.id,
            version: words.version(),
            date: date.as_micros(),
            text: text(words, is_hidden, owner, &summary.tags),
        }
    }

    /// The revision and what `words` make of a row of [`LIVE`].
    fn from_row(row: &SqliteRow, words: &Words) -> sqlx::Result<Self> {
        let is_hidden = row.integer("listed_at")?.is_none();
        Ok(Self {
            post: row::id(row)?,
            version: words.version(),
            date: row.try_get("date")?,
            text: text(words, is_hidden, row.text("owner")?, &row::tags(row)?),
        })
    }
}

/// The word of the posts that are in no public list.
pub(super) const HIDDEN: &str = "=hidden";

/// The word of the posts of an owner.
pub(super) fn word_of_owner(owner: &str) -> String {
    format!("=owner:{}", escaped(owner))
}

/// The word of the posts with a tag.
pub(super) fn word_of_tag(tag: &Tag) -> String {
    format!("=tag:{}", escaped(tag.as_str()))
}

/// The text with all bytes escaped that the tokenizer would change. No two texts become the same.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '!'..='~' if character != '%' && !character.is_ascii_uppercase() => {
                escaped.push(character);
            }
            '\0'..='\x7F' => escaped.extend(format!("%{:02x}", u32::from(character)).chars()),
            _ => escaped.push(character),
        }
    }
    escaped
}

fn text(words: &Words, is_hidden: bool, owner: Option<&str>, tags: &[Tag]) -> String {
    let hidden = is_hidden.then(|| HIDDEN.to_owned()).into_iter();
    let lists = hidden
        .chain(owner.map(word_of_owner))
        .chain(tags.iter().map(word_of_tag));
    let mut text = lists.collect::<Vec<_>>().join(" ");
    for word in words.iter() {
        text.extend([" ", word]);
    }
    text
}

/// Adds posts that the index does not have.
pub(super) async fn add(
    connection: &mut SqliteConnection,
    posts: Vec<Indexed>,
) -> sqlx::Result<()> {
    let mut placed = Vec::with_capacity(posts.len());
    let (mut left, mut delays) = (posts, 1);
    while !left.is_empty() {
        let places = take_places(connection, &left, delays).await?;
        let found = left.extract_if(.., |post| places.contains_key(&post.post));
        placed.extend(found.map(|post| (places[&post.post], post)));
        // Where many posts have one date, a free place is found in a few steps.
        delays = (2 * delays).min(MAX_DELAY);
    }
    if placed.is_empty() {
        return Ok(());
    }
    // FTS5 collects the words of several posts as long as they come in this order.
    placed.sort_unstable_by_key(|(place, _)| *place);
    let mut query = QueryBuilder::new("INSERT INTO handbill_words (rowid, words) ");
    query.push_values(&placed, |mut row, (place, post)| {
        row.push_bind(place).push_bind(&post.text);
    });
    query.build().execute(connection).await.map(drop)
}

/// Gives posts places that are free, each at one of so many `delays` after its date. Returns those that got one.
async fn take_places(
    connection: &mut SqliteConnection,
    posts: &[Indexed],
    delays: i64,
) -> sqlx::Result<HashMap<PostId, i64>> {
    let mut query = QueryBuilder::new("INSERT INTO handbill_indexed (post, version, date, place) ");
    query.push_values(posts, |mut row, post| {
        row.push_bind(post.post.to_string())
            .push_bind(post.version)
            .push_bind(post.date)
            .push_bind(post.date)
            .push_unseparated(" + ABS(RANDOM() % ")
            .push_bind_unseparated(delays)
            .push_unseparated(")");
    });
    query.push(" ON CONFLICT (place) DO NOTHING RETURNING post AS id, place");
    let rows = query.build().fetch_all(connection).await?;
    let places = rows
        .iter()
        .map(|row| Ok((row::id(row)?, row.try_get("place")?)));
    places.collect()
}

/// Makes a change of the index.
pub(super) async fn change(
    connection: &mut SqliteConnection,
    change: &IndexChange,
) -> sqlx::Result<Outcome> {
    match change {
        IndexChange::Lease { instance, time } => {
            let leased = sqlx::query(LEASE)
                .bind(instance)
                .bind(millis(*time))
                .bind(millis(MAX_LEASE))
                .execute(connection)
                .await?;
            Ok(applied_or(Outcome::Conflict, leased.rows_affected()))
        }
        IndexChange::Posts(posts) => {
            for posts in posts.chunks(CHUNK) {
                replace(connection, posts).await?;
            }
            Ok(Outcome::Applied)
        }
        IndexChange::Complete(version) => {
            let complete = sqlx::query("UPDATE handbill_meta SET indexed = ?1").bind(version);
            complete.execute(connection).await?;
            Ok(Outcome::Applied)
        }
    }
}

/// Sets the words of posts, instead of those that they had, if they are live in these revisions.
async fn replace(
    connection: &mut SqliteConnection,
    posts: &[(PostId, Revision, Words)],
) -> sqlx::Result<()> {
    let ids: Vec<_> = posts.iter().map(|(id, ..)| id.as_str()).collect();
    let revisions = posts.iter().map(|(_, revision, _)| revision.number());
    let revisions: Vec<_> = revisions.collect();
    let query = sqlx::query(LIVE).bind(json(&ids)).bind(json(&revisions));
    let rows = query.fetch_all(&mut *connection).await?;
    let mut indexed = Vec::with_capacity(rows.len());
    for row in &rows {
        let found = (
            row::id(row)?,
            row.try_get::<i64, _>("revision")?.cast_unsigned(),
        );
        let words = posts
            .iter()
            .find(|(id, revision, _)| (*id, revision.number()) == found);
        if let Some((.., words)) = words {
            indexed.push(Indexed::from_row(row, words)?);
        }
    }
    let ids: Vec<_> = indexed
        .iter()
        .map(|indexed| indexed.post.to_string())
        .collect();
    sqlx::query("DELETE FROM handbill_indexed WHERE post IN (SELECT value FROM json_each(?1))")
        .bind(json(&ids))
        .execute(&mut *connection)
        .await?;
    add(connection, indexed).await
}
