//! Where a post stands in a list, as bytes that sort as the list does.

use std::str;

use handbill::{PostId, PostSummary};

const TIME: usize = 8;
pub(crate) const LENGTH: usize = TIME + 10;

/// The time of creation and then the identifier, each with all its bits turned: what is greater
/// becomes lesser, so that the order of bytes, which is redb's, has the newest post first and the
/// greater identifier before the lesser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place([u8; LENGTH]);

impl Place {
    /// Before every post: no identifier has a letter that turns into a zero.
    pub(crate) const FIRST: Self = Self([0; LENGTH]);
    /// After every post.
    pub(crate) const LAST: Self = Self([u8::MAX; LENGTH]);

    pub(crate) fn of(post: &PostSummary) -> Self {
        // Never negative: a `Timestamp` begins at 1970. So the bytes sort as the numbers do.
        let time = post.created_at.as_micros().to_be_bytes();
        let mut bytes = [0; LENGTH];
        for (byte, original) in bytes
            .iter_mut()
            .zip(time.iter().chain(post.id.as_str().as_bytes()))
        {
            *byte = !original;
        }
        Self(bytes)
    }

    pub(crate) fn from_stored(bytes: &[u8; LENGTH]) -> Self {
        Self(*bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }

    /// The identifier of the post that stands here, or none if these bytes are no post's place.
    pub(crate) fn id(&self) -> Option<PostId> {
        let letters: Vec<u8> = self.0[TIME..].iter().map(|byte| !byte).collect();
        str::from_utf8(&letters).ok()?.parse::<PostId>().ok()
    }
}
