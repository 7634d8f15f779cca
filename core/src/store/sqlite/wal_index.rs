//! The head of SQLite's wal-index, the file `…-shm`, as SQLite itself and each process that has the
//! database open share it in memory.
//!
//! The file stays open for the life of the process: POSIX drops every lock that a process has on a
//! file as soon as it closes any descriptor of it, and SQLite's locks are on this one.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bytes that each commit changes. A second copy of them follows, which SQLite writes first.
pub(super) const HEAD_LEN: usize = 48;

/// The mapped head. To be looked at while a connection has the database open, whose lock keeps the
/// file from being cut.
#[derive(Debug)]
pub(super) struct WalIndex {
    #[cfg(unix)]
    mapped: vm_memory::MmapRegion,
    is_left: AtomicBool,
}

impl WalIndex {
    /// The head of this file, or none where it can't be mapped.
    #[cfg(unix)]
    pub(super) fn open(file: &Path) -> Option<&'static Self> {
        use vm_memory::{FileOffset, MmapRegion};

        let file = std::fs::File::open(file).ok()?;
        // Kept, whatever comes.
        let file: &'static FileOffset = Box::leak(Box::new(FileOffset::new(file, 0)));
        if file.file().metadata().ok()?.len() < HEAD_LEN as u64 {
            return None;
        }
        let (protection, flags) = (libc::PROT_READ, libc::MAP_SHARED);
        let mapped = MmapRegion::build(Some(file.clone()), HEAD_LEN, protection, flags).ok()?;
        let wal_index = Self {
            mapped,
            is_left: AtomicBool::new(false),
        };
        Some(Box::leak(Box::new(wal_index)))
    }

    /// None: nothing is known of how these bytes are shared here.
    #[cfg(not(unix))]
    pub(super) fn open(_: &Path) -> Option<&'static Self> {
        None
    }

    /// The head as it is now, or none once it was left.
    #[cfg(unix)]
    pub(super) fn head(&self) -> Option<[u8; HEAD_LEN]> {
        use vm_memory::VolatileMemory;

        if self.is_left.load(Ordering::Relaxed) {
            return None;
        }
        let mut head = [0; HEAD_LEN];
        let copied = self.mapped.as_volatile_slice().copy_to(&mut head);
        (copied == HEAD_LEN).then_some(head)
    }

    #[cfg(not(unix))]
    pub(super) fn head(&self) -> Option<[u8; HEAD_LEN]> {
        None
    }

    /// Looks at it no more, since nobody may keep it from being cut from now on.
    pub(super) fn leave(&self) {
        self.is_left.store(true, Ordering::Relaxed);
    }
}
