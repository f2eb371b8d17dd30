use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, GasFeed, Offer, PriceFeed};
use causeway_domain::{ChainId, DepositMethod, Parties, RawAmount, TokenId, TradeType, UsdPrice};
use jiff::{SignedDuration, Timestamp};

use crate::build_deposit::fake::evm;

/// A filler that gives so many units for each, exactly.
pub(crate) struct FakeMarket {
    pub(crate) rate: AtomicU64,
}

impl FakeMarket {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { rate: AtomicU64::new(1_000) })
    }
}

#[async_trait]
impl Filler for FakeMarket {
    fn name(&self) -> &'static str {
        "house"
    }

    fn kind(&self) -> &'static str {
        "native-filler"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        let (amount, rate) = (ask.ask.amount.get(), U256::from(self.rate.load(Ordering::Relaxed)));
        let (amount_in, amount_out) = match ask.ask.trade_type {
            TradeType::ExactInput => (amount, amount * rate),
            TradeType::ExactOutput => (amount.div_ceil(rate), amount),
        };
        Ok(Answer::Offers(vec![Offer {
            exact_out: None,
            deposit_methods: vec![DepositMethod::Transfer],
            amount_in: RawAmount::new(amount_in),
            amount_out: RawAmount::new(amount_out),
            min_amount_out: RawAmount::new(amount_out),
            expected_duration_seconds: 12,
            valid_before: Timestamp::now() + SignedDuration::from_secs(30),
            price_holds_until: None,
            estimated_gas: None,
            fees: Vec::new(),
            parties: Some(Parties { filler: evm(0xf1), payee: evm(0xf2) }),
            filler_quote: None,
            gas_charge: None,
            provider: None,
        }]))
    }
}

/// Knows no price at all.
pub(crate) struct Nothing;

impl PriceFeed for Nothing {
    fn usd_price(&self, _: &TokenId) -> Option<UsdPrice> {
        None
    }
}

impl GasFeed for Nothing {
    fn price(&self, _: ChainId) -> Option<RawAmount> {
        None
    }
}
