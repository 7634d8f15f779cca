//! Reads from replicas of PostgreSQL: never older than what was acknowledged, whatever becomes of the
//! replicas.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod contract;
mod faults;
mod freshness;
mod servers;
