//! Posts that change by themselves, and when.

use crate::post::{PostId, Timestamp};

/// A post, and when it is [due](crate::PostSummary::due_at).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// When it is due.
    pub at: Timestamp,
    /// Identifies the post.
    pub id: PostId,
}
