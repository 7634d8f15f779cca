//! Inserting posts, many at once: one statement, one commit.

use std::borrow::Cow;
use std::collections::HashSet;

use sqlx::Row;

use super::connections::Connections;
use super::failure::Failure;
use super::row;
use crate::id::KeyId;
use crate::post::Post;
use crate::store::Write;

/// Each parameter is an array with a value a post, `$16` and `$17` one with a value a tag. The posts
/// whose identifiers are free come back, and go into their lists; what each list gained is one row
/// to be counted, which the least identifier names.
const INSERT_POSTS: &str = "
WITH new AS (
  INSERT INTO handbill_posts (
    id, revision, created_at, updated_at, edit_token, token_names_id, created_by,
    creation_edit_token, creation_request, title, focus_keyword, tags, lists, excerpt, body, gone
  )
  SELECT post.*, FALSE FROM UNNEST(
    $1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BYTEA[], $6::BOOLEAN[], $7::TEXT[],
    $8::BYTEA[], $9::BYTEA[], $10::TEXT[], $11::TEXT[], $12::TEXT[], $13::TEXT[], $14::TEXT[],
    $15::TEXT[]
  ) AS post
  ON CONFLICT (id) DO NOTHING
  RETURNING id, created_at
),
place AS (
  SELECT '' AS list, created_at, id FROM new
  UNION ALL
  SELECT tag.list, new.created_at, new.id
  FROM new JOIN UNNEST($16::TEXT[], $17::TEXT[]) AS tag (post, list) ON tag.post = new.id
),
placed AS (
  INSERT INTO handbill_places (list, created_at, post) SELECT list, created_at, id FROM place
),
uncounted AS (
  INSERT INTO handbill_uncounted (list, change, oldest, newest, places)
  SELECT list, (SELECT MIN(id) FROM new), MIN(created_at), MAX(created_at), COUNT(*)
  FROM place GROUP BY list
)
SELECT id FROM new";

/// Inserts posts. Of two with the same identifier one is applied.
pub(super) async fn insert_posts(
    connections: &Connections,
    posts: &[Post],
) -> Result<Vec<Write>, Failure> {
    // One a post, and in the order of identifiers, so that of two batches with some in common
    // neither has what the other waits for.
    let mut different: Vec<&Post> = posts.iter().collect();
    different.sort_by_key(|post| post.summary.id);
    different.dedup_by_key(|post| post.summary.id);

    let rows = connections.rows(|| statement(&different)).await?;
    let inserted = rows.iter().map(|row| row.try_get("id"));
    let mut inserted = inserted.collect::<sqlx::Result<HashSet<&str>>>()?;
    let writes = posts
        .iter()
        .map(|post| match inserted.remove(post.summary.id.as_str()) {
            true => Write::Applied,
            false => Write::Conflict,
        });
    Ok(writes.collect())
}

fn statement<'q>(posts: &[&'q Post]) -> super::connections::Statement<'q> {
    fn each<'q, T>(posts: &[&'q Post], value: impl Fn(&'q Post) -> T) -> Vec<T> {
        posts.iter().map(|post| value(post)).collect()
    }
    let lists = posts.iter().flat_map(|post| {
        let lists = post.summary.tags.iter().map(row::list);
        lists.map(|list| (post.summary.id.as_str(), list))
    });
    let (tagged, lists): (Vec<&str>, Vec<Cow<'_, str>>) = lists.unzip();
    sqlx::query(INSERT_POSTS)
        .bind(each(posts, |post| post.summary.id.as_str()))
        .bind(each(posts, |post| {
            post.summary.revision.number().cast_signed()
        }))
        .bind(each(posts, |post| post.summary.created_at.as_micros()))
        .bind(each(posts, |post| post.summary.updated_at.as_micros()))
        .bind(each(posts, |post| post.edit_token.as_bytes().as_slice()))
        .bind(each(posts, row::token_names_id))
        .bind(each(posts, |post| {
            post.created_by.as_ref().map(KeyId::as_str)
        }))
        .bind(each(posts, |post| {
            let creation = post.creation.as_ref();
            creation.map(|creation| creation.edit_token.as_bytes().as_slice())
        }))
        .bind(each(posts, |post| {
            let creation = post.creation.as_ref();
            creation.map(|creation| creation.request.as_bytes().as_slice())
        }))
        .bind(each(posts, |post| post.summary.title.as_deref()))
        .bind(each(posts, |post| post.summary.focus_keyword.as_deref()))
        .bind(each(posts, |post| row::tags_json(&post.summary.tags)))
        .bind(each(posts, |post| row::lists_json(&post.summary.tags)))
        .bind(each(posts, |post| post.summary.excerpt.as_str()))
        .bind(each(posts, |post| post.body.as_str()))
        .bind(tagged)
        .bind(lists)
}
