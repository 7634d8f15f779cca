//! The service while its database or its instances fail: two instances on one database, or one on each node of a
//! cluster, a fleet of clients that write and read at all of them, and a ledger of the acknowledged changes.
//!
//! In the worst case, clients get 503 with `Retry-After`. The service recovers by itself. No
//! acknowledged change is lost, and no creation with an `Idempotency-Key` happens twice. In the
//! suite each fault happens once and briefly. `tests/faults.sh` runs longer and prints its counts.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test stops where it can't go on"
)]

mod block_device;
mod check;
mod client;
mod cluster;
mod form;
mod instances;
mod post;
mod tally;
mod trial;

mod connections;
mod disk_full;
mod failover;
mod galera;
mod histories;
mod instance_killed;
mod listener;
mod power_cut;
mod server_gone;
