use std::collections::HashMap;
use std::sync::Arc;

use causeway_domain::ports::{AddressWatch, WalletCheck};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, TokenId};
use causeway_engine::fiat::Hubs;
use causeway_engine::{ForwardFunds, ForwardingParts, JoinParts, JoinRoutes, RequestQuote};
use causeway_evm::orders::{EvmAddressWatch, EvmWalletCheck};
use causeway_solana::orders::{SolanaAddressWatch, SolanaWalletCheck};

use crate::boot::parts::app_context::AppContext;
use crate::boot::parts::orders::Orders;

/// The chain where forwarding orders to EVM chains start.
const EVM_HUB: u64 = 8453;

/// The token they start from.
const STABLECOIN: &str = "usd-coin";

/// Swaps or returns what arrives at the forwarding addresses of purchases and joined routes.
pub(crate) fn open_forwarding(
    context: &AppContext<'_>,
    orders: &Orders,
    request_quote: &RequestQuote,
) -> Arc<ForwardFunds> {
    let AppContext { config, catalog, store, market, .. } = *context;
    Arc::new(ForwardFunds::new(ForwardingParts {
        orders: store.clone(),
        facts: store.clone(),
        request_quote: request_quote.clone(),
        build: orders.build_deposit(market),
        watches: watches(context, hubs(context, orders)),
        forwarding_signers: orders.forwarding_signers.clone(),
        relayers: orders.relayers.clone(),
        prices: Arc::clone(&market.prices),
        gas: market.gas(),
        catalog: Arc::clone(catalog),
        cursors: Arc::clone(&orders.cursors),
        swap_within: config.fiat.swap_within(),
    }))
}

/// Joins two routes where nobody offers one, if a provider is configured and `liquidity.join` says so.
pub(crate) fn joined_routes(
    context: &AppContext<'_>,
    orders: &Orders,
    request_quote: &RequestQuote,
) -> Option<Arc<JoinRoutes>> {
    let settings = &context.config.liquidity;
    let parts = JoinParts {
        catalog: Arc::clone(context.catalog),
        request_quote: request_quote.clone(),
        liquidity: context.liquidity.clone(),
        hubs: hubs(context, orders),
        forwarding_signers: orders.forwarding_signers.clone(),
        wallets: wallets(context),
    };
    (settings.join && settings.count() > 0).then(|| Arc::new(JoinRoutes::new(parts)))
}

/// The stablecoin of each chain where forwarding orders may start.
pub(crate) fn hubs(context: &AppContext<'_>, orders: &Orders) -> Hubs {
    let snapshot = context.catalog.snapshot();
    let stable = |chain: ChainId| -> Option<TokenId> {
        let starts = orders.forwarding_signers.contains_key(&chain) && orders.relayers.contains_key(&chain);
        let asset = snapshot.assets().iter().find(|asset| asset.coin == STABLECOIN).filter(|_| starts)?;
        asset.tokens.iter().copied().find(|token| token.chain() == chain)
    };
    Hubs { evm: ChainId::new(EVM_HUB).and_then(stable), solana: stable(SOLANA_CHAIN_ID) }
}

/// The wallet check of every chain.
pub(crate) fn wallets(context: &AppContext<'_>) -> HashMap<ChainId, Arc<dyn WalletCheck>> {
    let mut wallets: HashMap<ChainId, Arc<dyn WalletCheck>> = HashMap::new();
    for client in &context.clients.evm {
        wallets.insert(client.chain_id(), Arc::new(EvmWalletCheck::new(client.clone())));
    }
    wallets.insert(SOLANA_CHAIN_ID, Arc::new(SolanaWalletCheck));
    wallets
}

fn watches(context: &AppContext<'_>, hubs: Hubs) -> HashMap<ChainId, Arc<dyn AddressWatch>> {
    let mut watches: HashMap<ChainId, Arc<dyn AddressWatch>> = HashMap::new();
    if let Some(client) = hubs.evm.and_then(|hub| context.clients.evm(hub.chain())) {
        watches.insert(client.chain_id(), Arc::new(EvmAddressWatch::new(client.clone())));
    }
    if let Some(rpc) = context.clients.solana.as_ref().filter(|_| hubs.solana.is_some()) {
        watches.insert(SOLANA_CHAIN_ID, Arc::new(SolanaAddressWatch::new(rpc.clone())));
    }
    watches
}
