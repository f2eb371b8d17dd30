use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Offer};
use causeway_domain::{DepositMethod, Fee, FeeKind, Parties, RawAmount};
use jiff::{SignedDuration, Timestamp};

/// A filler in the process that offers after a while, or at once.
pub(crate) struct BenchFiller {
    name: &'static str,
    delay: Duration,
    /// How many hundredths of a percent its offer stands below the best.
    worse: u64,
    answered: Mutex<Instant>,
}

impl BenchFiller {
    pub(crate) fn at_once(name: &'static str, worse: u64) -> Arc<Self> {
        Arc::new(Self { name, delay: Duration::ZERO, worse, answered: Mutex::new(Instant::now()) })
    }

    pub(crate) fn after(name: &'static str, millis: u64) -> Arc<Self> {
        let delay = Duration::from_millis(millis);
        Arc::new(Self { name, delay, worse: 0, answered: Mutex::new(Instant::now()) })
    }

    /// How long before `then` the latest answer was given.
    pub(crate) fn answered_before(&self, then: Instant) -> Duration {
        then.saturating_duration_since(*self.answered.lock().expect("no panic"))
    }

    /// An offer with everything that a real one holds.
    fn offer(&self, ask: &FillerAsk) -> Offer {
        let asked = &ask.ask;
        let part = |bps: u64| RawAmount::new(asked.amount.get() / U256::from(10_000) * U256::from(bps));
        let fee = |kind, bps| Fee { kind, token: asked.from, amount: part(bps) };
        let (now, amount_out) = (Timestamp::now(), part(9_990 - self.worse));
        Offer {
            exact_out: None,
            deposit_methods: vec![
                DepositMethod::ContractCall,
                DepositMethod::Permit2,
                DepositMethod::Transfer,
            ],
            amount_in: asked.amount,
            amount_out,
            min_amount_out: amount_out,
            expected_duration_seconds: 12,
            valid_before: now + SignedDuration::from_secs(30),
            price_holds_until: Some(now + SignedDuration::from_secs(20)),
            estimated_gas: Some(part(1)),
            fees: vec![fee(FeeKind::Filler, 8 + self.worse), fee(FeeKind::Gas, 2)],
            parties: Some(Parties { filler: asked.from_address, payee: asked.from_address }),
        }
    }
}

#[async_trait]
impl Filler for BenchFiller {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> &'static str {
        "native-filler"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
            *self.answered.lock().expect("no panic") = Instant::now();
        }
        Ok(Answer::Offers(vec![self.offer(ask)]))
    }
}
