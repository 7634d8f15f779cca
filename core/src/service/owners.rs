//! Owners as a whole: banning and erasing.

use super::Handbill;
use crate::operations::ban::{self, Banned};
use crate::operations::erase::{self, Erased};
use crate::post::Owner;
use crate::problem::Problem;

impl Handbill {
    /// Bans an owner, such as a user who sends spam: from now on nothing is written in its name, and what is tried is
    /// refused with 422 `refused`. That holds for its API keys, which are revoked; for the private links of its posts,
    /// whose edit tokens are replaced; for visitors [`SignedIn`](crate::SignedIn) as the owner, whose forms come back
    /// with their text; and for what your own code creates for it. It holds as well for requests that are in progress:
    /// when this returns, what one of them has written can be read, and the others write nothing.
    ///
    /// The owner's posts stay as they are: then unlist or delete them. Your own code, your staff and the operator may
    /// still change them.
    ///
    /// ```
    /// use handbill::{Handbill, MemoryStore, Owner, PostSelection};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// let user: Owner = "user:42".parse()?;
    /// handbill.ban(&user).await?;
    /// handbill.posts().unlist_all(&PostSelection::of_owner(user)).await?;
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `store_unavailable`. Some of it may be done then. Call it again, also after the process ended half way: it does
    /// what is left to do.
    pub async fn ban(&self, owner: &Owner) -> Result<Banned, Problem> {
        ban::ban(&self.context, owner).await
    }

    /// Takes a [`ban`](Self::ban) back. Returns whether there was one. Revoked keys and replaced edit tokens stay dead,
    /// and a request that came before is still refused.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn unban(&self, owner: &Owner) -> Result<bool, Problem> {
        ban::unban(&self.context, owner).await
    }

    /// Erases an owner, such as a user who leaves: revokes the keys, deletes the posts (drafts and unlisted ones too),
    /// and makes the tombstones of all posts that the owner ever had forget whose they were. Then neither the store nor
    /// an archive that is made later names the owner: the store has a hash of it, and when it was erased. The addresses
    /// of the posts return 410.
    ///
    /// A request of the owner that is in progress, such as one whose body is sent slowly, is refused with 422
    /// `refused`, or what it wrote is erased, too. One that comes later is accepted, so end the user's sessions first
    /// ([`SignedIn`](crate::SignedIn)), or [`ban`](Self::ban) the user: one who was banned stays banned. Instances that
    /// share a store need clocks that agree, as NTP keeps them: one whose clock is a second ahead accepts what came to
    /// it in the last second.
    ///
    /// If it fails or the process ends half way, call it again: it does what is left to do.
    ///
    /// It does not change what was made before, such as backups, archives and logs, and what others wrote about the
    /// owner. Listeners receive an event of each key and post, which names the owner. A change that waits for a durable
    /// listener names it in the store until it is delivered, or the listener is removed.
    ///
    /// ```
    /// use handbill::{Draft, Handbill, MemoryStore, Owner};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// let user: Owner = "user:42".parse()?;
    /// handbill.keys().issue(None, Some(user.clone())).await?;
    /// handbill.posts().create(Draft::new().body("Mine.").owner(user.clone())).await?;
    ///
    /// let erased = handbill.erase_owner(&user).await?;
    /// assert_eq!((erased.posts, erased.keys), (1, 1));
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `store_unavailable`. Some of it may be done then.
    pub async fn erase_owner(&self, owner: &Owner) -> Result<Erased, Problem> {
        erase::erase_owner(&self.context, owner).await
    }
}
