//! Faults of forgetting owners.

use std::sync::atomic::Ordering;

use handbill::store::{Entry, Outcome, Owner, Post, Revision, StoreError};
use handbill_tests::calls::Calls;

use crate::fault::Fault::*;
use crate::faulty::Faulty;

impl Faulty {
    pub(crate) async fn faulty_forget(
        &self,
        owner: Owner,
        limit: u32,
    ) -> Result<Outcome, StoreError> {
        let mut limit = limit;
        match self.fault {
            Some(ForgetsOwnersOfLivePosts) => {
                for post in self.live_posts().await? {
                    if post.owner.as_ref() == Some(&owner) {
                        self.disown(post.id).await?;
                    }
                }
            }
            Some(FoldsForgottenOwners) => {
                for other in self.owners_of_tombstones().await? {
                    if other.as_str().eq_ignore_ascii_case(owner.as_str()) {
                        let _ = self.inner.forget_owner(other, limit).await?;
                    }
                }
                return Ok(Outcome::Applied);
            }
            Some(ForgetsBeyondTheLimit) => limit = u32::MAX,
            Some(ForgetsAbsentOwners) => {
                let _ = self.inner.forget_owner(owner, limit).await?;
                return Ok(Outcome::Applied);
            }
            Some(LeavesOwnersToOtherCallers) => {
                if self.writing.fetch_add(1, Ordering::SeqCst) > 0 {
                    self.writing.fetch_sub(1, Ordering::SeqCst);
                    return Ok(Outcome::NotFound);
                }
                for _ in 0..3 {
                    tokio::task::yield_now().await;
                }
                let forgotten = self.inner.forget_owner(owner, limit).await;
                self.writing.fetch_sub(1, Ordering::SeqCst);
                return forgotten;
            }
            _ => {}
        }
        self.inner.forget_owner(owner, limit).await
    }

    async fn owners_of_tombstones(&self) -> Result<Vec<Owner>, StoreError> {
        let entries = self.entries().await?.into_iter();
        let owners = entries.filter_map(|entry| match entry {
            Entry::Gone(tombstone) => tombstone.owner,
            _ => None,
        });
        Ok(owners.collect())
    }

    /// Takes the owner of a live post away.
    async fn disown(&self, id: handbill::PostId) -> Result<(), StoreError> {
        if let Some(Entry::Live(post)) = self.inner.read_post(id).await? {
            let mut post = Post::clone(&post);
            let expected: Revision = post.summary.revision;
            post.summary.owner = None;
            let _ = self.inner.update_post(expected, post).await?;
        }
        Ok(())
    }
}
