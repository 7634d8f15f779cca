//! What was stored stays usable: files of each schema and archive, written by the version that introduced it, are
//! opened by this version, and do everything that they did.
//!
//! `stored/` has them, each with the requests that were sent when it was written and what the responses were.
//! After adding a migration, run `cargo test -p handbill-tests --test upgrades -- --ignored` once, which writes
//! the files of the new schema, and never changes those that are there. Their keys and tokens open nothing else.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod archive;
mod exchange;
mod postgres;
mod site;
mod sqlite;

use std::path::{Path, PathBuf};

use handbill::{Handbill, RateLimits, Store};

use exchange::Exchange;

/// The service over a store, without limits on clients.
fn service(store: impl Store) -> Handbill {
    let service = Handbill::new("https://posts.example", store).unwrap();
    service.with_rate_limits(RateLimits::off())
}

/// A file in `stored/`.
fn stored(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrades/stored");
    folder.join(name)
}

fn read(name: &str) -> Vec<u8> {
    let content = std::fs::read(stored(name));
    content.unwrap_or_else(|error| panic!("{name}, which main.rs says how to write: {error}"))
}

fn exchanges(name: &str) -> Vec<Exchange> {
    serde_json::from_slice(&read(name)).unwrap()
}

fn write_exchanges(name: &str, exchanges: &[Exchange]) {
    let text = serde_json::to_string_pretty(exchanges).unwrap();
    std::fs::write(stored(name), text + "\n").unwrap();
}
