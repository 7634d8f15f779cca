//! The contracts of [Handbill](handbill) as tests.
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
//! The kit uses the public API of `handbill` alone.

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

pub use check::{Check, Failure, FailureKind, run};
