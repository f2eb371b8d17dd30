mod chain;
mod market;
mod ramp;

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::B256;
use causeway_domain::fiat::{FiatAmount, FiatAsk, FiatOrder, FiatQuote, WantedAmount};
use causeway_domain::ports::{
    AddressWatch, ChainCursor, DepositBuilder, FiatStore as _, ForwardingSigner, OnRamp, PayoutWatch,
    TxSender, WalletCheck,
};
use causeway_domain::{Address, ChainId, FiatOrderId, RouteSeal, RowKeys, TokenId};
use causeway_store::{Location, Store};
use causeway_testing::FakeForwardingSigner;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

pub(super) use chain::FakeWallets;
pub(crate) use chain::{FakeChain, FakeRelayer};
pub(crate) use market::{FakeMarket, Nothing};
pub(super) use ramp::{BRIEF, Behavior, FakeRamp, report};

use super::{
    FiatOrderRequest, FiatQuoteOptions, FiatSignal, Hubs, OrderFiat, OrderFiatOptions, OrderFiatParts,
    QuoteFiat, QuoteFiatParts, Ramps, ReceiveWebhook, ReceiveWebhookParts, WorkFiat, WorkFiatParts,
};
use crate::build_deposit::fake::{ARBITRUM, BASE, CATALOG, FakeDepositBuilder, chain, evm, quote_keys, usdc};
use crate::build_deposit::{BuildDeposit, BuildParts, OrderTiming};
use crate::chain_cursors::ChainCursors;
use crate::executors::ExecutorRegistry;
use crate::fillers::{Fillers, QuoteOptions};
use crate::forwarding::{ForwardFunds, ForwardingParts};
use crate::pauses::Pauses;
use crate::request_quote::RequestQuote;

/// Purchases over a real store and the real swap use cases, with fake providers, chains and fillers.
pub(super) struct Scene {
    pub(super) store: Arc<Store>,
    pub(super) ramps: Vec<Arc<FakeRamp>>,
    pub(super) market: Arc<FakeMarket>,
    pub(super) chain: Arc<FakeChain>,
    pub(super) relayer: Arc<FakeRelayer>,
    pub(super) wallets: Arc<FakeWallets>,
    pub(super) pauses: Arc<Pauses>,
    pub(super) quote: QuoteFiat,
    pub(super) order: OrderFiat,
    pub(super) webhook: ReceiveWebhook,
    pub(super) work: WorkFiat,
    _folder: TempDir,
}

/// The native coin of Arbitrum, which no provider here sells.
pub(super) fn target() -> TokenId {
    TokenId::native(chain(ARBITRUM))
}

pub(super) fn usd(minor: u64) -> FiatAmount {
    FiatAmount::new("USD".parse().unwrap(), minor)
}

pub(super) fn author() -> Address {
    evm(0xa1)
}

/// 100 dollars for that token.
pub(super) fn ask(target: TokenId) -> FiatAsk {
    FiatAsk {
        currency: "USD".parse().unwrap(),
        amount: WantedAmount::Pay(usd(10_000)),
        target,
        recipient: evm(0xb2),
        provider: None,
        method: None,
        refund_to: None,
        slippage_bps: None,
        country: None,
    }
}

pub(super) fn request(quote: &FiatQuote) -> FiatOrderRequest {
    FiatOrderRequest {
        quote: quote.id.clone(),
        author: author(),
        route: None,
        integrator: None,
        metadata: None,
        refund_to: None,
        origin: None,
    }
}

/// The block that the made-up chains stand at.
pub(crate) fn cursor() -> ChainCursor {
    let time = Timestamp::now().as_second().try_into().unwrap();
    ChainCursor { number: 100, hash: B256::repeat_byte(1), time }
}

impl Scene {
    /// One provider that sells USDC on Base and answers at once.
    pub(super) async fn new() -> Self {
        Self::with(vec![FakeRamp::new("card", Behavior::Sells)]).await
    }

