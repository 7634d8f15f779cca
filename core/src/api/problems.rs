//! The problems that operations have in common, named by what they are about. The reference lists each group once.

use crate::problem::Code::{self, *};

/// The problem of every request that may carry an API key.
pub(crate) const WRONG_KEY: &[Code] = &[InvalidApiKey];
pub(crate) const MOST: &[Code] = &[InvalidHeader, TooManyRequests, StoreUnavailable];
pub(crate) const BODIES: &[Code] = &[InvalidJson, BodyTooLarge, UnsupportedMediaType, InvalidPost];
/// What the host's review refuses, or a ban.
pub(crate) const REVIEWS: &[Code] = &[Refused];
pub(crate) const QUERIES: &[Code] = &[InvalidParameter];
pub(crate) const SEARCHES: &[Code] = &[SearchNotAvailable];
pub(crate) const NO_KEY: &[Code] = &[MissingApiKey];
pub(crate) const TOKENS: &[Code] = &[
    ConflictingEditTokens,
    MissingEditToken,
    InvalidEditToken,
    NotTheOwner,
];
pub(crate) const RETRIES: &[Code] = &[
    InvalidIdempotencyKey,
    EditTokenReplaced,
    IdempotencyKeyReused,
];
pub(crate) const IDS: &[Code] = &[NotFound, Gone];
pub(crate) const CONDITIONS: &[Code] = &[PreconditionFailed];
