use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::fiat::{
    FiatAmount, FiatAsk, FiatCurrency, FiatOrder, PaymentMethod, QuoteFirmness, RampFee, RampFeeKind,
    WantedAmount,
};
use causeway_domain::ports::{
    OnRamp, RampAsk, RampError, RampNotice, RampOffer, RampProfile, RampRefusal, RampReport, RampSession,
    RampState, WebhookError,
};
use causeway_domain::{Address, RawAmount, TokenId};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use causeway_testing::sample::{chain, usdc};

pub(crate) fn currency(code: &str) -> FiatCurrency {
    code.parse().unwrap()
}

fn money(code: &str, minor: u64) -> FiatAmount {
    FiatAmount::new(currency(code), minor)
}

/// A provider that sells USDC on Base at 1 USD plus a fee in cents, for 10 to 1000 USD.
#[derive(Debug)]
pub(crate) struct FakeRamp {
    profile: Arc<RampProfile>,
    fee: u64,
    down: bool,
    pub(crate) lookups: AtomicUsize,
    /// The state that it reports for every order.
    state: Mutex<RampState>,
}

impl FakeRamp {
    pub(crate) fn new(id: &str, name: &str, fee: u64) -> Self {
        let profile = RampProfile {
            id: id.to_owned(),
            name: name.to_owned(),
            logo_url: Some(format!("https://{id}.example/logo.svg")),
            chains: vec![chain(8453)],
            currencies: vec![currency("EUR"), currency("JPY"), currency("USD")],
            methods: vec![PaymentMethod { id: "card".to_owned(), name: "Card".to_owned() }],
            countries: Vec::new(),
            limits: vec![(money("USD", 1_000), money("USD", 100_000))],
            firmness: QuoteFirmness::Firm,
            webhooks: true,
            polling: true,
            origins: vec![format!("https://{id}.example")],
            permissions: vec!["payment".to_owned()],
            session_for: None,
        };
        let state = Mutex::new(RampState::Waiting);
        Self { profile: Arc::new(profile), fee, down: false, lookups: AtomicUsize::new(0), state }
    }

    /// A provider that is unavailable.
    pub(crate) fn down(id: &str) -> Self {
        Self { down: true, ..Self::new(id, "Down", 100) }
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
        if self.down {
            return Err(RampError::Unavailable("10.0.0.7 refused".to_owned()));
        }
        let (least, most) = (money(ask.currency.code(), 1_000), money(ask.currency.code(), 100_000));
        let fee = FiatAmount::new(ask.currency, self.fee);
        // A cent buys ten thousand raw units.
        let cent = U256::from(10_000);
        let (pays, delivers) = match ask.amount {
            WantedAmount::Pay(pays) => {
                let bought = pays.checked_sub(fee).map_or(0, |left| left.minor);
                (pays, RawAmount::new(U256::from(bought) * cent))
            }
            WantedAmount::Receive(wanted) => {
                let cents: u64 = wanted.get().div_ceil(cent).try_into().unwrap();
                (FiatAmount::new(ask.currency, cents + self.fee), wanted)
            }
        };
        if !(least.minor..=most.minor).contains(&pays.minor) {
            return Err(RampRefusal::Range { least, most }.into());
        }
        Ok(RampOffer {
            pays,
            fees: vec![
                RampFee { kind: RampFeeKind::Provider, amount: FiatAmount::new(ask.currency, self.fee - 1) },
                RampFee { kind: RampFeeKind::Network, amount: FiatAmount::new(ask.currency, 1) },
            ],
            delivers,
            methods: self.profile.methods.clone(),
            limits: Some((least, most)),
            expires_at: Timestamp::now() + SignedDuration::from_secs(60),
        })
    }

    async fn checkout(&self, order: &FiatOrder, _ask: Option<&FiatAsk>) -> Result<RampSession, RampError> {
        let id = &self.profile.id;
        Ok(RampSession {
            url: format!("https://{id}.example/checkout/{}", order.id),
            provider_order: Some("session-1".to_owned()),
        })
    }

    async fn look_up(&self, _: &FiatOrder) -> Result<Option<RampReport>, RampError> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        Ok(Some(RampReport::new(self.state.lock().unwrap().clone())))
    }

    fn read_webhook(
        &self,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        _: Timestamp,
    ) -> Result<RampNotice, WebhookError> {
        // The body length stands in for a signature.
        if header("x-signature") != Some(body.len().to_string()) {
            return Err(WebhookError::Signature);
        }
        let nonsense = || WebhookError::Nonsense("no such field".to_owned());
        let body: Value = serde_json::from_slice(body).map_err(|_| nonsense())?;
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        Ok(RampNotice {
            event: text("event").ok_or_else(nonsense)?.to_owned(),
            order: text("order").and_then(|id| id.parse().ok()).ok_or_else(nonsense)?,
            report: RampReport {
                paid: text("paid").map(|paid| FiatAmount::parse(currency("USD"), paid).unwrap()),
                wallet: text("wallet").and_then(Address::parse_any),
                ..RampReport::new(RampState::Paid)
            },
        })
    }
}
