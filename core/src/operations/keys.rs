//! API keys: issuing, listing, revoking and authenticating.

use super::{MAX_ATTEMPTS, no_free_identifier};
use crate::context::Context;
use crate::post::{
    Actor, ApiKey, Authority, Event, KeyId, KeyRecord, NewChange, Owner, Timestamp, field,
};
use crate::problem::{Code, Problem};
use crate::store::{Outcome, Write};

/// The API keys of a service, for the host's own code. The policy and the rate limit for key requests do
/// not apply.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// let issued = handbill.keys().issue(Some("the newsroom"), None).await?;
/// println!("shown this once: {}", issued.key.expose());
/// handbill.keys().revoke(issued.record.id).await?;
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    context: &'a Context,
}

/// A new API key. Its secret is not available later, since only a hash is stored.
#[derive(Debug)]
#[non_exhaustive]
pub struct IssuedKey {
    /// The key as it is stored.
    pub record: KeyRecord,
    /// The secret.
    pub key: ApiKey,
}

impl<'a> Keys<'a> {
    pub(crate) const fn new(context: &'a Context) -> Self {
        Self { context }
    }

    /// Issues a key. The label is one line of at most [`Limits::label`](crate::Limits) characters. An
    /// empty label counts as none. Without an `owner`, the key owns its own posts.
    ///
    /// # Errors
    /// `invalid_post` if the label is not valid, `store_unavailable`.
    pub async fn issue(
        &self,
        label: Option<&str>,
        owner: Option<Owner>,
    ) -> Result<IssuedKey, Problem> {
        let at = self.context.clock.now();
        self.issue_by(label, owner, &self.context.caller, at).await
    }

    /// Issues a key, as [`issue`](Self::issue) does, to this actor. It was authorised at this time.
    pub(crate) async fn issue_by(
        &self,
        label: Option<&str>,
        owner: Option<Owner>,
        actor: &Actor,
        at: Timestamp,
    ) -> Result<IssuedKey, Problem> {
        let (label, max) = (label.unwrap_or_default(), self.context.limits.label);
        let label = field::one_line("label", label, max)
            .map_err(|error| Problem::invalid_fields(vec![error]))?;
        for _ in 0..MAX_ATTEMPTS {
            let key = ApiKey::generate();
            let mut record =
                KeyRecord::new(KeyId::generate(), key.hash(), self.context.clock.now())
                    .with_label(label.clone());
            if let Some(owner) = &owner {
                record = record.with_owner(owner.clone());
            }
            let event = Event::KeyIssued {
                id: record.id,
                label: record.label.clone(),
                owner: record.owner.clone(),
            };
            let change = NewChange::new(record.created_at, actor.clone(), None, event);
            let insert = Write::InsertKey {
                key: record.clone(),
                by: Some(Authority::of(&record.owner, at)),
            };
            if self.context.write(insert, Some(change)).await? == Outcome::Applied {
                return Ok(IssuedKey { record, key });
            }
        }
        Err(no_free_identifier())
    }

    /// Lists all active keys, oldest first.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn list(&self) -> Result<Vec<KeyRecord>, Problem> {
        self.list_if(|_| true).await
    }

    /// Lists the active keys of an owner, oldest first. It reads all keys.
    ///
    /// ```
    /// # use handbill::{Handbill, MemoryStore, Owner};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// let user: Owner = "user:42".parse()?;
    /// handbill.keys().issue(Some("laptop"), Some(user.clone())).await?;
    /// for key in handbill.keys().list_of(&user).await? {
    ///     println!("{}: {}", key.id, key.label.unwrap_or_default());
    /// }
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn list_of(&self, owner: &Owner) -> Result<Vec<KeyRecord>, Problem> {
        self.list_if(|key| key.owner == *owner).await
    }

    /// Revokes a key. The next request with it is refused. The posts that it created remain.
    ///
    /// # Errors
    /// `not_found` if no active key has this identifier, `store_unavailable`.
    pub async fn revoke(&self, id: KeyId) -> Result<(), Problem> {
        self.revoke_by(id, &self.context.caller).await
    }

    /// Revokes a key, as [`revoke`](Self::revoke) does, for this actor.
    pub(crate) async fn revoke_by(&self, id: KeyId, actor: &Actor) -> Result<(), Problem> {
        let now = self.context.clock.now();
        let change = NewChange::new(now, actor.clone(), None, Event::KeyRevoked(id));
        let revoke = Write::RevokeKey(id);
        match self.context.write(revoke, Some(change)).await? {
            Outcome::Applied => Ok(()),
            _ => {
                let detail = "No active key has this identifier.";
                Err(Problem::new(Code::NotFound, detail))
            }
        }
    }

    /// Revokes all keys of an owner, until there are none left. Returns how many there were. The next request with one
    /// of them is refused. The posts remain: see [`Posts::delete_all`](crate::Posts::delete_all), and
    /// [`Handbill::erase_owner`](crate::Handbill::erase_owner).
    ///
    /// ```
    /// # use handbill::{Handbill, MemoryStore, Owner};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// let user: Owner = "user:42".parse()?;
    /// handbill.keys().issue(Some("laptop"), Some(user.clone())).await?;
    /// assert_eq!(handbill.keys().revoke_all(&user).await?, 1);
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `store_unavailable`. Some of the keys may be revoked then.
    pub async fn revoke_all(&self, owner: &Owner) -> Result<u64, Problem> {
        let mut revoked = 0;
        loop {
            let keys = self.list_of(owner).await?;
            if keys.is_empty() {
                return Ok(revoked);
            }
            for key in keys {
                match self.revoke(key.id).await {
                    Ok(()) => revoked += 1,
                    // Another caller revoked it.
                    Err(problem) if problem.code() == Code::NotFound => {}
                    Err(problem) => return Err(problem),
                }
            }
        }
    }

    async fn list_if(
        &self,
        condition: impl Fn(&KeyRecord) -> bool,
    ) -> Result<Vec<KeyRecord>, Problem> {
        let mut keys = Vec::new();
        let add = |key| {
            if condition(&key) {
                keys.push(key);
            }
        };
        self.context.store.visit_keys(add).await?;
        keys.sort_by_key(|key: &KeyRecord| (key.created_at, key.id));
        Ok(keys)
    }

    /// Looks up a key that a client sent, and records the hour of its use.
    pub(crate) async fn authenticate(&self, key: &ApiKey) -> Result<KeyRecord, Problem> {
        let store = &self.context.store;
        let Some(mut record) = store.find_key(key.hash()).await? else {
            return Err(invalid_key());
        };
        let hour = self.context.clock.now().start_of_hour();
        if record.last_used_at.is_none_or(|recorded| recorded < hour) {
            let (id, at) = (record.id, hour);
            // Not found if the key was revoked meanwhile: this request came before.
            let _ = store.write(Write::TouchKey { id, at }, None).await?;
            record.last_used_at = Some(hour);
        }
        Ok(record)
    }
}

/// The problem for malformed, unknown and revoked keys. It is the same for all three, so a client cannot
/// find out which keys existed.
pub(crate) fn invalid_key() -> Problem {
    let detail = "This API key is mistyped, unknown or revoked.";
    Problem::new(Code::InvalidApiKey, detail)
}

crate::post::opaque_debug!(Keys<'_>);
