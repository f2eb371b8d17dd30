use std::time::Duration;

/// Store tuning; the defaults suit a service.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most writes that share a commit; 1 gives each write a commit of its own.
    pub max_batch: usize,
    /// The most queued writes; further callers wait for space.
    pub queue: usize,
    /// Connections for reading.
    pub readers: u32,
    /// How long SQLite waits for another process that holds the file.
    pub busy_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_batch: 256, queue: 1024, readers: 8, busy_timeout: Duration::from_secs(5) }
    }
}
