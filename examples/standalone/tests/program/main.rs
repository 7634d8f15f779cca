//! What an operator is promised of the program: options, output, signals, keys, files, and clients
//! who misbehave.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops where it can't go on"
)]

mod clients;
mod connections;
mod files;
mod keys;
mod log;
mod place;
mod starting;
mod stopping;
