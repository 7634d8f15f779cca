//! Reads from replicas of PostgreSQL are never older than what was acknowledged, even when replicas
//! lag, fail or are promoted.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod contract;
mod faults;
mod freshness;
mod servers;
