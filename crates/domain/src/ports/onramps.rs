use std::sync::Arc;

use alloy_primitives::U256;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

use super::ChainError;
use crate::fiat::{
    FiatAmount, FiatAsk, FiatCurrency, FiatOrder, PaymentMethod, Payout, QuoteFirmness, RampFee, WantedAmount,
};
use crate::{Address, ChainId, FiatOrderId, RawAmount, Token, TokenId};

/// What is delivered may differ by this part from what was quoted: prices move for as long as a bank takes, and what came is read
/// from the chain. More than that is another purchase.
const DRIFT: U256 = U256::from_limbs([2, 0, 0, 0]);

/// What a provider offers at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampProfile {
    /// Stable and short: letters, digits and `-`.
    pub id: String,
    pub name: String,
    pub logo_url: Option<String>,
    pub chains: Vec<ChainId>,
    pub currencies: Vec<FiatCurrency>,
    pub methods: Vec<PaymentMethod>,
    /// ISO 3166; everywhere when empty. A country of which it serves parts only stands as those parts: `US-TX`.
    pub countries: Vec<String>,
    /// The least and the most that may be paid, by currency.
    pub limits: Vec<(FiatAmount, FiatAmount)>,
    pub firmness: QuoteFirmness,
    pub webhooks: bool,
    pub polling: bool,
    /// From which web origins its checkout speaks.
    pub origins: Vec<String>,
    /// What its checkout may use in the browser: `payment`, `camera`, …
    pub permissions: Vec<String>,
    /// How long the address of a checkout is good for, where it ends: who comes later is given a new one.
    pub session_for: Option<SignedDuration>,
}

impl RampProfile {
    /// Whether it sells to somebody in a country, `DE`, or in a part of one, `US-NY`. Who names a country alone that is served in
    /// parts is not turned away here: the provider finds out.
    pub fn serves(&self, place: &str) -> bool {
        let country = place.split_once('-').map_or(place, |(country, _)| country);
        let same = |served: &str| served.eq_ignore_ascii_case(country) || served.eq_ignore_ascii_case(place);
        let inside = |served: &str| {
            country == place
                && served.split_once('-').is_some_and(|(outer, _)| outer.eq_ignore_ascii_case(country))
        };
        self.countries.is_empty() || self.countries.iter().any(|served| same(served) || inside(served))
    }
}

/// What a provider is asked to sell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampAsk {
    pub currency: FiatCurrency,
    pub amount: WantedAmount,
    /// One that the provider says it sells.
    pub asset: Token,
    /// Where it is to deliver, where that is known already.
    pub wallet: Option<Address>,
    pub method: Option<String>,
    pub country: Option<String>,
}

/// What a provider would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampOffer {
    /// Fees included.
    pub pays: FiatAmount,
    pub fees: Vec<RampFee>,
    /// What it delivers.
    pub delivers: RawAmount,
    pub methods: Vec<PaymentMethod>,
    pub limits: Option<(FiatAmount, FiatAmount)>,
    pub expires_at: Timestamp,
}

/// Why a provider does not sell; in words for the payer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RampRefusal {
    #[error("it does not sell this token")]
    Asset,
    #[error("it does not take {0}")]
    Currency(FiatCurrency),
    #[error("the amount is outside of what it takes: from {} to {} {}", .least, .most, .least.currency)]
    Range { least: FiatAmount, most: FiatAmount },
    #[error("it does not offer this way of paying")]
    Method,
    #[error("it does not serve this country")]
    Country,
    #[error("{0}")]
    Other(String),
}

/// Why a provider's answer is of no use.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RampError {
    /// It says no; asking the same again does not help.
    #[error(transparent)]
    Refused(#[from] RampRefusal),
    /// It does not answer now.
    #[error("the provider does not answer: {0}")]
    Unavailable(String),
    /// It answered what is no answer.
    #[error("the provider's answer cannot be read: {0}")]
    Nonsense(String),
}

impl RampError {
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// A checkout that a payer can be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampSession {
    pub url: String,
    /// The provider's own name for the purchase, where it has one already.
    pub provider_order: Option<String>,
}

