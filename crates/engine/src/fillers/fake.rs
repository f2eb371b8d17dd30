use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Offer, Refusal};
use causeway_domain::{Address, Ask, ChainId, DepositMethod, Family, RawAmount, Token, TokenId, TradeType};
use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

/// What a filler does when it is asked.
#[derive(Clone, Debug)]
pub(crate) enum Behavior {
    /// Offers this amount on the side that is not fixed.
    Offers(u64),
    /// Repeats the same offer this many times.
    Floods(u64, usize),
    /// Offers for another amount than was asked.
    Lies,
    Refuses(Refusal),
    Fails,
    Panics,
    Hangs,
}

/// A filler with a behavior that counts its calls and cancelled calls.
#[derive(Debug)]
pub(crate) struct Fake {
    name: &'static str,
    behavior: Behavior,
    delay: Duration,
    pub(crate) calls: AtomicUsize,
    pub(crate) cancelled: Arc<AtomicUsize>,
}

impl Fake {
    pub(crate) fn new(name: &'static str, behavior: Behavior) -> Arc<Self> {
        Self::after(name, behavior, 0)
    }

    pub(crate) fn after(name: &'static str, behavior: Behavior, millis: u64) -> Arc<Self> {
        let delay = Duration::from_millis(millis);
        Arc::new(Self { name, behavior, delay, calls: AtomicUsize::new(0), cancelled: Arc::default() })
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    pub(crate) fn cancelled(&self) -> usize {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Counts a call that is dropped before its end.
struct CancelGuard(Option<Arc<AtomicUsize>>);

impl Drop for CancelGuard {
    fn drop(&mut self) {
        if let Some(cancelled) = &self.0 {
            cancelled.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[async_trait]
impl Filler for Fake {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> &'static str {
        "native-filler"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut guard = CancelGuard(Some(Arc::clone(&self.cancelled)));
        if !self.delay.is_zero() {
            sleep(self.delay).await;
        }
        let answer = match &self.behavior {
            Behavior::Offers(open) => Ok(Answer::Offers(vec![offer(&ask.ask, *open)])),
            Behavior::Floods(open, times) => Ok(Answer::Offers(vec![offer(&ask.ask, *open); *times])),
            Behavior::Lies => {
                let lie = Ask { amount: amount(999_999), ..ask.ask.clone() };
                Ok(Answer::Offers(vec![offer(&lie, 1_000_000)]))
            }
            Behavior::Refuses(refusal) => Ok(Answer::Refused(refusal.clone())),
            Behavior::Fails => Err(FillerError::Unavailable("10.0.0.7 refused the connection".to_owned())),
            Behavior::Panics => panic!("a filler's own fault"),
            Behavior::Hangs => std::future::pending().await,
        };
        guard.0 = None;
        answer
    }
}

pub(crate) fn amount(units: u64) -> RawAmount {
    RawAmount::new(U256::from(units))
}

/// 1,000 units of ETH on Ethereum for USDC on Base.
pub(crate) fn ask() -> Ask {
    let chain = |id| ChainId::new(id).unwrap();
    let wallet = Address::native(Family::Evm);
    Ask {
        trade_type: TradeType::ExactInput,
        from: TokenId::native(chain(1)),
        to: TokenId::new(chain(8453), "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913").unwrap(),
        amount: amount(1_000),
        from_address: wallet,
        recipient: wallet,
        refund_to: wallet,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    }
}

pub(crate) fn filler_ask(ask: Ask) -> FillerAsk {
    let token = |id| Token { id, symbol: "T".to_owned(), name: "T".to_owned(), decimals: 6, logo: None };
    FillerAsk { from: token(ask.from).into(), to: token(ask.to).into(), ask }
}

/// A valid offer with `open` on the side that is not fixed.
pub(crate) fn offer(ask: &Ask, open: u64) -> Offer {
    let (amount_in, amount_out) = match ask.trade_type {
        TradeType::ExactInput => (ask.amount, amount(open)),
        TradeType::ExactOutput => (amount(open), ask.amount),
    };
    Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall],
        amount_in,
        amount_out,
        min_amount_out: amount_out,
        expected_duration_seconds: 12,
        valid_before: Timestamp::now() + SignedDuration::from_secs(30),
        price_holds_until: None,
        estimated_gas: None,
        fees: Vec::new(),
        parties: None,
        filler_quote: None,
        gas_charge: None,
        provider: None,
    }
}
