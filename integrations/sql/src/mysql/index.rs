//! Writes the words of posts that came without them.

use std::sync::LazyLock;

use handbill::store::{Outcome, PostId, Revision, Words};

use super::change::Transaction;
use super::entries;
use super::outbox_change::{LEASE, leased};
use crate::request::IndexChange;

static TAKE_LEASE: LazyLock<String> =
    LazyLock::new(|| format!("UPDATE handbill_leases {LEASE} AND task = 'indexing'"));

/// Makes a change of the index.
pub(super) async fn change(
    transaction: &mut Transaction<'_>,
    change: &IndexChange,
) -> sqlx::Result<Outcome> {
    match change {
        IndexChange::Lease { instance, time } => {
            let lease = leased(&TAKE_LEASE, instance, *time);
            transaction.write(lease, Outcome::Conflict).await
        }
        IndexChange::Posts(posts) => {
            for (id, revision, words) in posts {
                replace(transaction, *id, *revision, words).await?;
            }
            Ok(Outcome::Applied)
        }
        IndexChange::Complete(version) => {
            let complete = sqlx::query("UPDATE handbill_meta SET value = ? WHERE name = 'indexed'");
            transaction.run(complete.bind(version)).await?;
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
    let set = sqlx::query("UPDATE handbill_posts SET words = ?, words_version = ? WHERE id = ?")
        .bind(entries::text_of(words))
        .bind(words.version())
        .bind(id.as_str());
    transaction.run(set).await?;
    entries::change(transaction.connection, &before, &after).await
}
