//! Inserts a batch of posts in one statement, which is one commit, and single tombstones.

use std::collections::HashSet;
use std::sync::LazyLock;

use handbill::store::{
    Creation, KeyId, Owner, Post, PostSummary, TextField, Timestamp, Tombstone, Write,
};
use sqlx::Row;

use super::connections::{Connections, Statement};
use super::failure::Failure;
use super::lists::LIST_OF_TAG;
use super::{outbox, row};
use crate::columns;
use crate::told::Told;

/// Each parameter is an array with one value per post. The statement returns the posts whose
/// identifiers were free, after adding them to their public lists and recording what each list gained.
static INSERT_POSTS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH new AS (
       INSERT INTO handbill_posts (
         id, revision, created_at, updated_at, edit_token, created_by, creation_edit_token,
         creation_request, tags, excerpt, heading, visibility, owner, published_at, listed_at, body,
         {names}, deleted
       )
       SELECT post.*, FALSE FROM UNNEST(
         $1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BYTEA[], $6::TEXT[],
         $7::BYTEA[], $8::BYTEA[], $9::TEXT[], $10::TEXT[], $11::TEXT[], $12::TEXT[], $13::TEXT[],
         $14::BIGINT[], $15::BIGINT[], $16::TEXT[], {texts}
       ) AS post
       ON CONFLICT (id) DO NOTHING
       RETURNING id, listed_at, tags
     ),
     entry AS (
       SELECT 'all' AS list, listed_at, id FROM new WHERE listed_at IS NOT NULL
       UNION ALL
       SELECT {LIST_OF_TAG} AS list, listed_at, id
       FROM new, JSONB_ARRAY_ELEMENTS_TEXT(tags::JSONB) AS tags (tag)
       WHERE listed_at IS NOT NULL
     ),
     added AS (
       INSERT INTO handbill_list_entries (list, listed_at, post)
       SELECT list, listed_at, id FROM entry
     ),
     recorded AS (
       INSERT INTO handbill_list_changes (list, change, oldest, newest, entries)
       SELECT list, (SELECT MIN(id) FROM new), MIN(listed_at), MAX(listed_at), COUNT(*)
       FROM entry GROUP BY list
     ),
     {told}
     SELECT id FROM new",
        names = columns::texts(),
        texts = columns::each_text(|place, _| format!("${}::TEXT[]", 17 + place)),
        told = outbox::tell_of_new_posts(17 + TextField::ALL.len()),
    )
});

/// What a tombstone does not tell is empty or 0.
const INSERT_TOMBSTONE: &str = "
INSERT INTO handbill_posts (
  id, deleted, revision, created_at, updated_at, edit_token, creation_edit_token, creation_request,
  tags, excerpt, visibility, owner, body
)
VALUES ($1, TRUE, 1, 0, 0, $2, $3, $4, '[]', '', $5, $6, '')
ON CONFLICT (id) DO NOTHING RETURNING id";

/// A post, and what durable listeners will hear of it.
pub(super) type NewPost = (Post, Option<Told>);

/// Inserts a post in a transaction of its own, in which the host's statements run.
pub(super) async fn insert_post(
    connections: &Connections,
    post: &Post,
    told: Option<&Told>,
) -> Result<Write, Failure> {
    let rows = connections.write(told, |told| statement(&[post], told.as_slice()));
    Ok(match rows.await?.is_empty() {
        true => Write::Conflict,
        false => Write::Applied,
    })
}

/// Inserts posts. If two have the same identifier, the first is inserted.
pub(super) async fn insert_posts(
    connections: &Connections,
    posts: &[NewPost],
) -> Result<Vec<Write>, Failure> {
    // Ordered by identifier, so that two batches which share some never wait for each other.
    let mut distinct: Vec<&NewPost> = posts.iter().collect();
    distinct.sort_by_key(|(post, _)| post.summary.id);
    distinct.dedup_by_key(|(post, _)| post.summary.id);
    let told = distinct.iter().filter_map(|(_, told)| told.as_ref());
    let told: Vec<&Told> = told.collect();
    let distinct: Vec<&Post> = distinct.iter().map(|(post, _)| post).collect();

    let rows = connections.rows(|| statement(&distinct, &told)).await?;
    let inserted = rows.iter().map(|row| row.try_get("id"));
    let mut inserted = inserted.collect::<sqlx::Result<HashSet<&str>>>()?;
    let writes = posts.iter().map(
        |(post, _)| match inserted.remove(post.summary.id.as_str()) {
            true => Write::Applied,
            false => Write::Conflict,
        },
    );
    Ok(writes.collect())
}

pub(super) async fn insert_tombstone(
    connections: &Connections,
    tombstone: &Tombstone,
) -> Result<Write, Failure> {
    let creation = tombstone.creation.as_ref();
    let statement = || {
        sqlx::query(INSERT_TOMBSTONE)
            .bind(tombstone.id.as_str())
            .bind(tombstone.edit_token.as_bytes().as_slice())
            .bind(creation.map(|creation| creation.edit_token.as_bytes().as_slice()))
            .bind(creation.map(|creation| creation.request.as_bytes().as_slice()))
            .bind(tombstone.visibility.as_str())
            .bind(tombstone.owner.as_ref().map(Owner::as_str))
    };
    let inserted = connections.rows(statement).await?;
    Ok(match inserted.is_empty() {
        true => Write::Conflict,
        false => Write::Applied,
    })
}

fn statement<'q>(posts: &[&'q Post], told: &[&'q Told]) -> Statement<'q> {
    fn column<'q, R, T>(rows: &[&'q R], value: impl Fn(&'q R) -> T) -> Vec<T> {
        rows.iter().map(|row| value(row)).collect()
    }
    let creation =
        |hash: fn(&Creation) -> &[u8]| column(posts, move |post| post.creation.as_ref().map(hash));
    let time = |time: fn(&PostSummary) -> Option<Timestamp>| {
        column(posts, move |post| {
            time(&post.summary).map(Timestamp::as_micros)
        })
    };
    let query = sqlx::query(INSERT_POSTS.as_str())
        .bind(column(posts, |post| post.summary.id.as_str()))
        .bind(column(posts, |post| row::revision(post.summary.revision)))
        .bind(column(posts, |post| post.summary.created_at.as_micros()))
        .bind(column(posts, |post| post.summary.updated_at.as_micros()))
        .bind(column(posts, |post| post.edit_token.as_bytes().as_slice()))
        .bind(column(posts, |post| {
            post.created_by.as_ref().map(KeyId::as_str)
        }))
        .bind(creation(|creation| creation.edit_token.as_bytes()))
        .bind(creation(|creation| creation.request.as_bytes()))
        .bind(column(posts, |post| row::tags_json(&post.summary.tags)))
        .bind(column(posts, |post| post.summary.excerpt.as_str()))
        .bind(column(posts, |post| post.summary.heading.as_deref()))
        .bind(column(posts, |post| post.summary.visibility.as_str()))
        .bind(column(posts, |post| {
            post.summary.owner.as_ref().map(Owner::as_str)
        }))
        .bind(time(|summary| summary.published_at))
        .bind(time(PostSummary::listed_at))
        .bind(column(posts, |post| post.body.as_str()));
    let query = TextField::ALL.iter().fold(query, |query, field| {
        query.bind(column(posts, |post| post.summary.text(*field)))
    });
    query
        .bind(column(told, Told::subject))
        .bind(column(told, Told::made_at))
        .bind(column(told, |told| told.text.as_str()))
}
