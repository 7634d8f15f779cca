//! The archive: it loses nothing, recognises damage before it writes anything, and can be repeated.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod damage;
mod databases;
mod faulty_store;
mod limits;
mod repetition;
mod round_trip;
mod versions;
mod world;
