use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::FiatStore;

use super::{Hubs, OrderFiat, QuoteFiat, Ramps, RefreshFiat, TakeWebhook};

/// Everything that the door needs to sell crypto for fiat.
pub struct FiatDesk {
    pub ramps: Ramps,
    pub hubs: Hubs,
    pub quote: QuoteFiat,
    pub order: OrderFiat,
    pub webhook: TakeWebhook,
    pub refresh: RefreshFiat,
    pub store: Arc<dyn FiatStore>,
}

impl fmt::Debug for FiatDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FiatDesk").field("ramps", &self.ramps).finish_non_exhaustive()
    }
}
