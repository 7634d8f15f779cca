//! How far a server has written or replayed the write-ahead log.

/// An LSN on a timeline.
///
/// LSNs of two timelines can't be compared: after a failover, the log of the old primary and of its
/// standbys may be longer than that of the new primary, by changes that are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// The random number that an instance stored in `handbill_meta` for the timeline.
    pub(super) timeline: i64,
    /// Bytes of the log.
    pub(super) lsn: i64,
}

impl Position {
    /// Whether a server that has replayed this position has replayed the other, too.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.timeline == other.timeline && self.lsn >= other.lsn
    }
}
