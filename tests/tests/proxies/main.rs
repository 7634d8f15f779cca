//! The program behind Caddy, nginx and haproxy, with the settings of `docs/operating.md` as they stand there: only ports,
//! certificates and paths are replaced.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test stops where it can't go on"
)]

mod client;
mod handbill;
mod page;
mod proxy;

mod behind;
mod restarts;
