use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::GasFeed;
use causeway_domain::{ChainId, QuoteKey, QuoteKeys, RawAmount, RowKeys};
use causeway_engine::fiat::{
    FiatQuoteOptions, FiatServices, FiatSignal, Hubs, OrderFiat, OrderFiatOptions, OrderFiatParts, QuoteFiat,
    QuoteFiatParts, Ramps, ReceiveWebhook, ReceiveWebhookParts, RefreshFiat, WorkFiat, WorkFiatParts,
};
use causeway_engine::{ForwardFunds, ForwardingParts, RequestQuote};
use causeway_prices::FixedPrices;
use causeway_store::Store;
use jiff::SignedDuration;

use crate::no_deposits;

const TIMEOUT: Duration = Duration::from_secs(10);

/// A gas feed without prices.
#[derive(Debug)]
struct NoGas;

impl GasFeed for NoGas {
    fn price(&self, _: ChainId) -> Option<RawAmount> {
        None
    }
}

/// Fiat services without providers.
pub fn no_fiat(
    catalog: Arc<Catalog>,
    store: Arc<Store>,
    row_keys: Arc<RowKeys>,
    request_quote: RequestQuote,
) -> FiatServices {
    let (ramps, hubs) = (Ramps::new(Vec::new()), Hubs { evm: None, solana: None });
    let signal = Arc::<FiatSignal>::default();
    let quote = QuoteFiat::new(QuoteFiatParts {
        catalog: Arc::clone(&catalog),
        ramps: ramps.clone(),
        request_quote: request_quote.clone(),
        store: store.clone(),
        row_keys: Arc::clone(&row_keys),
        hubs,
        options: FiatQuoteOptions {
            provider_timeout: TIMEOUT,
            ttl: SignedDuration::from_mins(1),
            slippage_bps: 100,
        },
    });
    let order = OrderFiat::new(OrderFiatParts {
        store: store.clone(),
        ramps: ramps.clone(),
        deposit_builders: HashMap::new(),
        forwarding_signers: HashMap::new(),
        wallets: HashMap::new(),
        row_keys: Arc::clone(&row_keys),
        signal: Arc::clone(&signal),
        screening: None,
        options: OrderFiatOptions::default(),
    });
    let webhook = ReceiveWebhook::new(ReceiveWebhookParts {
        ramps: ramps.clone(),
        store: store.clone(),
        row_keys: Arc::clone(&row_keys),
        signal: Arc::clone(&signal),
    });
    let (build, _) = no_deposits(Arc::clone(&catalog), store.clone(), Arc::clone(&row_keys));
    let forwarding = ForwardFunds::new(ForwardingParts {
        orders: store.clone(),
        facts: store.clone(),
        request_quote,
        build,
        watches: HashMap::new(),
        forwarding_signers: HashMap::new(),
        relayers: HashMap::new(),
        prices: Arc::new(FixedPrices::default()),
        gas: Arc::new(NoGas),
        catalog,
        cursors: Arc::default(),
        swap_within: SignedDuration::from_mins(1),
    });
    let work = WorkFiat::new(WorkFiatParts {
        store: store.clone(),
        ramps: ramps.clone(),
        forwarding: Arc::new(forwarding),
        payouts: HashMap::new(),
        row_keys,
        cursors: Arc::default(),
        signal,
        provider_timeout: TIMEOUT,
    });
    let refresh = RefreshFiat::new(Arc::new(work));
    let checkout_keys = QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() };
    FiatServices { ramps, hubs, quote, order, webhook, refresh, store, checkout_keys }
}