    pub(super) async fn with(ramps: Vec<Arc<FakeRamp>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(&Location::Sqlite(folder.path().join("fiat.db"))).await.unwrap());
        let row_keys = Arc::new(RowKeys::new(0));
        let (market, fake_chain) = (FakeMarket::new(), Arc::<FakeChain>::default());
        let (relayer, wallets) = (Arc::<FakeRelayer>::default(), Arc::<FakeWallets>::default());
        let pauses = Arc::<Pauses>::default();
        let fillers =
            Fillers::with_pauses(Arc::clone(&pauses), vec![market.clone()], &QuoteOptions::default())
                .unwrap();
        let seal = Arc::new(RouteSeal::new(&quote_keys()));
        let request_quote = RequestQuote::new(Arc::clone(&CATALOG), Arc::clone(&seal), fillers);
        let all = Ramps::new(ramps.iter().map(|ramp| ramp.clone() as Arc<dyn OnRamp>).collect());
        let all = all.with_pauses(Arc::clone(&pauses));
        let deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>> = HashMap::from([
            (chain(BASE), FakeDepositBuilder::new(chain(BASE), 0xe1, 0xe2) as Arc<dyn DepositBuilder>),
            (
                chain(ARBITRUM),
                FakeDepositBuilder::new(chain(ARBITRUM), 0xd1, 0xd2) as Arc<dyn DepositBuilder>,
            ),
        ]);
        let signer: Arc<dyn ForwardingSigner> = Arc::new(FakeForwardingSigner(chain(BASE)));
        let forwarding_signers = HashMap::from([(chain(BASE), signer)]);
        let (signal, cursors) = (Arc::<FiatSignal>::default(), Arc::<ChainCursors>::default());
        cursors.set(chain(BASE), cursor());
        let check = |_| wallets.clone() as Arc<dyn WalletCheck>;
        Self {
            quote: QuoteFiat::new(QuoteFiatParts {
                catalog: Arc::clone(&CATALOG),
                ramps: all.clone(),
                request_quote: request_quote.clone(),
                store: store.clone(),
                row_keys: Arc::clone(&row_keys),
                hubs: Hubs { evm: Some(usdc()), solana: None },
                options: FiatQuoteOptions {
                    provider_timeout: Duration::from_millis(200),
                    ..FiatQuoteOptions::default()
                },
            }),
            order: OrderFiat::new(OrderFiatParts {
                store: store.clone(),
                ramps: all.clone(),
                deposit_builders: deposit_builders.clone(),
                forwarding_signers: forwarding_signers.clone(),
                wallets: [BASE, ARBITRUM].map(chain).into_iter().map(|chain| (chain, check(chain))).collect(),
                row_keys: Arc::clone(&row_keys),
                signal: Arc::clone(&signal),
                screening: None,
                options: OrderFiatOptions { reuse_for: Duration::ZERO, ..OrderFiatOptions::default() },
            }),
            webhook: ReceiveWebhook::new(ReceiveWebhookParts {
                ramps: all.clone(),
                store: store.clone(),
                row_keys: Arc::clone(&row_keys),
                signal: Arc::clone(&signal),
            }),
            work: WorkFiat::new(WorkFiatParts {
                store: store.clone(),
                ramps: all,
                forwarding: Arc::new(ForwardFunds::new(ForwardingParts {
                    orders: store.clone(),
                    facts: store.clone(),
                    request_quote,
                    build: BuildDeposit::new(BuildParts {
                        catalog: Arc::clone(&CATALOG),
                        seal,
                        orders: store.clone(),
                        deposit_builders,
                        executors: ExecutorRegistry::default(),
                        prices: Arc::new(Nothing),
                        row_keys: Arc::clone(&row_keys),
                        quote_keys: quote_keys(),
                        timing: OrderTiming::default(),
                    }),
                    watches: HashMap::from([(chain(BASE), fake_chain.clone() as Arc<dyn AddressWatch>)]),
                    forwarding_signers,
                    relayers: HashMap::from([(chain(BASE), relayer.clone() as Arc<dyn TxSender>)]),
                    prices: Arc::new(Nothing),
                    gas: Arc::new(Nothing),
                    catalog: Arc::clone(&CATALOG),
                    cursors: Arc::clone(&cursors),
                    swap_within: SignedDuration::from_mins(60),
                })),
                payouts: HashMap::from([(chain(BASE), fake_chain.clone() as Arc<dyn PayoutWatch>)]),
                row_keys,
                cursors,
                signal,
                provider_timeout: Duration::from_millis(200),
            }),
            store,
            ramps,
            market,
            chain: fake_chain,
            relayer,
            wallets,
            pauses,
            _folder: folder,
        }
    }

    pub(super) fn ramp(&self) -> &FakeRamp {
        &self.ramps[0]
    }

    /// The best quote for 100 dollars' worth of that token.
    pub(super) async fn best(&self, target: TokenId) -> FiatQuote {
        self.quote.gather(ask(target)).await.unwrap().quotes.remove(0).quote
    }

    /// A purchase of that token with a checkout.
    pub(super) async fn bought(&self, target: TokenId) -> FiatOrder {
        let quote = self.best(target).await;
        self.order.order(request(&quote)).await.unwrap()
    }

    /// The quote that a purchase came from.
    pub(super) async fn quoted(&self, order: &FiatOrder) -> FiatQuote {
        self.store.fiat_quote(&order.quote).await.unwrap().unwrap()
    }

    pub(super) async fn stored(&self, id: &FiatOrderId) -> FiatOrder {
        self.store.fiat_order(id).await.unwrap().unwrap()
    }

    /// Processes every purchase that is due within the hour.
    pub(super) async fn run_once(&self) {
        self.work.run_once(Timestamp::now() + SignedDuration::from_hours(1)).await.unwrap();
    }

    pub(super) fn checkouts(&self) -> usize {
        self.ramp().checkouts.load(Ordering::Relaxed)
    }
}

/// What several threads of a test may change.
pub(crate) type Shared<T> = Mutex<T>;
