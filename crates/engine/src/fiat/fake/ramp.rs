use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::fiat::{
    FiatAmount, FiatAsk, FiatOrder, PaymentMethod, QuoteFirmness, RampFee, RampFeeKind, WantedAmount,
};
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport, RampSession,
    RampState, WebhookError,
};
use causeway_domain::{RawAmount, TokenId};
use jiff::{SignedDuration, Timestamp};

use super::{Shared, usd};
use crate::build_deposit::fake::usdc;

/// What a provider does when it is asked for a quote.
#[derive(Clone, Debug)]
pub(in crate::fiat) enum Behavior {
    /// Sells USDC at its price, for a fee of two dollars.
    Sells,
    Refuses(RampRefusal),
    Fails,
    Lies,
    Hangs,
}

/// A provider with scripted behavior.
pub(in crate::fiat) struct FakeRamp {
    profile: Arc<RampProfile>,
    behavior: Behavior,
    pub(in crate::fiat) checkouts: AtomicUsize,
    pub(in crate::fiat) is_away: AtomicBool,
    /// What it says of purchases.
    pub(in crate::fiat) says: Shared<Option<RampReport>>,
}

const FEE: u64 = 200;

/// The name of one whose checkouts' addresses end.
pub(in crate::fiat) const BRIEF: &str = "brief";

impl FakeRamp {
    pub(in crate::fiat) fn new(id: &str, behavior: Behavior) -> Arc<Self> {
        let profile = RampProfile {
            id: id.to_owned(),
            name: id.to_owned(),
            logo_url: None,
            chains: vec![usdc().chain()],
            currencies: vec!["USD".parse().unwrap()],
            methods: Vec::new(),
            countries: Vec::new(),
            limits: Vec::new(),
            firmness: QuoteFirmness::Firm,
            webhooks: true,
            polling: true,
            origins: Vec::new(),
            permissions: Vec::new(),
            session_for: (id == BRIEF).then(|| SignedDuration::from_mins(5)),
        };
        let (checkouts, is_away, says) = Default::default();
        Arc::new(Self { profile: Arc::new(profile), behavior, checkouts, is_away, says })
    }

    /// One that serves these places only, and would lie to all others.
    pub(in crate::fiat) fn only_in(id: &str, places: &[&str]) -> Arc<Self> {
        let ramp = Self::new(id, Behavior::Sells);
        let countries = places.iter().map(|place| (*place).to_owned()).collect();
        let profile = RampProfile { countries, ..(*ramp.profile).clone() };
        let (checkouts, is_away, says) = Default::default();
        Arc::new(Self { profile: Arc::new(profile), behavior: Behavior::Sells, checkouts, is_away, says })
    }

    pub(in crate::fiat) fn says(&self, state: RampState, payouts: &[&str]) {
        self.reports(report(state, payouts.iter().map(|tx| (*tx).to_owned()).collect()));
    }

    pub(in crate::fiat) fn reports(&self, report: RampReport) {
        *self.says.lock().unwrap() = Some(report);
    }

    fn away(&self) -> Result<(), RampError> {
        if self.is_away.load(Ordering::Relaxed) {
            return Err(RampError::Unavailable("10.0.0.7 refused the connection".to_owned()));
        }
        Ok(())
    }
}

/// A cent buys a hundredth of a USDC.
fn units(minor: u64) -> RawAmount {
    RawAmount::new(U256::from(minor) * U256::from(10_000))
}

pub(in crate::fiat) fn report(state: RampState, payouts: Vec<String>) -> RampReport {
    RampReport {
        state,
        provider_order: Some("theirs".to_owned()),
        paid: None,
        asset: None,
        amount: None,
        wallet: None,
        payouts,
        reason: None,
        may_retry: false,
    }
}

#[async_trait]
impl OnRamp for FakeRamp {
    fn profile(&self) -> Arc<RampProfile> {
        Arc::clone(&self.profile)
    }

    fn sells(&self, asset: &TokenId) -> bool {
        *asset == usdc()
    }

    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        self.away()?;
        let pays = match (&self.behavior, ask.amount) {
            (Behavior::Refuses(refusal), _) => return Err(refusal.clone().into()),
            (Behavior::Fails, _) => return Err(RampError::Unavailable("10.0.0.7".to_owned())),
            (Behavior::Hangs, _) => std::future::pending().await,
            (Behavior::Lies, _) => usd(1_000_000),
            (Behavior::Sells, WantedAmount::Pay(pays)) => pays,
            (Behavior::Sells, WantedAmount::Receive(amount)) => {
                let cents: u64 = amount.get().div_ceil(U256::from(10_000)).try_into().unwrap();
                usd(cents + FEE)
            }
        };
        Ok(RampOffer {
            pays,
            fees: vec![RampFee { kind: RampFeeKind::Provider, amount: usd(FEE) }],
            delivers: units(pays.minor - FEE),
            methods: vec![PaymentMethod { id: "card".to_owned(), name: "Card".to_owned() }],
            limits: None,
            expires_at: Timestamp::now() + SignedDuration::from_mins(2),
        })
    }

    async fn checkout(&self, order: &FiatOrder, _ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        self.away()?;
        self.checkouts.fetch_add(1, Ordering::Relaxed);
        let url = format!("https://ramp.example/{}", order.id);
        Ok(RampSession { url, provider_order: Some("theirs".to_owned()) })
    }

    async fn look_up(&self, _: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        self.away()?;
        Ok(self.says.lock().unwrap().clone())
    }

    /// The body is the event, the order and the cents that were paid, with spaces between.
    fn read_webhook(
        &self,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        _: Timestamp,
    ) -> Result<RampNotice, WebhookError> {
        if header("signature").as_deref() != Some("good") {
            return Err(WebhookError::Signature);
        }
        let parts: Vec<&str> = std::str::from_utf8(body).unwrap().split(' ').collect();
        let paid = Some(FiatAmount::new(usd(0).currency, parts[2].parse().unwrap()));
        let state = if parts.len() > 3 { RampState::Failed } else { RampState::Paid };
        let report = RampReport { paid, ..report(state, Vec::new()) };
        Ok(RampNotice { event: parts[0].to_owned(), order: parts[1].parse().unwrap(), report })
    }
}
