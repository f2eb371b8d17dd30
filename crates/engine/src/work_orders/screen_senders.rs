use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{ActionError, AddressWatch, ChainStore, OrderKind, ScreenRequest};
use causeway_domain::{ChainId, Order, OrderId};
use parking_lot::Mutex;

use crate::screening::{Screening, ScreeningError};

/// How many verdicts are remembered, so that a refusal is recorded once and not at every pass.
const MAX_VERDICTS: usize = 10_000;

/// Screens who sent a plain transfer, which nobody knows before it is on the chain.
pub struct SenderScreening {
    pub screening: Arc<Screening>,
    pub watches: HashMap<ChainId, Arc<dyn AddressWatch>>,
    verdicts: Mutex<HashMap<OrderId, bool>>,
}

impl fmt::Debug for SenderScreening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SenderScreening").field("chains", &self.watches.len()).finish_non_exhaustive()
    }
}

impl SenderScreening {
    pub fn new(screening: Arc<Screening>, watches: HashMap<ChainId, Arc<dyn AddressWatch>>) -> Self {
        Self { screening, watches, verdicts: Mutex::default() }
    }

    /// Fails while the senders of the order's input are refused or cannot be screened. The money then stays at the deposit
    /// address, and goes to the refund address after the open deadline.
    pub(super) async fn check(&self, order: &Order, facts: &dyn ChainStore) -> Result<(), ActionError> {
        let known = self.verdicts.lock().get(&order.id).copied();
        let is_allowed = if let Some(verdict) = known {
            verdict
        } else {
            let verdict = self.screen(order, facts).await?;
            let mut verdicts = self.verdicts.lock();
            if verdicts.len() >= MAX_VERDICTS {
                verdicts.clear();
            }
            verdicts.insert(order.id.clone(), verdict);
            verdict
        };
        if is_allowed {
            return Ok(());
        }
        Err(ActionError::Permanent(
            "the screening refused who sent the deposit; it goes to the refund address after the open deadline"
                .to_owned(),
        ))
    }

    async fn screen(&self, order: &Order, facts: &dyn ChainStore) -> Result<bool, ActionError> {
        let (Some(address), Some(watch)) = (order.deposit_address, self.watches.get(&order.from.chain()))
        else {
            return Ok(true);
        };
        let mut wallets = Vec::new();
        for arrival in facts.arrivals(address).await?.iter().filter(|arrival| arrival.token == order.from) {
            match &arrival.tx {
                Some(tx) => wallets.extend(watch.senders(address, arrival.token, tx).await?),
                None => {
                    tracing::info!(order = order.id.as_str(), "funding transaction unknown, not screened");
                }
            }
        }
        if wallets.is_empty() {
            return Ok(true);
        }
        let request =
            ScreenRequest { kind: OrderKind::Swap, wallets, asset: order.from, amount: order.src_amount };
        match self.screening.check(request).await {
            Ok(()) => Ok(true),
            Err(ScreeningError::Refused) => Ok(false),
            Err(ScreeningError::Unavailable(error)) => Err(ActionError::Temporary(error.to_string())),
        }
    }
}
