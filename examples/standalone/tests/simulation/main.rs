//! The program's server on a simulated network with a simulated clock ([`turmoil`]), under faults that a
//! seed selects: messages that are late or lost, clients that stall, and a host that crashes.
//!
//! A failure names its seed. `HANDBILL_SEED` repeats the simulation with that seed alone, and
//! `HANDBILL_SEEDS` sets the number of seeds.
//!
//! The seed selects everything except what tokio itself leaves to chance, such as the order in which waiting
//! tasks wake up. So a rare failure may need several runs with its seed.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod connection_limit;
mod delayed;
mod fair;
mod lost_messages;
mod memory;
mod network;
mod stalled;
mod stopping;

use std::env;
use std::str::FromStr;

/// Runs a simulation with each seed.
fn for_each_seed(seeds: u64, simulate: impl Fn(u64) -> turmoil::Result) {
    let seeds = match number("HANDBILL_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("HANDBILL_SEEDS").unwrap_or(seeds),
    };
    for seed in seeds {
        if let Err(error) = simulate(seed) {
            panic!("repeat this with HANDBILL_SEED={seed}: {error}");
        }
    }
}

fn number<N: FromStr>(variable: &str) -> Option<N> {
    let text = env::var(variable).ok()?;
    let number = text.parse().ok();
    Some(number.unwrap_or_else(|| panic!("{variable} must be a number, not {text}")))
}
