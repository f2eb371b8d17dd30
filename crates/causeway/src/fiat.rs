use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{AddressWatch, OnRamp, WalletCheck};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, TokenId};
use causeway_engine::RequestQuote;
use causeway_engine::fiat::{
    FiatBell, FiatDesk, FiatQuoteOptions, Hubs, OrderFiat, OrderFiatOptions, OrderFiatParts, QuoteFiat,
    QuoteFiatParts, Ramps, RefreshFiat, TakeWebhook, TakeWebhookParts, WorkFiat, WorkFiatParts,
};
use causeway_evm::orders::{EvmAddressWatch, EvmWalletCheck};
use causeway_solana::orders::{SolanaAddressWatch, SolanaWalletCheck};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::onramps::PlayRamps;
use crate::orders::{Orders, Surroundings};
use crate::providers::{keep_lists, payout_watches, providers};

/// Where jumps to EVM chains start.
const EVM_HUB: u64 = 8453;

/// What they start from.
const STABLECOIN: &str = "usd-coin";

/// How long what runs for purchases may take to stop.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// Everything that sells crypto for fiat.
pub(crate) struct Fiat {
    work: Arc<WorkFiat>,
    /// Those elsewhere, whose lists are kept up to date.
    providers: Vec<Arc<dyn OnRamp>>,
    tasks: JoinSet<()>,
}

impl Fiat {
    /// Puts it together, with what the door needs of it; without providers nothing is sold, and nothing fails.
    pub(crate) fn open(
        around: &Surroundings<'_>,
        orders: &Orders,
        play: &PlayRamps,
        request_quote: &RequestQuote,
    ) -> anyhow::Result<(Self, FiatDesk)> {
        let Surroundings { config, catalog, store, row_keys, market, .. } = *around;
        let settings = &config.fiat;
        let pauses = Arc::clone(request_quote.fillers().pauses());
        let real = if settings.enabled {
            providers(&config.onramps, catalog, Some(store.clone()))?
        } else {
            Vec::new()
        };
        let play = if settings.enabled { play.providers.as_slice() } else { &[] };
        let ramps = play.iter().chain(&real).cloned().collect();
        let ramps = Ramps::new(ramps).heeding(pauses);
        let hubs = hubs(around, orders);
        let bell = Arc::<FiatBell>::default();
        let quote = QuoteFiat::new(QuoteFiatParts {
            catalog: Arc::clone(catalog),
            ramps: ramps.clone(),
            request_quote: request_quote.clone(),
            store: store.clone(),
            row_keys: Arc::clone(row_keys),
            hubs,
            options: FiatQuoteOptions {
                provider_timeout: settings.provider_timeout(),
                ttl: settings.quotes_for(),
                slippage_bps: settings.slippage_bps,
            },
        });
        let order = OrderFiat::new(OrderFiatParts {
            store: store.clone(),
            ramps: ramps.clone(),
            desks: orders.desks.clone(),
            jump_desks: orders.jump_desks.clone(),
            wallets: wallets(around),
            row_keys: Arc::clone(row_keys),
            bell: Arc::clone(&bell),
            screening: around.screening.clone(),
            options: OrderFiatOptions {
                pay_within: settings.pay_within(),
                provider_timeout: settings.provider_timeout(),
                ..OrderFiatOptions::default()
            },
        });
        let webhook = TakeWebhook::new(TakeWebhookParts {
            ramps: ramps.clone(),
            store: store.clone(),
            row_keys: Arc::clone(row_keys),
            bell: Arc::clone(&bell),
        });
        let work = Arc::new(WorkFiat::new(WorkFiatParts {
            store: store.clone(),
            orders: store.clone(),
            facts: store.clone(),
            ramps: ramps.clone(),
            request_quote: request_quote.clone(),
            build: orders.build_deposit(market),
            payouts: payout_watches(around.clients, config.mode),
            watches: watches(around, hubs),
            jump_desks: orders.jump_desks.clone(),
            relayers: orders.relayers.clone(),
            prices: Arc::clone(&market.prices),
            gas: market.gas(),
            catalog: Arc::clone(catalog),
            row_keys: Arc::clone(row_keys),
            marks: Arc::clone(&orders.marks),
            bell,
            provider_timeout: settings.provider_timeout(),
            swap_within: settings.swap_within(),
        }));
        let refresh = RefreshFiat::new(Arc::clone(&work));
        let desk = FiatDesk { ramps, hubs, quote, order, webhook, refresh, store: store.clone() };
        Ok((Self { work, providers: real, tasks: JoinSet::new() }, desk))
    }

    /// Begins to take purchases to their end, until `stop`.
    pub(crate) fn start(&mut self, stop: &CancellationToken) {
        self.tasks.spawn(Arc::clone(&self.work).work(stop.clone()));
        for ramp in &self.providers {
            self.tasks.spawn(keep_lists(Arc::clone(ramp), stop.clone()));
        }
    }

    /// Waits until all of it has stopped.
    pub(crate) async fn stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_WITHIN, all).await.is_err() {
            tracing::warn!(
                "work on purchases did not stop in time; what was begun is gone on with at the next start"
            );
        }
    }
}

/// The stablecoin of each chain on which jumps may start.
fn hubs(around: &Surroundings<'_>, orders: &Orders) -> Hubs {
    let snapshot = around.catalog.snapshot();
    let stable = |chain: ChainId| -> Option<TokenId> {
        let starts = orders.jump_desks.contains_key(&chain) && orders.relayers.contains_key(&chain);
        let asset = snapshot.assets().iter().find(|asset| asset.coin == STABLECOIN).filter(|_| starts)?;
        asset.tokens.iter().copied().find(|token| token.chain() == chain)
    };
    Hubs { evm: ChainId::new(EVM_HUB).and_then(stable), solana: stable(SOLANA_CHAIN_ID) }
}

/// Every chain on which somebody may be refunded or paid.
fn wallets(around: &Surroundings<'_>) -> HashMap<ChainId, Arc<dyn WalletCheck>> {
    let mut wallets: HashMap<ChainId, Arc<dyn WalletCheck>> = HashMap::new();
    for client in &around.clients.evm {
        wallets.insert(client.chain_id(), Arc::new(EvmWalletCheck::new(client.clone())));
    }
    wallets.insert(SOLANA_CHAIN_ID, Arc::new(SolanaWalletCheck));
    wallets
}

fn watches(around: &Surroundings<'_>, hubs: Hubs) -> HashMap<ChainId, Arc<dyn AddressWatch>> {
    let mut watches: HashMap<ChainId, Arc<dyn AddressWatch>> = HashMap::new();
    if let Some(client) = hubs.evm.and_then(|hub| around.clients.evm(hub.chain())) {
        watches.insert(client.chain_id(), Arc::new(EvmAddressWatch::new(client.clone())));
    }
    if let Some(rpc) = around.clients.solana.as_ref().filter(|_| hubs.solana.is_some()) {
        watches.insert(SOLANA_CHAIN_ID, Arc::new(SolanaAddressWatch::new(rpc.clone())));
    }
    watches
}
