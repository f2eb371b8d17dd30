use std::fs;

use crate::metrics::GaugeSet;

/// Figures of this process as the kernel counts them; those that cannot be read are left out.
pub(super) fn process_gauges() -> Vec<GaugeSet> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let open = fs::read_dir("/proc/self/fd").ok().map(Iterator::count);
    let open = open.and_then(|count| i64::try_from(count).ok());
    let figures = [
        (
            "process_resident_memory_bytes",
            "Resident memory",
            field(&status, "VmRSS:", 1).and_then(|kib| kib.checked_mul(1_024)),
        ),
        ("process_threads", "Threads", field(&status, "Threads:", 1)),
        ("process_open_fds", "Open file descriptors", open),
        (
            "process_max_fds",
            "The most file descriptors that it may open",
            field(&limits, "Max open files", 3),
        ),
    ];
    figures
        .into_iter()
        .filter_map(|(name, help, value)| value.map(|value| GaugeSet::single(name, help, value)))
        .collect()
}

/// The word at `place` of the line that starts with `name`, as a number.
fn field(text: &str, name: &str, place: usize) -> Option<i64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(place)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_kernels_tables() {
        assert_eq!(field("Name:\tcauseway\nVmRSS:\t   5120 kB\n", "VmRSS:", 1), Some(5_120));
        let limits =
            "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024    4096    files\n";
        assert_eq!(field(limits, "Max open files", 3), Some(1_024));
        assert_eq!(field("", "VmRSS:", 1), None);
        assert!(process_gauges().iter().all(|gauge| gauge.values.iter().all(|(_, value)| *value > 0)));
    }
}
