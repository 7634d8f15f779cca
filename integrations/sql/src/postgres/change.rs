//! Updates and deletes a post, in one statement, and makes tombstones forget an owner.
//!
//! The statement locks the post's row if the post is live and in the expected revision. A concurrent
//! change waits for the lock and then finds another revision.

use std::sync::LazyLock;

use handbill::store::{NewChange, Outcome, Owner, Post, PostId, Revision, TextField, Timestamp};

use super::connections::{Connections, Statement};
use super::failure::Failure;
use super::lists::LIST_OF_TAG;
use super::outbox::{ForListeners, Form, Forms, outcome};
use super::row;
use crate::columns;

/// `$1` and `$2` are the identifier and the expected revision, `$3` whether the post is deleted, and
/// the others its new columns. A tombstone has the revision, `created_at`, `updated_at`, the edit token,
/// the visibility and the owner of the post. `$13` is the new `listed_at`: only entries that differ from
/// the old ones are written. The deletion compares with `ANY` and subqueries instead of a join: a join that
/// is planned while the table is empty would scan its index.
fn change_post_and_select(result: &str) -> Forms {
    let texts = columns::each_text(|place, name| format!("{name} = ${}", 15 + place));
    let first = 15 + TextField::ALL.len();
    Forms::new(
        first,
        |Form {
             guard,
             parts,
             columns,
         }| {
            format!(
        "WITH old AS MATERIALIZED (
               SELECT listed_at, tags FROM handbill_posts
               WHERE id = $1 AND revision = $2 AND NOT deleted AND {guard} FOR UPDATE
             ),
             changed AS (
               UPDATE handbill_posts SET
                 deleted = $3, revision = COALESCE($4, revision),
                 updated_at = COALESCE($5, updated_at), edit_token = COALESCE($6, edit_token),
                 tags = $7::TEXT, excerpt = $8, heading = $9, visibility = COALESCE($10, visibility),
                 owner = CASE WHEN $3 THEN owner ELSE $11 END, published_at = $12,
                 listed_at = $13::BIGINT, body = $14, {texts}
               FROM old WHERE id = $1
               RETURNING id
             ),
             entry_before AS (
               SELECT 'all' AS list, listed_at FROM old WHERE listed_at IS NOT NULL
               UNION ALL
               SELECT {LIST_OF_TAG}, listed_at
               FROM old, JSONB_ARRAY_ELEMENTS_TEXT(tags::JSONB) AS tags (tag)
               WHERE listed_at IS NOT NULL
             ),
             entry_after AS (
               SELECT 'all' AS list, $13::BIGINT AS listed_at FROM old WHERE $13::BIGINT IS NOT NULL
               UNION ALL
               SELECT {LIST_OF_TAG}, $13::BIGINT
               FROM old, JSONB_ARRAY_ELEMENTS_TEXT($7::TEXT::JSONB) AS tags (tag)
               WHERE $13::BIGINT IS NOT NULL
             ),
             lost AS (SELECT * FROM entry_before EXCEPT SELECT * FROM entry_after),
             gained AS (SELECT * FROM entry_after EXCEPT SELECT * FROM entry_before),
             removed AS (
               DELETE FROM handbill_list_entries
               WHERE list = ANY (ARRAY(SELECT list FROM lost))
                 AND listed_at = (SELECT listed_at FROM old) AND post = $1
               RETURNING list, listed_at
             ),
             added AS (
               INSERT INTO handbill_list_entries (list, listed_at, post)
               SELECT list, listed_at, $1 FROM gained
               RETURNING list, listed_at
             ),
             recorded AS (
               INSERT INTO handbill_list_changes (list, change, oldest, newest, entries)
               SELECT list, $1 || '/' || $2, MIN(listed_at), MAX(listed_at), SUM(entries)
               FROM (
                 SELECT list, listed_at, -1 AS entries FROM removed
                 UNION ALL
                 SELECT list, listed_at, 1 FROM added
               ) AS entry
               GROUP BY list
             ){parts}
             SELECT {result}{columns} FROM changed",
    )
        },
    )
}

