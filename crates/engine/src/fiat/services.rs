use std::fmt;
use std::sync::Arc;

use causeway_domain::QuoteKeys;
use causeway_domain::ports::FiatStore;

use super::{Hubs, OrderFiat, QuoteFiat, Ramps, ReceiveWebhook, RefreshFiat};

/// The fiat use cases, as the HTTP layer needs them.
pub struct FiatServices {
    pub ramps: Ramps,
    pub hubs: Hubs,
    pub quote: QuoteFiat,
    pub order: OrderFiat,
    pub webhook: ReceiveWebhook,
    pub refresh: RefreshFiat,
    pub store: Arc<dyn FiatStore>,
    /// Make and recognize the tokens of checkout pages.
    pub checkout_keys: QuoteKeys,
}

impl fmt::Debug for FiatServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FiatServices").field("ramps", &self.ramps).finish_non_exhaustive()
    }
}
