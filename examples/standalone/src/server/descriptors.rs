//! How many connections the system lets this program have.

const DEFAULT: u32 = 4096;
/// Descriptors for everything else: the database, replicas, the log and the runtime.
const OTHERS: u64 = 128;

/// Raises the limit on open files as far as the system allows, and returns how many connections may be
/// open: as many as `wanted`, or as the limit leaves room for.
pub(crate) fn max_connections(wanted: Option<u32>) -> usize {
    // Where the limit can't be read, the least that systems have is a safe guess.
    let limit = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(256);
    let room = limit - OTHERS.min(limit / 2);
    let wanted = u64::from(wanted.unwrap_or(DEFAULT));
    if wanted > room {
        tracing::warn!(
            "the limit on open files ({limit}) leaves room for {room} connections, not {wanted}"
        );
    }
    wanted.min(room) as usize
}
