use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use causeway_catalog::Catalog;
use causeway_domain::ports::{OnRamp, PayoutWatch, RampTokens};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, Token};
use causeway_evm::orders::{EvmPayoutWatch, OrderFinality};
use causeway_onramps::banxa::Banxa;
use causeway_onramps::coinbase::Coinbase;
use causeway_onramps::moonpay::MoonPay;
use causeway_onramps::transak::Transak;
use causeway_onramps::transport::Patience;
use causeway_solana::orders::SolanaPayoutWatch;
use tokio_util::sync::CancellationToken;

use crate::chains::Clients;
use crate::config::{Mode, OnrampsConfig};

/// How often providers are asked what they sell, and how soon again when one did not answer.
const LISTS_EVERY: Duration = Duration::from_mins(15);
const LISTS_AGAIN: Duration = Duration::from_mins(1);

/// The providers that the operator has accounts with. `tokens` is where replicas share what they may fetch only once.
pub(crate) fn providers(
    config: &OnrampsConfig,
    catalog: &Catalog,
    tokens: Option<Arc<dyn RampTokens>>,
) -> anyhow::Result<Vec<Arc<dyn OnRamp>>> {
    let patience = Patience::default();
    let mut ramps: Vec<Arc<dyn OnRamp>> = Vec::new();
    let failed = |name: &'static str| move |words: String| anyhow!("onramps.{name}: {words}");
    if let Some(config) = config.transak.clone() {
        let transak = Transak::new(config, patience).map_err(failed("transak"))?;
        ramps.push(match tokens {
            Some(tokens) => Arc::new(transak.sharing(tokens)),
            None => Arc::new(transak),
        });
    }
    if let Some(config) = config.moonpay.clone() {
        ramps.push(Arc::new(MoonPay::new(config, patience).map_err(failed("moonpay"))?));
    }
    if let Some(config) = config.coinbase.clone() {
        let assets = listed(catalog);
        ramps.push(Arc::new(Coinbase::new(config, assets, patience).map_err(failed("coinbase"))?));
    }
    if let Some(config) = config.banxa.clone() {
        ramps.push(Arc::new(Banxa::new(config, listed(catalog), patience).map_err(failed("banxa"))?));
    }
    Ok(ramps)
}

/// Providers name tokens in their own way; these are the ones that they may mean.
fn listed(catalog: &Catalog) -> Vec<Token> {
    let snapshot = catalog.snapshot();
    let chains: Vec<ChainId> =
        snapshot.chains().iter().filter(|chain| chain.enabled).map(|chain| chain.id).collect();
    snapshot.top(&chains).into_iter().map(|listed| listed.token.clone()).collect()
}

/// Keeps what a provider sells up to date, until `stop`.
pub(crate) async fn keep_lists(ramp: Arc<dyn OnRamp>, stop: CancellationToken) {
    loop {
        let wait = match ramp.refresh().await {
            Ok(()) => LISTS_EVERY,
            Err(error) => {
                let provider = &ramp.profile().id;
                tracing::warn!(provider, %error, "a provider does not say what it sells");
                LISTS_AGAIN
            }
        };
        if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
            return;
        }
    }
}

/// Where deliveries are looked for: on every chain that we can read.
pub(crate) fn payout_watches(clients: &Clients, mode: Mode) -> HashMap<ChainId, Arc<dyn PayoutWatch>> {
    let mut watches: HashMap<ChainId, Arc<dyn PayoutWatch>> = HashMap::new();
    for client in &clients.evm {
        let finality = match mode {
            Mode::Sandbox => OrderFinality::sandbox(),
            Mode::Production => OrderFinality::for_chain(client.chain_id()),
        };
        let watch = EvmPayoutWatch::new(client.clone(), finality.usual);
        watches.insert(client.chain_id(), Arc::new(watch));
    }
    if let Some(rpc) = &clients.solana {
        watches.insert(SOLANA_CHAIN_ID, Arc::new(SolanaPayoutWatch::new(rpc.clone())));
    }
    watches
}
