//! The changes of single posts and keys, each one statement.
//!
//! A post's row is changed by who finds it live and in the revision expected; everybody else waits
//! for him and then finds it otherwise. What its lists gain and lose is counted later.

use sqlx::postgres::PgRow;

use super::connections::Connections;
use super::failure::Failure;
use super::row;
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Post, Revision};
use crate::store::Write;
use crate::time::Timestamp;

/// `$4` and on are the post's columns, `$14` its lists, `$3` the name of the change.
macro_rules! update_post {
    ($told:literal) => {
        concat!(
            "WITH old AS MATERIALIZED (
               SELECT created_at, COALESCE(lists, tags)::JSONB AS lists FROM handbill_posts
               WHERE id = $1 AND revision = $2 AND NOT gone FOR UPDATE
             ),
             new AS (
               UPDATE handbill_posts SET
                 revision = $4, updated_at = $5, edit_token = $6, token_names_id = $7, title = $8,
                 focus_keyword = $9, tags = $10, lists = $11, excerpt = $12, body = $13
               FROM old WHERE id = $1
               RETURNING id
             ),
             lost AS (
               SELECT list, created_at FROM old, JSONB_ARRAY_ELEMENTS_TEXT(lists) AS name (list)
               WHERE list <> ALL ($14::TEXT[])
             ),
             gained AS (
               SELECT list, created_at FROM old, UNNEST($14::TEXT[]) AS name (list)
               WHERE list NOT IN (SELECT JSONB_ARRAY_ELEMENTS_TEXT(old.lists))
             ),
             removed AS (
               DELETE FROM handbill_places AS place USING lost
               WHERE place.list = lost.list AND place.created_at = lost.created_at
                 AND place.post = $1
             ),
             placed AS (
               INSERT INTO handbill_places (list, created_at, post)
               SELECT list, created_at, $1 FROM gained
             ),
             uncounted AS (
               INSERT INTO handbill_uncounted (list, change, oldest, newest, places)
               SELECT list, $3, created_at, created_at, -1 FROM lost
               UNION ALL
               SELECT list, $3, created_at, created_at, 1 FROM gained
             )
             SELECT ",
            $told,
            " FROM new"
        )
    };
}

/// `$3` is the name of the change.
macro_rules! delete_post {
    ($told:literal) => {
        concat!(
            "WITH old AS MATERIALIZED (
               SELECT created_at, COALESCE(lists, tags)::JSONB AS lists FROM handbill_posts
               WHERE id = $1 AND revision = $2 AND NOT gone FOR UPDATE
             ),
             new AS (
               UPDATE handbill_posts SET
                 gone = TRUE, title = NULL, focus_keyword = NULL, tags = '[]', lists = NULL, excerpt = '', body = ''
               FROM old WHERE id = $1
               RETURNING id
             ),
             lost AS (
               SELECT '' AS list, created_at FROM old
               UNION ALL
               SELECT list, created_at FROM old, JSONB_ARRAY_ELEMENTS_TEXT(lists) AS name (list)
             ),
             removed AS (
               DELETE FROM handbill_places AS place USING lost
               WHERE place.list = lost.list AND place.created_at = lost.created_at
                 AND place.post = $1
             ),
             uncounted AS (
               INSERT INTO handbill_uncounted (list, change, oldest, newest, places)
               SELECT list, $3, created_at, created_at, -1 FROM lost
             )
             SELECT ",
            $told,
            " FROM new"
        )
    };
}

const INSERT_KEY: &str = "
INSERT INTO handbill_keys (id, secret, label, created_at, last_used_at)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING RETURNING id";
const NOTE_KEY_USE: &str = "UPDATE handbill_keys SET last_used_at = $2 WHERE id = $1 RETURNING id";
const REVOKE_KEY: &str = "DELETE FROM handbill_keys WHERE id = $1 RETURNING id";

/// The texts of the changes that other instances hear of, by the identifier of the post, on the
/// channel `handbill_changes`. Creations tell nobody: no instance can remember a post before it is
/// there, and the server lets those who tell something commit one after the other only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changes {
    update_post: &'static str,
    delete_post: &'static str,
}

impl Changes {
    /// Told by `NOTIFY`.
    pub(super) const TOLD: Self = Self {
        update_post: update_post!("PG_NOTIFY('handbill_changes', id)"),
        delete_post: delete_post!("PG_NOTIFY('handbill_changes', id)"),
    };
    /// Kept for oneself, where the server has no `NOTIFY`.
    pub(super) const UNTOLD: Self = Self {
        update_post: update_post!("id"),
        delete_post: delete_post!("id"),
    };

    pub(super) async fn update_post(
        self,
        connections: &Connections,
        expected: Revision,
        post: &Post,
    ) -> Result<Write, Failure> {
        let summary = &post.summary;
        let (tags_json, change) = (
            row::tags_json(&summary.tags),
            format!("{}/{}", summary.id, expected.number()),
        );
        let lists_json = row::lists_json(&summary.tags);
        let lists: Vec<_> = summary.tags.iter().map(row::list).collect();
        let statement = || {
            sqlx::query(self.update_post)
                .bind(summary.id.as_str())
                .bind(expected.number().cast_signed())
                .bind(change.as_str())
                .bind(summary.revision.number().cast_signed())
                .bind(summary.updated_at.as_micros())
                .bind(post.edit_token.as_bytes().as_slice())
                .bind(row::token_names_id(post))
                .bind(summary.title.as_deref())
                .bind(summary.focus_keyword.as_deref())
                .bind(tags_json.as_str())
                .bind(lists_json.as_deref())
                .bind(summary.excerpt.as_str())
                .bind(post.body.as_str())
                .bind(lists.as_slice())
        };
        connections.rows(statement).await.map(applied)
    }

    pub(super) async fn delete_post(
        self,
        connections: &Connections,
        id: PostId,
        expected: Revision,
    ) -> Result<Write, Failure> {
        let change = format!("{id}/{}", expected.number());
        let statement = || {
            sqlx::query(self.delete_post)
                .bind(id.as_str())
                .bind(expected.number().cast_signed())
                .bind(change.as_str())
        };
        connections.rows(statement).await.map(applied)
    }
}

pub(super) async fn insert_key(
    connections: &Connections,
    key: &KeyRecord,
) -> Result<Write, Failure> {
    let statement = || {
        sqlx::query(INSERT_KEY)
            .bind(key.id.as_str())
            .bind(key.secret.as_bytes().as_slice())
            .bind(key.label.as_deref())
            .bind(key.created_at.as_micros())
            .bind(key.last_used_at.map(Timestamp::as_micros))
    };
    connections.rows(statement).await.map(applied)
}

pub(super) async fn touch_key(
    connections: &Connections,
    id: KeyId,
    at: Timestamp,
) -> Result<Write, Failure> {
    let statement = || {
        let query = sqlx::query(NOTE_KEY_USE).bind(id.as_str());
        query.bind(at.as_micros())
    };
    connections.rows(statement).await.map(applied)
}

pub(super) async fn revoke_key(connections: &Connections, id: KeyId) -> Result<Write, Failure> {
    let statement = || sqlx::query(REVOKE_KEY).bind(id.as_str());
    let revoked = connections.rows(statement).await?;
    Ok(if revoked.is_empty() {
        Write::NotFound
    } else {
        Write::Applied
    })
}

/// Each statement returns a row if it did something.
fn applied(rows: Vec<PgRow>) -> Write {
    if rows.is_empty() {
        Write::Conflict
    } else {
        Write::Applied
    }
}
