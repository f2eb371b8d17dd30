use std::collections::HashMap;
use std::sync::Arc;

use causeway_domain::OrderId;
use causeway_domain::ports::{OrderStore, StoreError};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;

/// Reads the versions that are asked for at the same time together: while one read runs, the next one gathers its orders.
pub(super) struct OrderVersions(Arc<Inner>);

struct Inner {
    orders: Arc<dyn OrderStore>,
    /// One read at a time.
    turn: tokio::sync::Mutex<()>,
    gathering: Mutex<Option<Gathering>>,
}

/// A read that has not begun.
struct Gathering {
    ids: Vec<OrderId>,
    read: Shared<BoxFuture<'static, Versions>>,
}

type Versions = Result<Arc<HashMap<OrderId, u32>>, Arc<StoreError>>;

impl OrderVersions {
    pub(super) fn new(orders: Arc<dyn OrderStore>) -> Self {
        Self(Arc::new(Inner { orders, turn: tokio::sync::Mutex::default(), gathering: Mutex::default() }))
    }

    /// The version as it is stored now, or was after the call.
    pub(super) async fn get(&self, id: &OrderId) -> Result<Option<u32>, StoreError> {
        let versions = self.join(id).await.map_err(|error| StoreError::shared(&error))?;
        Ok(versions.get(id).copied())
    }

    fn join(&self, id: &OrderId) -> Shared<BoxFuture<'static, Versions>> {
        let mut gathering = self.0.gathering.lock();
        let next = gathering.get_or_insert_with(|| {
            let read = Arc::clone(&self.0).read().boxed().shared();
            Gathering { ids: Vec::new(), read }
        });
        next.ids.push(id.clone());
        next.read.clone()
    }
}

impl Inner {
    /// Polled by everybody who waits for it, so that a caller who goes away holds nobody up.
    async fn read(self: Arc<Self>) -> Versions {
        let _turn = self.turn.lock().await;
        let gathered = self.gathering.lock().take();
        let ids = gathered.map(|gathering| gathering.ids).unwrap_or_default();
        let versions = self.orders.order_versions(&ids).await.map_err(Arc::new)?;
        Ok(Arc::new(versions.into_iter().collect()))
    }
}
