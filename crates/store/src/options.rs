use std::time::Duration;

/// How a store works; the defaults suit a service.
#[derive(Clone, Debug)]
pub struct Options {
    /// Writes that share a commit at most; 1 gives each write a commit of its own.
    pub max_batch: usize,
    /// Writes that may wait; a caller past that waits for room.
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
