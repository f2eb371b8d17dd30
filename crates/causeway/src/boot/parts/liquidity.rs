use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use causeway_domain::ChainId;
use causeway_domain::ports::{Filler, LiquidityProvider, ProviderPayments};
use causeway_engine::{Fillers, Liquidity, LiquidityParts};
use causeway_evm::orders::EvmProviderPayments;
use causeway_fillers::providers::lifi::Lifi;
use causeway_fillers::providers::oneclick::OneClick;
use causeway_fillers::providers::relay::Relay;

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
) -> anyhow::Result<Liquidity> {
    let configured = providers(config)?;
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

/// The configured providers; nothing is sent to them yet.
pub(crate) fn providers(config: &LiquidityConfig) -> anyhow::Result<Vec<Configured>> {
    let mut all = Vec::new();
    if let Some(config) = &config.lifi {
        let lifi = Arc::new(Lifi::new(config.clone()).context("liquidity.lifi")?);
        all.push(Configured { filler: lifi.clone(), provider: lifi, deadline: config.deadline() });
    }
    if let Some(config) = &config.relay {
        let relay = Arc::new(Relay::new(config.clone()).context("liquidity.relay")?);
        all.push(Configured { filler: relay.clone(), provider: relay, deadline: config.deadline() });
    }
    if let Some(config) = &config.oneclick {
        let oneclick = Arc::new(OneClick::new(config.clone()).context("liquidity.oneclick")?);
        all.push(Configured { filler: oneclick.clone(), provider: oneclick, deadline: config.deadline() });
    }
    Ok(all)
}
