use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use causeway_domain::ports::{Filler, LiquidityProvider, ProviderPayments, RequestBudgets};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID};
use causeway_engine::{Fillers, Liquidity, LiquidityParts};
use causeway_evm::EvmClient;
use causeway_evm::orders::EvmProviderPayments;
use causeway_fillers::providers::jupiter::Jupiter;
use causeway_fillers::providers::lifi::Lifi;
use causeway_fillers::providers::oneclick::OneClick;
use causeway_fillers::providers::relay::Relay;
use causeway_fillers::providers::zerox::Zerox;
use causeway_solana::orders::SolanaProviderPayments;
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
    let chains = clients.evm.iter().map(EvmClient::chain_id).chain([SOLANA_CHAIN_ID]);
    let payments = chains.filter_map(|chain| Some((chain, payments_on(clients, chain)?))).collect();
    let payouts = payout_watches(clients, policies)?;
    Ok(Liquidity::new(LiquidityParts { providers, payments, payouts, fillers: Some(fillers.clone()) }))
}

/// Builds and recognizes payments to providers on a chain; `None` without an endpoint of it.
pub(crate) fn payments_on(clients: &ChainClients, chain: ChainId) -> Option<Arc<dyn ProviderPayments>> {
    if chain == SOLANA_CHAIN_ID {
        let rpc = clients.solana.clone()?;
        return Some(Arc::new(SolanaProviderPayments::new(rpc)));
    }
    let client = clients.evm(chain)?;
    Some(Arc::new(EvmProviderPayments::new(client.clone())))
}

/// The configured providers; nothing is sent to them yet. Without a store their limits are those of this process.
pub(crate) fn providers(
    config: &LiquidityConfig,
    budgets: Option<&Arc<dyn RequestBudgets>>,
) -> anyhow::Result<Vec<Configured>> {
    let mut all = Vec::new();
    // Each of them is created alike; with a store, its limits are those of all processes.
    macro_rules! open {
        ($section:ident, $provider:ident) => {
            if let Some(config) = &config.$section {
                let made = $provider::new(config.clone());
                let made = made.context(concat!("liquidity.", stringify!($section)))?;
                let made = Arc::new(match budgets {
                    Some(budgets) => made.with_budgets(budgets),
                    None => made,
                });
                all.push(Configured { filler: made.clone(), provider: made, deadline: config.deadline() });
            }
        };
    }
    open!(lifi, Lifi);
    open!(relay, Relay);
    open!(oneclick, OneClick);
    open!(zerox, Zerox);
    open!(jupiter, Jupiter);
    Ok(all)
}
