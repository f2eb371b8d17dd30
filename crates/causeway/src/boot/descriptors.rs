use rustix::process::{Resource, getrlimit, setrlimit};

/// The most that is asked for where the system sets no bound.
const WANTED: u64 = 65_536;

/// Raises the number of files and sockets that the process may open, as far as the system lets it.
pub(crate) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if limit.current.is_none_or(|current| current >= wanted) {
        return;
    }
    limit.current = Some(wanted);
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}

/// How many files and sockets the process may open.
pub(crate) fn limit() -> usize {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(WANTED);
    usize::try_from(limit).unwrap_or(usize::MAX)
}
