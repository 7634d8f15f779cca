//! Handbill's store checks, including the one that reopens the store.

use tempfile::TempDir;

use crate::store::RedbStore;

fn open(folder: &TempDir) -> RedbStore {
    RedbStore::open(&folder.path().join("posts.redb")).expect("a store")
}

handbill_testing::store_checks!(
    async {
        let folder = tempfile::tempdir().expect("a folder");
        (open(&folder), folder)
    },
    async |folder: &TempDir| open(folder)
);
