//! What Linux knows of the process (proc(5)), by the names that Prometheus advises for it.

use std::fs;

use rlimit::{INFINITY, Resource};
use rustix::param::clock_ticks_per_second;

use super::family::{figures, one};

/// Adds these figures.
pub(super) fn add(text: &mut String) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = number_of(&status, "VmRSS").map(|kib| kib * 1024.0);
    figures! { text:
        counter "process_cpu_seconds_total" "Processor time of the process", one(cpu_seconds());
        gauge "process_resident_memory_bytes" "Memory of the process", one(memory);
        gauge "process_threads" "Threads of the process", one(number_of(&status, "Threads"));
        gauge "process_open_fds" "Open files and sockets of the process", one(open_files());
        gauge "process_max_fds" "How many files and sockets the process may open", one(max_open_files());
    }
}

/// The time as user and as system: fields 14 and 15 of the line. Field 2, the program's name in parentheses, may have
/// spaces.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, from_third) = stat.rsplit_once(") ")?;
    let mut ticks = from_third.split(' ').skip(11).map(str::parse::<f64>);
    let (user, system) = (ticks.next()?.ok()?, ticks.next()?.ok()?);
    Some((user + system) / clock_ticks_per_second() as f64)
}

/// The number in a line of `status`, such as `VmRSS: 13092 kB`.
fn number_of(status: &str, name: &str) -> Option<f64> {
    let mut lines = status.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(found, _)| *found == name)?;
    value.split_whitespace().next()?.parse().ok()
}

/// The folder that is read is not counted: it is closed again.
fn open_files() -> Option<f64> {
    let files = fs::read_dir("/proc/self/fd").ok()?.count();
    Some(files.saturating_sub(1) as f64)
}

fn max_open_files() -> Option<f64> {
    let (soft, _) = Resource::NOFILE.get().ok()?;
    (soft != INFINITY).then_some(soft as f64)
}
