use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use causeway_domain::{OrderId, RowKeys};
use causeway_engine::Ticker;
use causeway_store::Store;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long the number stays with a process that does not renew it, and how often it does.
const LEASE: Duration = Duration::from_mins(1);
const RENEWAL: Duration = Duration::from_secs(10);

/// The number of this process among those on one database, leased from the database. Row keys contain it.
#[derive(Clone)]
pub(crate) struct Replica {
    store: Arc<Store>,
    /// How the database knows this process.
    holder: String,
    pub(crate) keys: Arc<RowKeys>,
}

impl Replica {
    pub(crate) async fn lease(store: &Arc<Store>) -> anyhow::Result<Self> {
        let holder = OrderId::random().map_err(|_| anyhow::anyhow!("the system returned no random bytes"))?;
        let holder = holder.to_string();
        let number = store.lease_replica(&holder, LEASE).await?;
        let number = number.context("32 processes use the database, and there is no number for one more")?;
        tracing::debug!(number, "replica number leased");
        Ok(Self { store: Arc::clone(store), holder, keys: Arc::new(RowKeys::new(number)) })
    }

    /// Renews the lease until `stop`. A process that could not for too long goes on with another number.
    pub(crate) fn keep(&self, stop: &CancellationToken) -> JoinHandle<()> {
        let (replica, stop) = (self.clone(), stop.clone());
        tokio::spawn(async move {
            let mut ticker = Ticker::new(RENEWAL, stop);
            while ticker.next().await {
                match replica.store.lease_replica(&replica.holder, LEASE).await {
                    Ok(Some(number)) => replica.keys.move_to(number),
                    Ok(None) => {
                        tracing::error!("32 other processes use the database, and none gives up its number");
                    }
                    Err(error) => tracing::debug!(%error, "the replica number was not renewed"),
                }
            }
        })
    }

    /// Gives the number back; without that it is free when the lease ends.
    pub(crate) async fn release(&self) {
        if let Err(error) = self.store.release_replica(&self.holder).await {
            tracing::debug!(%error, "the replica number was not given back");
        }
    }
}
