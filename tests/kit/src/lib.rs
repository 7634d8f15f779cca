//! The contracts of [Handbill](handbill) as tests: for a store, or for an adapter to a web framework.
//!
//! ```
//! mod our_store {
//!     handbill_testing::store_checks!(async { handbill::MemoryStore::new() });
//! }
//! ```
//!
//! | you write | use |
//! |---|---|
//! | a store, by implementing [`handbill::Store`] | [`store_checks!`], and [`store`] for single checks |
//! | an adapter to a web framework | [`http_checks!`], and [`http`] for single checks and checks of your own |
//! | tests that need posts and keys | [`samples`] |
//!
//! Both macros make one test for each check. A check is an async function named after the rule that it
//! proves; it panics if the rule is broken. [`Check::run`] returns a [`Failure`] instead, which tells a
//! broken rule from a setup that failed before the rule could be checked.
//!
//! The kit uses the public API of `handbill` alone, with its feature `pages`. It fits handbill 0.2, tokio 1 and Rust
//! 1.94, and has no features. It tests what clients and hosts can see, not speed. In the repository,
//! `docs/your-store.md` makes a store from an empty crate, and `docs/your-adapter.md` an adapter.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a check that can't go on has found a fault, and panics to say so"
)]

#[macro_use]
mod check;
pub mod http;
pub mod samples;
pub mod store;

#[doc(hidden)]
pub use check::{__block_on, __test};
pub use check::{Check, Failure, FailureKind, run};
#[doc(hidden)]
pub use handbill::Store as __Store;
