use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use causeway_catalog::Catalog;
use causeway_domain::ports::{FiatStore, OnRamp, PayoutWatch};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, Token};
use causeway_evm::orders::EvmPayoutWatch;
use causeway_onramps::banxa::Banxa;
use causeway_onramps::coinbase::Coinbase;
use causeway_onramps::moonpay::MoonPay;
use causeway_onramps::transak::Transak;
use causeway_onramps::transport::RetryPolicy;
use causeway_solana::orders::SolanaPayoutWatch;
use tokio_util::sync::CancellationToken;

use crate::boot::config::OnrampsConfig;
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::chain_policy::ChainPolicies;

/// How often the providers' asset lists are read, and how soon after a failure.
const ASSET_LIST_INTERVAL: Duration = Duration::from_mins(15);
const ASSET_LIST_RETRY: Duration = Duration::from_mins(1);

/// The configured providers. Replicas share access tokens through `tokens`.
pub(crate) fn providers(
    config: &OnrampsConfig,
    catalog: &Catalog,
    tokens: Option<Arc<dyn FiatStore>>,
) -> anyhow::Result<Vec<Arc<dyn OnRamp>>> {
    let retry_policy = RetryPolicy::default();
    let mut ramps: Vec<Arc<dyn OnRamp>> = Vec::new();
    let failed = |name: &'static str| move |words: String| anyhow!("onramps.{name}: {words}");
    if let Some(config) = config.transak.clone() {
        let transak = Transak::new(config, retry_policy).map_err(failed("transak"))?;
        ramps.push(match tokens {
            Some(tokens) => Arc::new(transak.with_shared_tokens(tokens)),
            None => Arc::new(transak),
        });
    }
    if let Some(config) = config.moonpay.clone() {
        ramps.push(Arc::new(MoonPay::new(config, retry_policy).map_err(failed("moonpay"))?));
    }
    if let Some(config) = config.coinbase.clone() {
        let assets = listed(catalog);
        ramps.push(Arc::new(Coinbase::new(config, assets, retry_policy).map_err(failed("coinbase"))?));
    }
    if let Some(config) = config.banxa.clone() {
        ramps.push(Arc::new(Banxa::new(config, listed(catalog), retry_policy).map_err(failed("banxa"))?));
    }
    Ok(ramps)
}

/// The well-known tokens, to match the providers' own token names against.
fn listed(catalog: &Catalog) -> Vec<Token> {
    let snapshot = catalog.snapshot();
    let chains: Vec<ChainId> =
        snapshot.chains().iter().filter(|chain| chain.is_read()).map(|chain| chain.id).collect();
    snapshot.top(&chains).into_iter().map(|listed| listed.token.clone()).collect()
}

/// Refreshes a provider's asset list until `stop`.
pub(crate) async fn refresh_asset_lists(ramp: Arc<dyn OnRamp>, stop: CancellationToken) {
    loop {
        let wait = match ramp.refresh().await {
            Ok(()) => ASSET_LIST_INTERVAL,
            Err(error) => {
                let provider = &ramp.profile().id;
                tracing::warn!(provider, %error, "asset list of an on-ramp provider unavailable");
                ASSET_LIST_RETRY
            }
        };
        if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
            return;
        }
    }
}

/// The watch for provider payouts on every connected chain.
pub(crate) fn payout_watches(
    clients: &ChainClients,
    policies: &ChainPolicies,
) -> anyhow::Result<HashMap<ChainId, Arc<dyn PayoutWatch>>> {
    let mut watches: HashMap<ChainId, Arc<dyn PayoutWatch>> = HashMap::new();
    for client in &clients.evm {
        let finality = policies.order_finality(client.chain_id())?;
        let watch = EvmPayoutWatch::new(client.clone(), finality.usual);
        watches.insert(client.chain_id(), Arc::new(watch));
    }
    if let Some(rpc) = &clients.solana {
        watches.insert(SOLANA_CHAIN_ID, Arc::new(SolanaPayoutWatch::new(rpc.clone())));
    }
    Ok(watches)
}
