//! API keys as they are stored.

use serde::{Deserialize, Serialize};

use super::{KeyId, Owner, SecretHash, Timestamp, stored};

/// An active API key. Revoked keys are not stored.
///
/// For stores of documents, serde gives it the form that it has in an [`Archive`](crate::archive::Archive).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct KeyRecord {
    /// Identifies the key and is not secret.
    pub id: KeyId,
    /// The name that was chosen for the key, if any: one line.
    pub label: Option<String>,
    /// The owner. The key may change all posts of this owner.
    pub owner: Owner,
    /// The hash of the key.
    #[serde(with = "stored::hash")]
    pub secret: SecretHash,
    /// When the key was issued.
    #[serde(with = "stored::micros")]
    pub created_at: Timestamp,
    /// The hour in which the key was last used. `None` if it was never used.
    #[serde(default, with = "stored::optional_micros")]
    pub last_used_at: Option<Timestamp>,
}

impl KeyRecord {
    /// A key without a label that was never used. It has no named owner: it owns its own posts.
    pub fn new(id: KeyId, secret: SecretHash, created_at: Timestamp) -> Self {
        Self {
            id,
            label: None,
            owner: Owner::of_key(id),
            secret,
            created_at,
            last_used_at: None,
        }
    }

    setters! {
        with_label(label: Option<String>);
        with_owner(owner: Owner);
        with_last_used_at(last_used_at: Option<Timestamp>);
    }
}
