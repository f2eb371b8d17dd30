use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use causeway_domain::ChainId;
use causeway_domain::ports::{Filler, LiquidityProvider, ProviderPayments, RequestBudgets};
use causeway_engine::{Fillers, Liquidity, LiquidityParts};
use causeway_evm::orders::EvmProviderPayments;
use causeway_fillers::providers::lifi::Lifi;
use causeway_fillers::providers::oneclick::OneClick;
use causeway_fillers::providers::relay::Relay;
use causeway_fillers::providers::zerox::Zerox;
use causeway_store::Store;

use crate::boot::config::LiquidityConfig;
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::onramp_providers::payout_watches;

/// A provider, and how long it may take to quote.
pub(crate) struct Configured {
    filler: Arc<dyn Filler>,
    pub(crate) provider: Arc<dyn LiquidityProvider>,
    deadline: Duration,
}

/// Creates the configured providers, adds them to those that are asked for quotes, and returns what their orders need.
pub(crate) fn open_liquidity(
    config: &LiquidityConfig,
    clients: &ChainClients,
    policies: &ChainPolicies,
    fillers: &Fillers,
    store: &Arc<Store>,
) -> anyhow::Result<Liquidity> {
    let budgets: Arc<dyn RequestBudgets> = store.clone();
    let configured = providers(config, Some(&budgets))?;
    if configured.is_empty() {
        return Ok(Liquidity::default());
    }
    let mut providers = Vec::new();
    for Configured { filler, provider, deadline } in configured {
        fillers.put(filler, Some(deadline)).context("liquidity")?;
        providers.push(provider);
    }
    let payments = clients.evm.iter().map(|client| {
        let payments: Arc<dyn ProviderPayments> = Arc::new(EvmProviderPayments::new(client.clone()));
        (client.chain_id(), payments)
    });
    let payments: HashMap<ChainId, Arc<dyn ProviderPayments>> = payments.collect();
    let payouts = payout_watches(clients, policies)?;
    Ok(Liquidity::new(LiquidityParts { providers, payments, payouts, fillers: Some(fillers.clone()) }))
}

/// The configured providers; nothing is sent to them yet. Without a store their limits are those of this process.
pub(crate) fn providers(
    config: &LiquidityConfig,
    budgets: Option<&Arc<dyn RequestBudgets>>,
) -> anyhow::Result<Vec<Configured>> {
    let mut all = Vec::new();
    if let Some(config) = &config.lifi {
        let lifi = Lifi::new(config.clone()).context("liquidity.lifi")?;
        let lifi = Arc::new(match budgets {
            Some(budgets) => lifi.with_budgets(budgets),
            None => lifi,
        });
        all.push(Configured { filler: lifi.clone(), provider: lifi, deadline: config.deadline() });
    }
    if let Some(config) = &config.relay {
        let relay = Relay::new(config.clone()).context("liquidity.relay")?;
        let relay = Arc::new(match budgets {
            Some(budgets) => relay.with_budgets(budgets),
            None => relay,
        });
        all.push(Configured { filler: relay.clone(), provider: relay, deadline: config.deadline() });
    }
    if let Some(config) = &config.oneclick {
        let oneclick = OneClick::new(config.clone()).context("liquidity.oneclick")?;
        let oneclick = Arc::new(match budgets {
            Some(budgets) => oneclick.with_budgets(budgets),
            None => oneclick,
        });
        all.push(Configured { filler: oneclick.clone(), provider: oneclick, deadline: config.deadline() });
    }
    if let Some(config) = &config.zerox {
        let zerox = Zerox::new(config.clone()).context("liquidity.zerox")?;
        let zerox = Arc::new(match budgets {
            Some(budgets) => zerox.with_budgets(budgets),
            None => zerox,
        });
        all.push(Configured { filler: zerox.clone(), provider: zerox, deadline: config.deadline() });
    }
    Ok(all)
}
