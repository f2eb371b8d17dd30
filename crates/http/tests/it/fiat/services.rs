use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, keccak256};
use async_trait::async_trait;
use causeway_catalog::Catalog;
use causeway_domain::ports::{
    ChainError, DepositBuilder, ForwardingSigner, GasFeed, OnRamp, PriceFeed, SigningError, WalletCheck,
};
use causeway_domain::{Address, ChainId, QuoteKey, QuoteKeys, RawAmount, RowKeys, SignatureBytes};
use causeway_engine::fiat::{
    FiatQuoteOptions, FiatServices, FiatSignal, Hubs, OrderFiat, OrderFiatOptions, OrderFiatParts, QuoteFiat,
    QuoteFiatParts, Ramps, ReceiveWebhook, ReceiveWebhookParts, RefreshFiat, WorkFiat, WorkFiatParts,
};
use causeway_engine::{BuildDeposit, ChainCursors, ForwardFunds, ForwardingParts, RequestQuote};
use causeway_testing::MemoryStore;
use causeway_testing::sample::{chain, usdc};
use jiff::SignedDuration;

use super::ramp::FakeRamp;

/// The parts of the fiat services under test.
#[derive(Default)]
pub(crate) struct FiatParts {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) ramps: Vec<Arc<FakeRamp>>,
}

/// The parts that the fiat services share with the rest of the service.
pub(crate) struct SharedParts {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) request_quote: RequestQuote,
    pub(crate) build: BuildDeposit,
    pub(crate) ledger: Arc<MemoryStore>,
    pub(crate) deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>>,
    pub(crate) prices: Arc<dyn PriceFeed>,
    pub(crate) row_keys: Arc<RowKeys>,
}

impl FiatParts {
    /// The real engine over a fake store and fake providers.
    pub(crate) fn services(self, shared: SharedParts) -> FiatServices {
        let Self { store, ramps } = self;
        let SharedParts { catalog, request_quote, build, ledger, deposit_builders, prices, row_keys } =
            shared;
        let ramps = Ramps::new(ramps.into_iter().map(|ramp| ramp as Arc<dyn OnRamp>).collect());
        let hubs = Hubs { evm: Some(usdc()), solana: None };
        let signal = Arc::new(FiatSignal::default());
        let hub: Arc<dyn ForwardingSigner> = Arc::new(Hub);
        let forwarding_signers = HashMap::from([(chain(8453), hub)]);
        let wallets =
            [1, 8453, 42161].map(|id| (chain(id), Arc::new(Wallets(chain(id))) as Arc<dyn WalletCheck>));
        let forwarding = ForwardFunds::new(ForwardingParts {
            orders: ledger.clone(),
            facts: ledger,
            request_quote: request_quote.clone(),
            build,
            watches: HashMap::new(),
            forwarding_signers: forwarding_signers.clone(),
            relayers: HashMap::new(),
            prices,
            gas: Arc::new(NoGas),
            catalog: Arc::clone(&catalog),
            cursors: Arc::new(ChainCursors::default()),
            swap_within: SignedDuration::from_mins(10),
        });
        let work = WorkFiat::new(WorkFiatParts {
            store: store.clone(),
            ramps: ramps.clone(),
            forwarding: Arc::new(forwarding),
            payouts: HashMap::new(),
            row_keys: Arc::clone(&row_keys),
            cursors: Arc::new(ChainCursors::default()),
            signal: Arc::clone(&signal),
            provider_timeout: Duration::from_secs(1),
        });
        FiatServices {
            checkout_keys: checkout_keys(),
            ramps: ramps.clone(),
            hubs,
            quote: QuoteFiat::new(QuoteFiatParts {
                catalog,
                ramps: ramps.clone(),
                request_quote,
                store: store.clone(),
                row_keys: Arc::clone(&row_keys),
                hubs,
                options: FiatQuoteOptions::default(),
            }),
            order: OrderFiat::new(OrderFiatParts {
                store: store.clone(),
                ramps: ramps.clone(),
                deposit_builders,
                forwarding_signers,
                wallets: HashMap::from(wallets),
                row_keys: Arc::clone(&row_keys),
                signal: Arc::clone(&signal),
                screening: None,
                options: OrderFiatOptions::default(),
            }),
            webhook: ReceiveWebhook::new(ReceiveWebhookParts {
                ramps,
                store: store.clone(),
                row_keys,
                signal,
            }),
            refresh: RefreshFiat::new(Arc::new(work)),
            store,
        }
    }
}

/// The forwarding signer on Base.
struct Hub;

#[async_trait]
impl ForwardingSigner for Hub {
    fn chain(&self) -> ChainId {
        chain(8453)
    }

    fn maker(&self) -> B256 {
        EvmAddress::repeat_byte(0x3a).into_word()
    }

    fn address_for(&self, jump: B256) -> Address {
        Address::Evm(EvmAddress::from_word(keccak256(jump)))
    }

    async fn sign_open(&self, _: B256, _: B256) -> Result<SignatureBytes, SigningError> {
        Err(SigningError::Key("nothing is signed here".to_owned()))
    }

    async fn sign_release(&self, _: B256) -> Result<SignatureBytes, SigningError> {
        Err(SigningError::Key("nothing is signed here".to_owned()))
    }
}

/// Every address is a wallet.
struct Wallets(ChainId);

#[async_trait]
impl WalletCheck for Wallets {
    fn chain(&self) -> ChainId {
        self.0
    }

    async fn is_wallet(&self, _: Address) -> Result<bool, ChainError> {
        Ok(true)
    }
}

struct NoGas;

impl GasFeed for NoGas {
    fn price(&self, _: ChainId) -> Option<RawAmount> {
        None
    }
}

/// The keys of checkout pages.
pub(crate) fn checkout_keys() -> QuoteKeys {
    QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() }
}
