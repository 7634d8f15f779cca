//! Writes the words of posts that came without them.

use handbill::store::{Outcome, PostId, Revision, Words};

use super::change::Transaction;
use super::entries;
use super::outbox_change::{LEASE, leased};
use crate::query::Query;
use crate::request::IndexChange;

/// Makes a change of the index.
pub(super) async fn change(
    transaction: &mut Transaction<'_>,
    change: &IndexChange,
) -> sqlx::Result<Outcome> {
    match change {
        IndexChange::Lease { instance, time } => {
            let lease = format!("UPDATE handbill_leases {LEASE} AND task = 'indexing'");
            let lease = leased(lease, instance, *time);
            transaction.write(lease, Outcome::Conflict).await
        }
        IndexChange::Posts(posts) => {
            for (id, revision, words) in posts {
                replace(transaction, *id, *revision, words).await?;
            }
            Ok(Outcome::Applied)
        }
        IndexChange::Complete(version) => {
            let complete = "UPDATE handbill_meta SET value = $1 WHERE name = 'indexed'";
            transaction.run(Query::new(complete).bind(*version)).await?;
            Ok(Outcome::Applied)
        }
    }
}

/// Sets the words of a post, instead of those that it had, if it is live in this revision.
async fn replace(
    transaction: &mut Transaction<'_>,
    id: PostId,
    revision: Revision,
    words: &Words,
) -> sqlx::Result<()> {
    let Some(row) = transaction.lock_post(id, revision).await? else {
        return Ok(());
    };
    let before = entries::of_row(&row, None)?;
    let after = entries::of_row(&row, Some(words))?;
    let set = "UPDATE handbill_posts SET words = $2, words_version = $3 WHERE id = $1";
    let set = Query::new(set)
        .bind(id.as_str())
        .bind(entries::text_of(words))
        .bind(words.version());
    transaction.run(set).await?;
    entries::change(transaction.connection, &before, &after).await
}
