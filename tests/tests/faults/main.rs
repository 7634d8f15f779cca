//! What the service does while what it stands on fails: two instances over one database, a fleet of
//! clients that write and read at both, and a ledger of what they were told.
//!
//! Whatever happens to an instance or the database, clients see 503 with `Retry-After` at worst, the
//! service recovers by itself, nothing that was acknowledged is lost, and no creation with an
//! `Idempotency-Key` happens twice. In the suite each fault happens once and shortly;
//! `tests/faults.sh` goes on for longer and prints what it counted.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test stops where it can't go on"
)]

mod check;
mod client;
mod cluster;
mod disk;
mod form;
mod instances;
mod post;
mod tally;
mod trial;

mod connections;
mod disk_full;
mod failover;
mod instance_killed;
mod server_gone;
