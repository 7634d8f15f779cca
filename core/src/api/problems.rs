//! The problems that operations have in common. The reference lists each group once.

use crate::problem::Code::{self, *};

/// The problem of every request that may carry an API key.
pub(crate) const OF_WRONG_KEYS: &[Code] = &[InvalidApiKey];
pub(crate) const OF_MOST: &[Code] = &[InvalidHeader, TooManyRequests, StoreUnavailable];
pub(crate) const OF_BODIES: &[Code] =
    &[InvalidJson, BodyTooLarge, UnsupportedMediaType, InvalidPost];
/// What the host's review refuses, or a ban.
pub(crate) const OF_REVIEWS: &[Code] = &[Refused];
pub(crate) const OF_QUERIES: &[Code] = &[InvalidParameter];
pub(crate) const OF_SEARCHES: &[Code] = &[SearchNotAvailable];
pub(crate) const OF_MISSING_KEYS: &[Code] = &[MissingApiKey];
pub(crate) const OF_EDIT_TOKENS: &[Code] = &[
    ConflictingEditTokens,
    MissingEditToken,
    InvalidEditToken,
    NotTheOwner,
];
pub(crate) const OF_IDEMPOTENCY_KEYS: &[Code] = &[
    InvalidIdempotencyKey,
    EditTokenReplaced,
    IdempotencyKeyReused,
];
pub(crate) const OF_IDS: &[Code] = &[NotFound, Gone];
pub(crate) const OF_CONDITIONS: &[Code] = &[PreconditionFailed];
