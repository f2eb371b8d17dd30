use std::sync::Arc;
use std::time::Duration;

use causeway_http::Metrics;
use causeway_store::Store;

use crate::boot::config::Config;

/// How long the store may take to write what is pending at shutdown.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_millis(1_500);

pub(crate) async fn open_store(config: &Config) -> anyhow::Result<Store> {
    let location = config.database.location(&config.data_dir)?;
    Ok(Store::open(&location).await?)
}

pub(crate) fn watch_store(metrics: &Metrics, store: &Arc<Store>) {
    let (commits, writes) = (Arc::clone(store), Arc::clone(store));
    metrics.register_counter("store_commits", "Transactions committed", move || commits.commits());
    metrics.register_counter("store_writes", "Writes that those transactions held", move || writes.writes());
}