/// How far a purchase has come, in the provider's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RampState {
    /// Nobody has begun to pay.
    Waiting,
    /// The payer has begun.
    Started,
    /// It is paid; the delivery is on its way.
    Paid,
    /// The provider says that it has delivered.
    Delivered,
    Failed,
    Canceled,
    Expired,
    /// A word that nobody has documented: still open.
    Unknown(String),
}

/// What a provider says of one purchase. It moves statuses, never money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampReport {
    pub state: RampState,
    pub provider_order: Option<String>,
    pub paid: Option<FiatAmount>,
    pub asset: Option<TokenId>,
    pub amount: Option<RawAmount>,
    pub wallet: Option<Address>,
    /// The delivery's transactions, as far as the provider tells them.
    pub payouts: Vec<String>,
    /// A stable code and a person's words, where it came to nothing.
    pub reason: Option<(String, String)>,
    /// Whether the payer may try again under the same order: what came to nothing is then an attempt, not the purchase.
    pub may_retry: bool,
}

impl RampReport {
    /// That a purchase has come so far, and nothing else.
    pub const fn of(state: RampState) -> Self {
        Self {
            state,
            provider_order: None,
            paid: None,
            asset: None,
            amount: None,
            wallet: None,
            payouts: Vec::new(),
            reason: None,
            may_retry: false,
        }
    }

    /// In what it tells of something else than the purchase, if it does.
    pub fn contradiction(&self, order: &FiatOrder) -> Option<&'static str> {
        let near = |amount: U256, agreed: U256| amount.abs_diff(agreed) <= agreed / DRIFT;
        if self.paid.is_some_and(|paid| paid != order.pays) {
            Some("the amount paid")
        } else if self.asset.is_some_and(|asset| asset != order.sold) {
            Some("the token")
        } else if self.wallet.is_some_and(|wallet| wallet != order.deliver_to()) {
            Some("the wallet")
        } else if self.amount.is_some_and(|amount| !near(amount.get(), order.sold_amount.get())) {
            Some("the amount delivered")
        } else {
            None
        }
    }

    /// Whether it tells of an attempt that came to nothing, after which the payer may try again.
    pub const fn is_failed_attempt(&self) -> bool {
        self.may_retry && matches!(self.state, RampState::Failed | RampState::Canceled | RampState::Expired)
    }
}

/// What a verified webhook tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampNotice {
    /// By which a second delivery of the same is known.
    pub event: String,
    pub order: FiatOrderId,
    pub report: RampReport,
}

/// Why a webhook is not believed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WebhookError {
    #[error("webhooks of this provider are not set up: its secret is missing")]
    NotConfigured,
    #[error("the signature is missing or wrong")]
    Signature,
    #[error("the webhook is older than five minutes, or from the future")]
    Stale,
    #[error("the webhook cannot be read: {0}")]
    Nonsense(String),
}

/// A provider that sells crypto for fiat.
#[async_trait]
pub trait OnRamp: Send + Sync {
    /// What it offers, as far as it has been heard: what it tells about itself may change while the service runs.
    fn profile(&self) -> Arc<RampProfile>;
    /// Whether it sells the asset; true while nobody knows yet, so that asking it finds out.
    fn sells(&self, asset: &TokenId) -> bool;
    /// Asks anew what it sells, takes and where; to be called at start and every so often.
    async fn refresh(&self) -> Result<(), RampError> {
        Ok(())
    }
    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError>;
    /// Opens a checkout for the order; the same order twice is one purchase. `ask` is what its quote was asked for, while that is
    /// still known.
    async fn checkout(&self, order: &FiatOrder, ask: Option<&FiatAsk>) -> Result<RampSession, RampError>;
    /// What the provider says of the order now; `None` while it knows nothing of it.
    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError>;
    /// Reads a webhook if it is signed by the provider. `header` finds a header by its lower-case name.
    fn read_webhook(
        &self,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        now: Timestamp,
    ) -> Result<RampNotice, WebhookError>;
}

/// Looks for deliveries on one chain.
#[async_trait]
pub trait PayoutWatch: Send + Sync {
    fn chain(&self) -> ChainId;
    /// Every transfer of the token to the address in that transaction; empty while its block does not stand.
    async fn payouts(&self, tx: &str, token: TokenId, to: Address) -> Result<Vec<Payout>, ChainError>;
}
