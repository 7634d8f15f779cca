//! API keys as a store holds them.

use crate::id::KeyId;
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// An API key that is in force. A revoked one is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyRecord {
    /// Names the key without being secret.
    pub id: KeyId,
    /// What its holder calls it: one line, or none.
    pub label: Option<String>,
    /// The hash of the key itself.
    pub secret: SecretHash,
    /// When it was issued.
    pub created_at: Timestamp,
    /// The hour in which it was last used, or none if it never was.
    pub last_used_at: Option<Timestamp>,
}

impl KeyRecord {
    /// A key without a label that was never used.
    pub const fn new(id: KeyId, secret: SecretHash, created_at: Timestamp) -> Self {
        Self {
            id,
            label: None,
            secret,
            created_at,
            last_used_at: None,
        }
    }

    /// Sets the label.
    #[must_use]
    pub fn with_label(self, label: Option<String>) -> Self {
        Self { label, ..self }
    }

    /// Sets the hour in which the key was last used.
    #[must_use]
    pub fn with_last_used_at(self, last_used_at: Option<Timestamp>) -> Self {
        Self {
            last_used_at,
            ..self
        }
    }
}
