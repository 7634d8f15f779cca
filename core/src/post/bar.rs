//! Bars: what keeps an owner from writing.

use serde::{Deserialize, Serialize};

use super::{Owner, SecretHash, Timestamp, stored};

/// In whose name a write is made, and since when it may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Authority {
    /// The SHA-256 hash of the owner's text.
    pub owner: SecretHash,
    /// When the request was authorised, by the service's clock.
    pub at: Timestamp,
}

/// Refuses the writes in the name of an owner that were authorised at `until` or before: all of them if that is the
/// latest [`Timestamp`] there is. It names the owner by a hash, since it outlives an owner that was erased.
///
/// For stores of documents, serde gives it the form that it has in an [`Archive`](crate::archive::Archive).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Bar {
    /// The SHA-256 hash of the owner's text.
    #[serde(with = "stored::hash")]
    pub owner: SecretHash,
    /// The last instant that it is about.
    #[serde(with = "stored::micros")]
    pub until: Timestamp,
}

impl Authority {
    pub(crate) fn of(owner: &Owner, at: Timestamp) -> Self {
        Self {
            owner: SecretHash::of(owner.as_str()),
            at,
        }
    }
}
