//! Rocket's own behaviour with Handbill mounted, over a socket and in process.

#![expect(clippy::expect_used, reason = "a test stops where it can't go on")]

mod host;
mod requests;
mod responses;
mod support;
