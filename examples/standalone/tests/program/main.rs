//! What an operator is promised of the program: options, output, signals, commands, files, and clients
//! who misbehave.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops where it can't go on"
)]

mod archive;
mod backup;
mod clients;
mod compression;
mod connections;
mod files;
mod interrupted;
mod keys;
mod log;
mod markdown;
mod metrics;
mod owners;
mod place;
mod posts;
mod sockets;
mod starting;
mod stopping;
