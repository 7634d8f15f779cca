//! What Linux knows of the process (proc(5)), by the names that Prometheus advises for it.

use std::fs;

use rlimit::{INFINITY, Resource};
use rustix::time::{ClockId, clock_gettime};

use super::family::{figures, one};

/// Adds these figures.
pub(super) fn add(text: &mut String) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    let cpu = cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9;
    let memory = number_of(&status, "VmRSS").map(|kib| kib * 1024.0);
    figures! { text:
        counter "process_cpu_seconds_total" "Processor time of the process", one(cpu);
        gauge "process_resident_memory_bytes" "Memory of the process", one(memory);
        gauge "process_threads" "Threads of the process", one(number_of(&status, "Threads"));
        gauge "process_open_fds" "Open files and sockets of the process", one(open_files());
        gauge "process_max_fds" "How many files and sockets the process may open", one(max_open_files());
    }
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
