//! What the system knows of the process, by the names that Prometheus advises for it.

use prometheus::proto::MetricFamily;

#[cfg(target_os = "linux")]
pub(super) fn families() -> Vec<MetricFamily> {
    use procfs::process::{LimitValue, Process};
    use procfs::{page_size, ticks_per_second};

    use super::family::Families;

    let Ok((process, stat)) = Process::myself().and_then(|process| {
        let stat = process.stat()?;
        Ok((process, stat))
    }) else {
        return Vec::new();
    };
    let ticks = ticks_per_second() as f64;
    let mut families = Families::default();
    families.counter(
        "process_cpu_seconds_total",
        "Processor time of the process",
        [(stat.utime + stat.stime) as f64 / ticks],
    );
    families.gauge(
        "process_resident_memory_bytes",
        "Memory of the process",
        [(stat.rss * page_size()) as f64],
    );
    families.gauge(
        "process_threads",
        "Threads of the process",
        [stat.num_threads as f64],
    );
    families.gauge(
        "process_open_fds",
        "Open files and sockets of the process",
        process.fd_count().ok().map(|count| count as f64),
    );
    let limits = process.limits().ok();
    families.gauge(
        "process_max_fds",
        "How many files and sockets the process may open",
        limits.and_then(|limits| match limits.max_open_files.soft_limit {
            LimitValue::Value(most) => Some(most as f64),
            LimitValue::Unlimited => None,
        }),
    );
    families.finish()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn families() -> Vec<MetricFamily> {
    Vec::new()
}
