//! Every way to mount the service passes the HTTP contract, at the root and below it: without a server, and on a server
//! of each framework.

#![expect(clippy::expect_used, reason = "a test stops where it can't go on")]

mod hosts;
mod in_process;
mod large_bodies;
mod on_axum;
mod over_sockets;

/// Runs the checks at the root and below it, with this function that creates a mount.
macro_rules! at_the_root_and_below {
    ($mount:path) => {
        mod at_the_root {
            handbill_testing::http_checks!("/", |handbill| $mount("/", handbill));
        }

        mod below {
            handbill_testing::http_checks!("/a/b", |handbill| $mount("/a/b", handbill));
        }
    };
}
pub(crate) use at_the_root_and_below;