/// A caller that meets another one waits for its rows, finds that they do not name the owner any more, and takes
/// others: `LIMIT` counts the rows that are locked.
fn forget_owner_and_select(result: &str) -> String {
    format!(
        "WITH named AS MATERIALIZED (
           SELECT id FROM handbill_posts WHERE owner = $1 AND deleted LIMIT $2 FOR UPDATE
         ),
         forgotten AS (
           UPDATE handbill_posts SET owner = NULL, created_by = NULL
           WHERE id = ANY (ARRAY(SELECT id FROM named)) RETURNING id
         )
         SELECT {result} FROM forgotten"
    )
}

static CHANGE_POST: LazyLock<Forms> = LazyLock::new(|| change_post_and_select("id"));
static CHANGE_POST_AND_NOTIFY: LazyLock<Forms> =
    LazyLock::new(|| change_post_and_select(NOTIFY_OF_POST));
static FORGET_OWNER: LazyLock<String> = LazyLock::new(|| forget_owner_and_select("id"));
static FORGET_OWNER_AND_NOTIFY: LazyLock<String> =
    LazyLock::new(|| forget_owner_and_select(NOTIFY_OF_POST));

const NOTIFY_OF_POST: &str = "PG_NOTIFY('handbill_changes', id)";

/// How changes are made known to other instances: by `NOTIFY` on the channel `handbill_changes`, with
/// the identifier of the post, if the server has `NOTIFY`. Creations send no notification: no instance
/// can have the post cached, and the server commits transactions that notify one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notify {
    Yes,
    No,
}

impl Notify {
    fn change_post(self) -> &'static Forms {
        match self {
            Self::Yes => &CHANGE_POST_AND_NOTIFY,
            Self::No => &CHANGE_POST,
        }
    }

    fn forget_owner(self) -> &'static str {
        match self {
            Self::Yes => &FORGET_OWNER_AND_NOTIFY,
            Self::No => &FORGET_OWNER,
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
    change: Option<&NewChange>,
) -> Result<Outcome, Failure> {
    let statement = |for_listeners: ForListeners<'_>| {
        let bind = |query| bind(query, &id, expected, new);
        notify.change_post().query(for_listeners, bind)
    };
    let rows = connections.write(change.as_slice(), statement);
    Ok(outcome(&rows.await?, Outcome::Conflict))
}

/// Removes the owner from at most `limit` tombstones.
pub(super) async fn forget_owner(
    connections: &Connections,
    notify: Notify,
    owner: &Owner,
    limit: u32,
) -> Result<Outcome, Failure> {
    let statement = || {
        sqlx::query(notify.forget_owner())
            .bind(owner.as_str())
            .bind(i64::from(limit))
    };
    let rows = connections.rows(statement).await?;
    Ok(outcome(&rows, Outcome::NotFound))
}

fn bind<'q>(
    query: Statement<'q>,
    id: &PostId,
    expected: Revision,
    new: Option<&Post>,
) -> Statement<'q> {
    let summary = new.map(|post| &post.summary);
    let query = query
        .bind(id.as_str())
        .bind(row::revision(expected))
        .bind(new.is_none())
        .bind(summary.map(|summary| row::revision(summary.revision)))
        .bind(summary.map(|summary| summary.updated_at.as_micros()))
        .bind(new.map(|post| post.edit_token.as_bytes().as_slice()))
        .bind(row::tags_json(summary.map_or(&[], |summary| &summary.tags)))
        .bind(summary.map_or("", |summary| &summary.excerpt))
        .bind(summary.and_then(|summary| summary.heading.as_deref()))
        .bind(summary.map(|summary| summary.visibility.as_str()))
        .bind(summary.and_then(|summary| summary.owner.as_ref().map(Owner::as_str)))
        .bind(summary.and_then(|summary| summary.published_at.map(Timestamp::as_micros)))
        .bind(summary.and_then(|summary| summary.listed_at().map(Timestamp::as_micros)))
        .bind(new.map_or("", |post| &post.body));
    TextField::ALL.iter().fold(query, |query, field| {
        query.bind(summary.and_then(|summary| summary.text(*field)))
    })
}
