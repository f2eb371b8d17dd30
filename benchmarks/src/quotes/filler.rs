use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Offer};
use causeway_domain::{DepositMethod, Fee, FeeKind, Parties, RawAmount};
use jiff::{SignedDuration, Timestamp};

/// An in-process filler that answers immediately or after a delay.
pub(crate) struct BenchFiller {
    name: &'static str,
    delay: Duration,
    /// How far its offer is below the best, in basis points.
    bps_below_best: u64,
    answered: Mutex<Instant>,
}

impl BenchFiller {
    pub(crate) fn immediate(name: &'static str, bps_below_best: u64) -> Arc<Self> {
        Arc::new(Self { name, delay: Duration::ZERO, bps_below_best, answered: Mutex::new(Instant::now()) })
    }

    pub(crate) fn delayed(name: &'static str, millis: u64) -> Arc<Self> {
        let delay = Duration::from_millis(millis);
        Arc::new(Self { name, delay, bps_below_best: 0, answered: Mutex::new(Instant::now()) })
    }

    /// The time from the latest answer to `then`.
    pub(crate) fn answered_before(&self, then: Instant) -> Duration {
        then.saturating_duration_since(*self.answered.lock().expect("no panic"))
    }

    /// An offer with all fields of a real one.
    fn offer(&self, ask: &FillerAsk) -> Offer {
        let asked = &ask.ask;
        let part = |bps: u64| RawAmount::new(asked.amount.get() / U256::from(10_000) * U256::from(bps));
        let fee = |kind, bps| Fee { kind, token: asked.from, amount: part(bps) };
        let (now, amount_out) = (Timestamp::now(), part(9_990 - self.bps_below_best));
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
            fees: vec![fee(FeeKind::Filler, 8 + self.bps_below_best), fee(FeeKind::Gas, 2)],
            parties: Some(Parties { filler: asked.from_address, payee: asked.from_address }),
            filler_quote: None,
            gas_charge: None,
            provider: None,
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
