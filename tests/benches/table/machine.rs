//! A description of the machine that the figures were measured on.

use std::process::Command;

use jiff::Timestamp;

use crate::databases::Databases;

/// The date and the machine, in one sentence.
pub(crate) async fn describe(databases: &Databases) -> String {
    let today = Timestamp::now().strftime("%Y-%m-%d");
    let cores = cores();
    let processor = field_of("/proc/cpuinfo", "model name");
    let kilobytes = field_of("/proc/meminfo", "MemTotal");
    let kilobytes = kilobytes.trim_end_matches(" kB").parse().unwrap_or(0.0);
    let postgres = match databases.postgres_version().await {
        Some(version) => format!("PostgreSQL {version}"),
        None => "without PostgreSQL".to_owned(),
    };
    let gigabytes = kilobytes * 1024.0 / 1e9;
    format!(
        "Measured on {today} on {processor}, {cores} cores, {gigabytes:.0} GB; Linux {}, {}, \
         {postgres}.",
        output_of("uname", "-r"),
        output_of("rustc", "--version"),
    )
}

/// All cores of the machine, including those that this process does not use.
fn cores() -> usize {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    text.lines()
        .filter(|line| line.starts_with("processor"))
        .count()
}

fn field_of(file: &str, name: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name));
    let value = line.and_then(|line| line.split_once(':'));
    value.map_or("?", |(_, value)| value.trim()).to_owned()
}

fn output_of(program: &str, argument: &str) -> String {
    let output = Command::new(program).arg(argument).output();
    output.map_or("?".to_owned(), |output| {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    })
}
