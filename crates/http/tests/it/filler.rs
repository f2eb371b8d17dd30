use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Offer, Refusal};
use causeway_domain::{DepositMethod, Fee, FeeKind, Parties, RawAmount, TradeType};
use jiff::{SignedDuration, Timestamp};

/// How a fake filler reacts to a quote request.
#[derive(Clone, Debug)]
pub(crate) enum FillerBehavior {
    /// Offers this many raw units of the output token.
    Offers(&'static str),
    Refuses(Refusal),
    Fails,
    Panics,
    Hangs,
}

/// A filler with a fixed behavior that counts its cancelled calls.
#[derive(Debug)]
pub(crate) struct FakeFiller {
    name: &'static str,
    behavior: FillerBehavior,
    delay: Duration,
    cancelled: Arc<AtomicUsize>,
}

impl FakeFiller {
    pub(crate) fn new(name: &'static str, behavior: FillerBehavior, millis: u64) -> Arc<Self> {
        let delay = Duration::from_millis(millis);
        Arc::new(Self { name, behavior, delay, cancelled: Arc::default() })
    }

    pub(crate) fn cancelled(&self) -> usize {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Counts a call that is dropped before it completes.
struct CancelCounter(Option<Arc<AtomicUsize>>);

impl Drop for CancelCounter {
    fn drop(&mut self) {
        if let Some(cancelled) = &self.0 {
            cancelled.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[async_trait]
impl Filler for FakeFiller {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> &'static str {
        "native-filler"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        let mut counter = CancelCounter(Some(Arc::clone(&self.cancelled)));
        tokio::time::sleep(self.delay).await;
        let answer = match &self.behavior {
            FillerBehavior::Offers(amount) => Ok(Answer::Offers(vec![offer(ask, amount.parse().unwrap())])),
            FillerBehavior::Refuses(refusal) => Ok(Answer::Refused(refusal.clone())),
            FillerBehavior::Fails => Err(FillerError::Unavailable("10.0.0.7 refused".to_owned())),
            FillerBehavior::Panics => panic!("filler panicked"),
            FillerBehavior::Hangs => std::future::pending().await,
        };
        counter.0 = None;
        answer
    }
}

fn offer(ask: &FillerAsk, open: RawAmount) -> Offer {
    let asked = &ask.ask;
    let (amount_in, amount_out) = match asked.trade_type {
        TradeType::ExactInput => (asked.amount, open),
        TradeType::ExactOutput => (open, asked.amount),
    };
    // Different from `amount_out` where the request allows slippage, so that tests notice swapped fields.
    let min_amount_out = asked.slippage.map_or(amount_out, |slippage| {
        let kept = U256::from(1_000_000 - slippage.millionths());
        RawAmount::new(amount_out.get() * kept / U256::from(1_000_000))
    });
    let mut fees =
        vec![Fee { kind: FeeKind::Filler, token: asked.from, amount: "2000000000000000".parse().unwrap() }];
    if let Some(referral) = asked.referral {
        fees.push(Fee { kind: FeeKind::Referrer, token: asked.from, amount: referral.fee(amount_in) });
    }
    Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall, DepositMethod::Transfer],
        amount_in,
        amount_out,
        min_amount_out,
        expected_duration_seconds: 12,
        valid_before: Timestamp::now() + SignedDuration::from_secs(30),
        price_holds_until: Some(Timestamp::now() + SignedDuration::from_secs(20)),
        estimated_gas: "120000000000000".parse().ok(),
        fees,
        parties: Some(Parties { filler: asked.from_address, payee: asked.from_address }),
        filler_quote: None,
        gas_charge: None,
        provider: None,
    }
}
