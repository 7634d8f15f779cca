//! Code that tests and benchmarks share: the service in process, the built program, load
//! generators, an HTTP client that counts bytes, and servers to compare with.

#![expect(clippy::expect_used, reason = "a test stops where it can't go on")]

pub mod bare;
pub mod bites;
pub mod browser;
pub mod calls;
pub mod corpora;
pub mod counting;
pub mod disk;
pub mod example;
pub mod galera;
pub mod histories;
pub mod load;
pub mod mariadb;
pub mod missing;
pub mod mount;
pub mod pgbouncer;
pub mod pinned;
pub mod postgres;
pub mod program;
pub mod receiver;
pub mod recorded;
pub mod relay;
pub mod server;
pub mod warnings;
pub mod wire;
