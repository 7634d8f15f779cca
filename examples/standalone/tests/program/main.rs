//! What an operator is promised of the program: options, output, signals, commands, files, and clients
//! who misbehave.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops where it can't go on"
)]

mod archive;
mod author;
mod backup;
mod checking;
mod clients;
mod compression;
mod conflicts;
mod connections;
mod faulty_server;
mod files;
mod getting;
mod https;
mod interrupted;
mod keys;
mod listing;
mod log;
mod manual;
mod markdown;
mod metrics;
mod moving;
mod once;
mod other_versions;
mod owners;
mod place;
mod posts;
mod problems;
mod publishing;
mod refused_files;
mod sockets;
mod starting;
mod stopping;
mod webhooks;
