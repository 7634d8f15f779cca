//! Handbill in a Rocket app, over the wire and in process: what is particular to Rocket.

#![expect(clippy::expect_used, reason = "a test stops where it can't go on")]

mod host;
mod requests;
mod responses;
mod support;
