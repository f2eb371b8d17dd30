use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, keccak256};
use async_trait::async_trait;
use causeway_catalog::Catalog;
use causeway_domain::ports::{
    ChainError, DepositDesk, GasFeed, JumpDesk, OnRamp, PriceFeed, SigningError, WalletCheck,
};
use causeway_domain::{Address, ChainId, RawAmount, RowKeys, SignatureBytes};
use causeway_engine::fiat::{
    FiatBell, FiatDesk, FiatQuoteOptions, Hubs, OrderFiat, OrderFiatOptions, OrderFiatParts, QuoteFiat,
    QuoteFiatParts, Ramps, RefreshFiat, TakeWebhook, TakeWebhookParts, WorkFiat, WorkFiatParts,
};
use causeway_engine::{BuildDeposit, Marks, RequestQuote};
use jiff::SignedDuration;

use super::ramp::FakeRamp;
use super::till::FakeTill;
use crate::ledger::FakeLedger;
use crate::sample::{chain, usdc};

/// What the fiat side of a service under test is made of.
#[derive(Default)]
pub(crate) struct FiatSide {
    pub(crate) till: Arc<FakeTill>,
    pub(crate) ramps: Vec<Arc<FakeRamp>>,
}

/// What the rest of the service lends it.
pub(crate) struct Lent {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) request_quote: RequestQuote,
    pub(crate) build: BuildDeposit,
    pub(crate) ledger: Arc<FakeLedger>,
    pub(crate) desks: HashMap<ChainId, Arc<dyn DepositDesk>>,
    pub(crate) prices: Arc<dyn PriceFeed>,
    pub(crate) row_keys: Arc<RowKeys>,
}

impl FiatSide {
    /// The real engine over a store and providers that are not.
    pub(crate) fn desk(self, lent: Lent) -> FiatDesk {
        let Self { till, ramps } = self;
        let Lent { catalog, request_quote, build, ledger, desks, prices, row_keys } = lent;
        let ramps = Ramps::new(ramps.into_iter().map(|ramp| ramp as Arc<dyn OnRamp>).collect());
        let hubs = Hubs { evm: Some(usdc()), solana: None };
        let bell = Arc::new(FiatBell::default());
        let hub: Arc<dyn JumpDesk> = Arc::new(Hub);
        let jump_desks = HashMap::from([(chain(8453), hub)]);
        let wallets =
            [1, 8453, 42161].map(|id| (chain(id), Arc::new(Wallets(chain(id))) as Arc<dyn WalletCheck>));
        let work = WorkFiat::new(WorkFiatParts {
            store: till.clone(),
            orders: ledger.clone(),
            facts: ledger,
            ramps: ramps.clone(),
            request_quote: request_quote.clone(),
            build,
            payouts: HashMap::new(),
            watches: HashMap::new(),
            jump_desks: jump_desks.clone(),
            relayers: HashMap::new(),
            prices,
            gas: Arc::new(NoGas),
            catalog: Arc::clone(&catalog),
            row_keys: Arc::clone(&row_keys),
            marks: Arc::new(Marks::default()),
            bell: Arc::clone(&bell),
            provider_timeout: Duration::from_secs(1),
            swap_within: SignedDuration::from_mins(10),
        });
        FiatDesk {
            ramps: ramps.clone(),
            hubs,
            quote: QuoteFiat::new(QuoteFiatParts {
                catalog,
                ramps: ramps.clone(),
                request_quote,
                store: till.clone(),
                row_keys: Arc::clone(&row_keys),
                hubs,
                options: FiatQuoteOptions::default(),
            }),
            order: OrderFiat::new(OrderFiatParts {
                store: till.clone(),
                ramps: ramps.clone(),
                desks,
                jump_desks,
                wallets: HashMap::from(wallets),
                row_keys: Arc::clone(&row_keys),
                bell: Arc::clone(&bell),
                screening: None,
                options: OrderFiatOptions::default(),
            }),
            webhook: TakeWebhook::new(TakeWebhookParts { ramps, store: till.clone(), row_keys, bell }),
            refresh: RefreshFiat::new(Arc::new(work)),
            store: till,
        }
    }
}

/// The desk of jumps on Base.
struct Hub;

impl JumpDesk for Hub {
    fn chain(&self) -> ChainId {
        chain(8453)
    }

    fn maker(&self) -> B256 {
        EvmAddress::repeat_byte(0x3a).into_word()
    }

    fn address_for(&self, jump: B256) -> Address {
        Address::Evm(EvmAddress::from_word(keccak256(jump)))
    }

    fn sign_open(&self, _: B256, _: B256) -> Result<SignatureBytes, SigningError> {
        Err(SigningError::Key("nothing is signed here".to_owned()))
    }

    fn sign_release(&self, _: B256) -> Result<SignatureBytes, SigningError> {
        Err(SigningError::Key("nothing is signed here".to_owned()))
    }
}

/// Everybody is a person.
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
