//! What is said and done where something that a test needs is not there.

use std::io::Write;
use std::process::{Command, Stdio};

/// Says aloud that a test did not run and how it would; fails where nothing may be left out.
pub fn say(what: &str, remedy: &str) {
    say_only(what, remedy);
    let required = std::env::var_os("HANDBILL_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(!required, "HANDBILL_REQUIRE_ALL is 1, and {what}");
}

/// The same for what nobody can install, such as a right that this machine does not give: that is
/// no failure anywhere.
pub fn say_only(what: &str, remedy: &str) {
    // Not by `eprintln!`, which the test harness keeps to itself.
    let said = writeln!(
        std::io::stderr(),
        "\n*** NOT RUN: {what}.\n*** {}\n",
        remedy.replace('\n', "\n*** ")
    );
    said.expect("a standard error");
}

/// Whether this machine lacks the program, which is said aloud.
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
