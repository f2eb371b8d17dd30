use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ChainId;
use causeway_domain::ports::{LiquidityProvider, PayoutWatch, ProviderPayments};

use crate::fillers::Fillers;

/// For how long a provider is not asked after its answer contradicted its own route.
const REST: Duration = Duration::from_mins(10);

/// The liquidity providers, which settle through contracts of their own, and what their orders are checked with.
#[derive(Clone, Default)]
pub struct Liquidity {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// By their names as fillers.
    providers: HashMap<String, Arc<dyn LiquidityProvider>>,
    payments: HashMap<ChainId, Arc<dyn ProviderPayments>>,
    payouts: HashMap<ChainId, Arc<dyn PayoutWatch>>,
    fillers: Option<Fillers>,
}

/// The inputs of [`Liquidity::new`].
#[derive(Default)]
pub struct LiquidityParts {
    pub providers: Vec<Arc<dyn LiquidityProvider>>,
    pub payments: HashMap<ChainId, Arc<dyn ProviderPayments>>,
    /// Find on every chain what providers deliver and return.
    pub payouts: HashMap<ChainId, Arc<dyn PayoutWatch>>,
    /// Where a provider that lied is rested.
    pub fillers: Option<Fillers>,
}

impl fmt::Debug for LiquidityParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiquidityParts").finish_non_exhaustive()
    }
}

impl fmt::Debug for Liquidity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.shared.providers.keys()).finish()
    }
}

impl Liquidity {
    pub fn new(parts: LiquidityParts) -> Self {
        let LiquidityParts { providers, payments, payouts, fillers } = parts;
        let named = |provider: Arc<dyn LiquidityProvider>| (provider.name().to_owned(), provider);
        let providers = providers.into_iter().map(named).collect();
        Self { shared: Arc::new(Shared { providers, payments, payouts, fillers }) }
    }

    pub(crate) fn has_providers(&self) -> bool {
        !self.shared.providers.is_empty()
    }

    pub(crate) fn provider(&self, name: &str) -> Option<&Arc<dyn LiquidityProvider>> {
        self.shared.providers.get(name)
    }

    pub(crate) fn payments(&self, chain: ChainId) -> Option<&dyn ProviderPayments> {
        self.shared.payments.get(&chain).map(AsRef::as_ref)
    }

    pub(crate) fn payouts(&self, chain: ChainId) -> Option<&dyn PayoutWatch> {
        self.shared.payouts.get(&chain).map(AsRef::as_ref)
    }

    /// Rests a provider whose answer contradicted its own route.
    pub(crate) fn rest(&self, name: &str, fault: &str) {
        tracing::error!(provider = name, fault, "a liquidity provider contradicted its route; it is rested");
        if let Some(fillers) = &self.shared.fillers {
            fillers.suspend(name, REST);
        }
    }
}
