use std::sync::Arc;

use causeway_catalog::Catalog;
use causeway_domain::RowKeys;
use causeway_domain::ports::Attestations;
use causeway_engine::{Liquidity, Screening};
use causeway_store::Store;

use crate::boot::config::Config;
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::deployments::{Deployments, UncheckedContracts};
use crate::boot::parts::market::Market;
use crate::boot::parts::service_keys::ServiceKeys;

/// What the parts of the service share.
pub(crate) struct AppContext<'a> {
    pub(crate) config: &'a Config,
    pub(crate) catalog: &'a Arc<Catalog>,
    pub(crate) clients: &'a ChainClients,
    pub(crate) deployments: &'a Deployments,
    /// Contracts that could not be checked yet.
    pub(crate) unchecked: Option<&'a UncheckedContracts>,
    pub(crate) market: &'a Market,
    /// The providers that settle orders themselves.
    pub(crate) liquidity: Liquidity,
    /// Absent without attesters; then there are no orders.
    pub(crate) attestations: Option<Arc<dyn Attestations>>,
    /// The service's own keys; absent without orders.
    pub(crate) keys: Option<&'a ServiceKeys>,
    pub(crate) store: &'a Arc<Store>,
    pub(crate) row_keys: &'a Arc<RowKeys>,
    /// The screening of orders before they are created.
    pub(crate) screening: Option<Arc<Screening>>,
}
