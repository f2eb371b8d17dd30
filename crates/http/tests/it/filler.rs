use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Offer, Refusal};
use causeway_domain::{DepositMethod, Fee, FeeKind, Parties, RawAmount, TradeType};
use jiff::{SignedDuration, Timestamp};

/// What a filler does when it is asked.
#[derive(Clone, Debug)]
pub(crate) enum Habit {
    /// Offers so many raw units of the output.
    Offers(&'static str),
    Refuses(Refusal),
    Fails,
    Panics,
    Hangs,
}

/// A filler with a habit, and how many of its calls were given up.
#[derive(Debug)]
pub(crate) struct FakeFiller {
    name: &'static str,
    habit: Habit,
    delay: Duration,
    given_up: Arc<AtomicUsize>,
}

impl FakeFiller {
    pub(crate) fn new(name: &'static str, habit: Habit, millis: u64) -> Arc<Self> {
        let delay = Duration::from_millis(millis);
        Arc::new(Self { name, habit, delay, given_up: Arc::default() })
    }

    pub(crate) fn given_up(&self) -> usize {
        self.given_up.load(Ordering::Relaxed)
    }
}

/// Counts a call that is dropped before its end.
struct Watch(Option<Arc<AtomicUsize>>);

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(given_up) = &self.0 {
            given_up.fetch_add(1, Ordering::Relaxed);
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
        let mut watch = Watch(Some(Arc::clone(&self.given_up)));
        tokio::time::sleep(self.delay).await;
        let answer = match &self.habit {
            Habit::Offers(amount) => Ok(Answer::Offers(vec![offer(ask, amount.parse().unwrap())])),
            Habit::Refuses(refusal) => Ok(Answer::Refused(refusal.clone())),
            Habit::Fails => Err(FillerError::Unavailable("10.0.0.7 refused".to_owned())),
            Habit::Panics => panic!("a filler's own fault"),
            Habit::Hangs => std::future::pending().await,
        };
        watch.0 = None;
        answer
    }
}

fn offer(ask: &FillerAsk, open: RawAmount) -> Offer {
    let asked = &ask.ask;
    let (amount_in, amount_out) = match asked.trade_type {
        TradeType::ExactInput => (asked.amount, open),
        TradeType::ExactOutput => (open, asked.amount),
    };
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
        min_amount_out: amount_out,
        expected_duration_seconds: 12,
        valid_before: Timestamp::now() + SignedDuration::from_secs(30),
        price_holds_until: Some(Timestamp::now() + SignedDuration::from_secs(20)),
        estimated_gas: "120000000000000".parse().ok(),
        fees,
        parties: Some(Parties { filler: asked.from_address, payee: asked.from_address }),
    }
}
