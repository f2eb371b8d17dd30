use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::OnRamp;
use causeway_engine::fiat::{
    FiatQuoteOptions, FiatServices, FiatSignal, OrderFiat, OrderFiatOptions, OrderFiatParts, QuoteFiat,
    QuoteFiatParts, RampHealth, Ramps, ReceiveWebhook, ReceiveWebhookParts, RefreshFiat, WorkFiat,
    WorkFiatParts,
};
use causeway_engine::{ForwardFunds, RequestQuote};
use causeway_http::Metrics;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::boot::parts::app_context::AppContext;
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::forwarding::{hubs, wallets};
use crate::boot::parts::onramp_providers::{payout_watches, providers, refresh_asset_lists};
use crate::boot::parts::orders::Orders;
use crate::boot::parts::sandbox_onramps::SandboxOnRamps;

/// How long the background tasks may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Fiat purchases.
pub(crate) struct Fiat {
    work: Arc<WorkFiat>,
    /// The configured providers, whose asset lists are refreshed.
    providers: Vec<Arc<dyn OnRamp>>,
    tasks: JoinSet<()>,
}

impl Fiat {
    /// Creates it, and the services for the HTTP API. Without providers there are no offers, and no error.
    pub(crate) fn open(
        context: &AppContext<'_>,
        orders: &Orders,
        sandbox: &SandboxOnRamps,
        request_quote: &RequestQuote,
        forwarding: Arc<ForwardFunds>,
    ) -> anyhow::Result<(Self, FiatServices)> {
        let AppContext { config, catalog, store, row_keys, .. } = *context;
        let settings = &config.fiat;
        let pauses = Arc::clone(request_quote.fillers().pauses());
        let configured = if settings.enabled {
            providers(&config.onramps, catalog, Some(store.clone()))?
        } else {
            Vec::new()
        };
        let sandbox = if settings.enabled { sandbox.providers.as_slice() } else { &[] };
        let ramps = sandbox.iter().chain(&configured).cloned().collect();
        let ramps = Ramps::new(ramps).with_pauses(pauses);
        let hubs = hubs(context, orders);
        let signal = Arc::<FiatSignal>::default();
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
            deposit_builders: orders.deposit_builders.clone(),
            forwarding_signers: orders.forwarding_signers.clone(),
            wallets: wallets(context),
            row_keys: Arc::clone(row_keys),
            signal: Arc::clone(&signal),
            screening: context.screening.clone(),
            options: OrderFiatOptions {
                pay_within: settings.pay_within(),
                provider_timeout: settings.provider_timeout(),
                ..OrderFiatOptions::default()
            },
        });
        let webhook = ReceiveWebhook::new(ReceiveWebhookParts {
            ramps: ramps.clone(),
            store: store.clone(),
            row_keys: Arc::clone(row_keys),
            signal: Arc::clone(&signal),
        });
        let work = Arc::new(WorkFiat::new(WorkFiatParts {
            store: store.clone(),
            ramps: ramps.clone(),
            forwarding,
            payouts: payout_watches(context.clients, &ChainPolicies::of(config.mode, catalog))?,
            row_keys: Arc::clone(row_keys),
            cursors: Arc::clone(&orders.cursors),
            signal,
            provider_timeout: settings.provider_timeout(),
        }));
        let refresh = RefreshFiat::new(Arc::clone(&work));
        let checkout_keys = orders.quote_keys.clone();
        let services =
            FiatServices { ramps, hubs, quote, order, webhook, refresh, store: store.clone(), checkout_keys };
        Ok((Self { work, providers: configured, tasks: JoinSet::new() }, services))
    }

    /// Works on purchases until `stop`.
    pub(crate) fn start(&mut self, stop: &CancellationToken) {
        self.tasks.spawn(Arc::clone(&self.work).run(stop.clone()));
        for ramp in &self.providers {
            self.tasks.spawn(refresh_asset_lists(Arc::clone(ramp), stop.clone()));
        }
    }

    /// Waits until all tasks have stopped.
    pub(crate) async fn wait_stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!("work on purchases did not stop in time; it continues at the next start");
        }
    }
}

/// A counter's name, its help text and how it is read.
type Counter = (&'static str, &'static str, fn(&RampHealth) -> u64);

/// Registers how the providers of purchases have answered.
pub(crate) fn watch_ramps(metrics: &Metrics, ramps: &Ramps) {
    let counters: [Counter; 2] = [
        ("onramp_answers", "Answers of a provider of purchases, refusals among them", |health| {
            health.answers
        }),
        ("onramp_faults", "Times that a provider of purchases did not answer, or nonsense", |health| {
            health.faults
        }),
    ];
    for (name, help, value) in counters {
        let ramps = ramps.clone();
        let read = move || {
            let healths = ramps.health().into_iter();
            healths.map(|(provider, health)| ([provider], value(&health))).collect()
        };
        metrics.register_counters(name, help, ["provider"], read);
    }
}
