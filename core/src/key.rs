//! API keys as a store keeps them.

use crate::id::KeyId;
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// An API key that is in force. A revoked one is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
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
