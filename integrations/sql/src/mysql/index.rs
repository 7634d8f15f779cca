//! Writes the words of posts that came without them.

use handbill::store::{Outcome, PostId, Words};

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
                let replace =
                    |row: &_| Ok((set_words(*id, words), entries::of_row(row, Some(words))?));
                // Posts that are not live in this revision are ignored.
                let _ = transaction.change_post(*id, *revision, replace).await?;
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

fn set_words(id: PostId, words: &Words) -> Query<'static> {
    Query::new("UPDATE handbill_posts SET words = $2, words_version = $3 WHERE id = $1")
        .bind(id.to_string())
        .bind(entries::text_of(words))
        .bind(words.version())
}
