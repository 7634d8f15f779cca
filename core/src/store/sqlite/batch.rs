//! What is committed together.

use std::sync::Arc;

use sqlx::SqliteConnection;
use tokio::sync::oneshot;

use super::change::{delete_post, insert_key, revoke_key, touch_key, update_post};
use super::insert::{MOST_POSTS, Rows, insert_and_commit, insert_posts};
use super::writer::WriteError;
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Post, Revision};
use crate::store::Write;
use crate::time::Timestamp;

/// Changes that are committed together at most.
const MAX_CHANGES: usize = MOST_POSTS;

/// What a write changes.
#[derive(Clone, Debug)]
pub(super) enum Change {
    InsertPost(Box<Post>),
    UpdatePost { expected: Revision, post: Box<Post> },
    DeletePost { id: PostId, expected: Revision },
    InsertKey(KeyRecord),
    TouchKey { id: KeyId, at: Timestamp },
    RevokeKey(KeyId),
}

impl Change {
    fn is_of_keys(&self) -> bool {
        match self {
            Self::InsertPost(_) | Self::UpdatePost { .. } | Self::DeletePost { .. } => false,
            Self::InsertKey(_) | Self::TouchKey { .. } | Self::RevokeKey(_) => true,
        }
    }
}

/// Where a change's caller waits.
pub(super) type Caller = oneshot::Sender<Result<Write, WriteError>>;

/// Changes that are committed together, and who waits for them.
pub(super) struct Batch {
    changes: Vec<Change>,
    callers: Vec<Caller>,
    /// All of the changes, as long as they are new posts.
    new_posts: Option<Rows>,
}

impl Batch {
    pub(super) fn empty() -> Self {
        Self {
            changes: Vec::new(),
            callers: Vec::new(),
            new_posts: Some(Rows::none()),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    pub(super) fn has_room(&self) -> bool {
        self.len() < MAX_CHANGES
    }

    pub(super) fn push(&mut self, change: Change, caller: Caller) {
        match (&change, &mut self.new_posts) {
            (Change::InsertPost(post), Some(rows)) => rows.push(post),
            _ => self.new_posts = None,
        }
        self.changes.push(change);
        self.callers.push(caller);
    }

    pub(super) fn changes_keys(&self) -> bool {
        self.changes.iter().any(Change::is_of_keys)
    }

    /// Makes all changes and commits them. New posts come first and together: the changes come from
    /// callers who do not know of each other yet.
    pub(super) async fn commit(
        &mut self,
        connection: &mut SqliteConnection,
    ) -> sqlx::Result<Vec<Write>> {
        let new_posts = self.changes.iter().filter_map(|change| match change {
            Change::InsertPost(post) => Some(post.as_ref()),
            _ => None,
        });
        let new_posts: Vec<&Post> = new_posts.collect();
        if let Some(rows) = self.new_posts.take()
            && insert_and_commit(connection, &new_posts, rows).await?
        {
            return Ok(vec![Write::Applied; self.changes.len()]);
        }
        sqlx::query("BEGIN IMMEDIATE")
            .execute(&mut *connection)
            .await?;
        let mut inserted = match new_posts.as_slice() {
            [] => Vec::new(),
            new_posts => insert_posts(connection, new_posts).await?,
        }
        .into_iter();

        let mut writes = Vec::with_capacity(self.changes.len());
        for change in &self.changes {
            writes.push(match change {
                Change::InsertPost(_) => inserted.next().unwrap_or(Write::Conflict),
                Change::UpdatePost { expected, post } => {
                    update_post(connection, *expected, post).await?
                }
                Change::DeletePost { id, expected } => {
                    delete_post(connection, *id, *expected).await?
                }
                Change::InsertKey(key) => insert_key(connection, key).await?,
                Change::TouchKey { id, at } => touch_key(connection, *id, *at).await?,
                Change::RevokeKey(id) => revoke_key(connection, *id).await?,
            });
        }
        sqlx::query("COMMIT").execute(connection).await?;
        Ok(writes)
    }

    /// What to tell the callers.
    pub(super) fn answers(self, outcome: Result<Vec<Write>, Arc<sqlx::Error>>) -> Answers {
        let of_change = |at: usize| match &outcome {
            Ok(writes) => Ok(writes.get(at).copied().unwrap_or(Write::Conflict)),
            Err(error) => Err(WriteError::Database(Arc::clone(error))),
        };
        let callers = self.callers.into_iter().enumerate();
        Answers(
            callers
                .map(|(at, caller)| (caller, of_change(at)))
                .collect(),
        )
    }
}

/// Outcomes that nobody has been told of yet.
#[derive(Default)]
pub(super) struct Answers(Vec<(Caller, Result<Write, WriteError>)>);

impl Answers {
    pub(super) fn send(&mut self) {
        for (caller, outcome) in self.0.drain(..) {
            // Nobody may be waiting any more; the change is made all the same.
            let _ = caller.send(outcome);
        }
    }
}
