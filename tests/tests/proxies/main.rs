//! The program behind Caddy, nginx and haproxy, with the settings of `docs/operating.md` as they stand there: only the
//! host's name, ports, certificates and paths are replaced, and Caddy gets no certificate by itself.

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
