//! Updates and deletes a post, in one statement.
//!
//! The statement locks the post's row if the post is live and in the expected revision. A concurrent
//! change waits for the lock and then finds another revision.

use super::connections::{Connections, Statement};
use super::failure::Failure;
use super::lists::list_of_tag;
use super::row;
use crate::id::PostId;
use crate::post::{Post, Revision};
use crate::store::Write;

/// `$1` and `$2` are the identifier and the expected revision, `$3` whether the post is deleted, and
/// the others its new columns. A tombstone has the revision, the times and the edit token of the post.
macro_rules! change_post {
    ($result:literal) => {
        concat!(
            "WITH old AS MATERIALIZED (
               SELECT created_at, tags FROM handbill_posts
               WHERE id = $1 AND revision = $2 AND NOT deleted FOR UPDATE
             ),
             changed AS (
               UPDATE handbill_posts SET
                 deleted = $3, revision = COALESCE($4, revision),
                 updated_at = COALESCE($5, updated_at), edit_token = COALESCE($6, edit_token),
                 title = $7, focus_keyword = $8, tags = $9::TEXT, excerpt = $10, body = $11
               FROM old WHERE id = $1
               RETURNING id
             ),
             list_before AS (
               SELECT 'all' AS list FROM old
               UNION ALL
               SELECT ",
            list_of_tag!(),
            " FROM old, JSONB_ARRAY_ELEMENTS_TEXT(tags::JSONB) AS tags (tag)
             ),
             list_after AS (
               SELECT 'all' AS list WHERE NOT $3
               UNION ALL
               SELECT ",
            list_of_tag!(),
            " FROM JSONB_ARRAY_ELEMENTS_TEXT($9::TEXT::JSONB) AS tags (tag)
             ),
             removed AS (
               DELETE FROM handbill_list_entries AS entry USING old, list_before
               WHERE entry.list = list_before.list AND entry.created_at = old.created_at
                 AND entry.post = $1 AND entry.list NOT IN (SELECT list FROM list_after)
               RETURNING entry.list, entry.created_at
             ),
             added AS (
               INSERT INTO handbill_list_entries (list, created_at, post)
               SELECT list, created_at, $1 FROM old, list_after
               WHERE list NOT IN (SELECT list FROM list_before)
               RETURNING list, created_at
             ),
             recorded AS (
               INSERT INTO handbill_list_changes (list, change, oldest, newest, entries)
               SELECT list, $1 || '/' || $2, created_at, created_at, -1 FROM removed
               UNION ALL
               SELECT list, $1 || '/' || $2, created_at, created_at, 1 FROM added
             )
             SELECT ",
            $result,
            " FROM changed"
        )
    };
}

/// How changes are made known to other instances: by `NOTIFY` on the channel `handbill_changes`, with
/// the identifier of the post, if the server has `NOTIFY`. Creations send no notification: no instance
/// can have the post cached, and the server commits transactions that notify one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notify {
    Yes,
    No,
}

impl Notify {
    const fn change_post(self) -> &'static str {
        match self {
            Self::Yes => change_post!("PG_NOTIFY('handbill_changes', id)"),
            Self::No => change_post!("id"),
        }
    }
}

/// Replaces the post with `new`, or with its tombstone if that is `None`.
pub(super) async fn change_post(
    connections: &Connections,
    notify: Notify,
    id: PostId,
    expected: Revision,
    new: Option<&Post>,
) -> Result<Write, Failure> {
    let rows = connections.rows(|| statement(notify, &id, expected, new));
    Ok(match rows.await?.is_empty() {
        true => Write::Conflict,
        false => Write::Applied,
    })
}

fn statement<'q>(
    notify: Notify,
    id: &'q PostId,
    expected: Revision,
    new: Option<&'q Post>,
) -> Statement<'q> {
    let summary = new.map(|post| &post.summary);
    sqlx::query(notify.change_post())
        .bind(id.as_str())
        .bind(row::revision(expected))
        .bind(new.is_none())
        .bind(summary.map(|summary| row::revision(summary.revision)))
        .bind(summary.map(|summary| summary.updated_at.as_micros()))
        .bind(new.map(|post| post.edit_token.as_bytes().as_slice()))
        .bind(summary.and_then(|summary| summary.title.as_deref()))
        .bind(summary.and_then(|summary| summary.focus_keyword.as_deref()))
        .bind(row::tags_json(summary.map_or(&[], |summary| &summary.tags)))
        .bind(summary.map_or("", |summary| &summary.excerpt))
        .bind(new.map_or("", |post| &post.body))
}
