//! Handbill in a Rocket app, over a socket and in process: what is special about Rocket.

#![expect(clippy::expect_used, reason = "a test stops where it can't go on")]

mod host;
mod requests;
mod responses;
mod support;
