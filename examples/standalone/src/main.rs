//! The program `handbill`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Requests take a tenth less time than with glibc's allocator, and less memory stays behind.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    handbill_standalone::main()
}
