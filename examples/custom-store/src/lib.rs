//! A store of posts and keys in one [redb](https://docs.rs/redb) file. The page `docs/your-store.md` explains it.

mod lease;
mod outbox;
mod search;
mod store;
mod tables;
#[cfg(test)]
mod tests;

pub use store::RedbStore;
