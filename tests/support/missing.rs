//! Reports tests that can't run because something is missing.

use std::io::Write;
use std::process::{Command, Stdio};

/// Reports that a test did not run and what it needs. Panics if no test may be skipped.
pub fn say(what: &str, remedy: &str) {
    say_only(what, remedy);
    let required = std::env::var_os("HANDBILL_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(!required, "HANDBILL_REQUIRE_ALL is 1, and {what}");
}

/// The same for something that can't be installed, such as a right that this machine does not give.
/// It never panics.
pub fn say_only(what: &str, remedy: &str) {
    // Not `eprintln!`: the test harness captures it.
    let said = writeln!(
        std::io::stderr(),
        "\n*** NOT RUN: {what}.\n*** {}\n",
        remedy.replace('\n', "\n*** ")
    );
    said.expect("a standard error");
}

/// Whether this machine lacks the program. Reports it.
pub fn program(name: &str, install: &str) -> bool {
    let found = Command::new(name)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if found.is_ok_and(|status| status.success()) {
        return false;
    }
    say(
        &format!("{name} is missing"),
        &format!("Install it with: {install}"),
    );
    true
}
