//! Faults of keys.

use handbill::store::{KeyId, KeyRecord, Outcome, Owner, Store, StoreError, Timestamp, Write};
use handbill_tests::calls::Calls;

use crate::fault::Fault::*;
use crate::faulty::{Faulty, failure};

impl Faulty {
    pub(crate) async fn insert_key(&self, mut key: KeyRecord) -> Result<Outcome, StoreError> {
        if self.has(RefusesAllWrites) {
            return Err(failure());
        }
        if self.has(LosesLastUses) {
            key.last_used_at = None;
        }
        if self.has(LosesOwnersOfKeys) {
            key.owner = Owner::of_key(key.id);
        }
        if self.has(OverwritesKeys) {
            let _ = self.inner.revoke_key(key.id).await?;
        }
        if self.has(KeepsRevokedKeys) || self.has(KeepsSecretsOfRevokedKeys) {
            self.aside(|aside| aside.keys.insert(key.secret, key.clone()));
        }
        self.inner.insert_key(key).await
    }

    pub(crate) async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<Outcome, StoreError> {
        match self.fault {
            Some(NotesNoUse) => return Ok(Outcome::Applied),
            Some(FailsToNoteTheUseOfNoKey) => {
                let keys = self.keys().await?;
                if !keys.iter().any(|key| key.id == id) {
                    return Err(failure());
                }
            }
            _ => {}
        }
        self.inner.write(Write::TouchKey { id, at }, None).await
    }

    pub(crate) async fn revoke_key(&self, id: KeyId) -> Result<Outcome, StoreError> {
        if self.has(RemembersKeysTooLate) {
            self.aside(|aside| aside.keys.retain(|_, key| key.id != id));
        }
        let outcome = self.inner.revoke_key(id).await?;
        if self.has(RevokesWhatIsNotThere) {
            return Ok(Outcome::Applied);
        }
        Ok(outcome)
    }
}
