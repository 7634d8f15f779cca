//! Reads from PostgreSQL replicas are never older than acknowledged changes, whatever happens to
//! the replicas.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod contract;
mod faults;
mod freshness;
mod servers;
