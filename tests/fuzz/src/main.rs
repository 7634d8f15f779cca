//! The fuzzer: libFuzzer calls the target that `HANDBILL_FUZZ` names with one input after the other.

#![no_main]

use std::sync::OnceLock;

use handbill_fuzz::{Target, target};
use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<Target> = OnceLock::new();

fuzz_target!(|input: &[u8]| {
    let chosen = TARGET.get_or_init(|| {
        let name = std::env::var("HANDBILL_FUZZ").expect("HANDBILL_FUZZ names a target");
        target(&name)
    });
    chosen(input);
});
