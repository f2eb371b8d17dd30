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

/// A delivery may differ from the quote by 1/2, because prices move during slow payments. More contradicts the purchase.
const MAX_DRIFT_DIVISOR: U256 = U256::from_limbs([2, 0, 0, 0]);

/// What a provider supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampProfile {
    /// Stable and short: letters, digits and `-`.
    pub id: String,
    pub name: String,
    pub logo_url: Option<String>,
    pub chains: Vec<ChainId>,
    pub currencies: Vec<FiatCurrency>,
    pub methods: Vec<PaymentMethod>,
    /// ISO 3166; worldwide when empty. A partly served country is listed by its subdivisions: `US-TX`.
    pub countries: Vec<String>,
    /// Minimum and maximum payment, by currency.
    pub limits: Vec<(FiatAmount, FiatAmount)>,
    pub firmness: QuoteFirmness,
    pub webhooks: bool,
    pub polling: bool,
    /// The web origins of its checkout.
    pub origins: Vec<String>,
    /// Browser permissions of its checkout: `payment`, `camera`, …
    pub permissions: Vec<String>,
    /// How long a checkout URL is valid, if limited; later visitors get a new one.
    pub session_for: Option<SignedDuration>,
}

impl RampProfile {
    /// Whether it serves a country, `DE`, or a subdivision, `US-NY`. A partly served country without a subdivision is
    /// accepted here; the provider decides.
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

/// A quote request to a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampAsk {
    pub currency: FiatCurrency,
    pub amount: WantedAmount,
    /// A token that the provider sells.
    pub asset: Token,
    /// The delivery address, if already known.
    pub wallet: Option<Address>,
    pub method: Option<String>,
    pub country: Option<String>,
}

/// An offer of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampOffer {
    /// Fees included.
    pub pays: FiatAmount,
    pub fees: Vec<RampFee>,
    /// The delivered amount.
    pub delivers: RawAmount,
    pub methods: Vec<PaymentMethod>,
    pub limits: Option<(FiatAmount, FiatAmount)>,
    pub expires_at: Timestamp,
}

/// Why a provider refuses, for the payer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RampRefusal {
    #[error("it does not sell this token")]
    Asset,
    #[error("it does not take {0}")]
    Currency(FiatCurrency),
    #[error("the amount is outside of what it takes: from {} to {} {}", .least, .most, .least.currency)]
    Range { least: FiatAmount, most: FiatAmount },
    #[error("it does not offer this payment method")]
    Method,
    #[error("it does not serve this country")]
    Country,
    #[error("{0}")]
    Other(String),
}

/// An error of a provider.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RampError {
    /// It refuses; a retry does not help.
    #[error(transparent)]
    Refused(#[from] RampRefusal),
    /// It is unavailable.
    #[error("the provider does not answer: {0}")]
    Unavailable(String),
    /// Its answer is invalid.
    #[error("the provider's answer cannot be read: {0}")]
    Nonsense(String),
}

impl RampError {
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// A checkout for the payer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampSession {
    pub url: String,
    /// The provider's id of the purchase, if already known.
    pub provider_order: Option<String>,
}

/// The state of a purchase as the provider reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RampState {
    /// The payment has not started.
    Waiting,
    /// The payer started the payment.
    Started,
    /// Paid; the delivery is pending.
    Paid,
    /// Delivered, according to the provider.
    Delivered,
    Failed,
    Canceled,
    Expired,
    /// An undocumented state; treated as open.
    Unknown(String),
}

/// A provider's report on one purchase. It changes statuses, never funds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampReport {
    pub state: RampState,
    pub provider_order: Option<String>,
    pub paid: Option<FiatAmount>,
    pub asset: Option<TokenId>,
    pub amount: Option<RawAmount>,
    pub wallet: Option<Address>,
    /// The delivery transactions that the provider reports.
    pub payouts: Vec<String>,
    /// A stable code and a message, where it failed.
    pub reason: Option<(String, String)>,
    /// Whether the payer may retry under the same order. A failure then concerns the attempt, not the purchase.
    pub may_retry: bool,
}

impl RampReport {
    /// A report with a state only.
    pub const fn new(state: RampState) -> Self {
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

    /// Which part of the report contradicts the purchase, if any.
    pub fn contradiction(&self, order: &FiatOrder) -> Option<&'static str> {
        let near = |amount: U256, agreed: U256| amount.abs_diff(agreed) <= agreed / MAX_DRIFT_DIVISOR;
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

    /// Whether it reports a failed attempt that the payer may retry.
    pub const fn is_failed_attempt(&self) -> bool {
        self.may_retry && matches!(self.state, RampState::Failed | RampState::Canceled | RampState::Expired)
    }
}

/// The content of a verified webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampNotice {
    /// The id that identifies redeliveries.
    pub event: String,
    pub order: FiatOrderId,
    pub report: RampReport,
}

/// Why a webhook is rejected.
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
    /// What it supports, as last refreshed.
    fn profile(&self) -> Arc<RampProfile>;
    /// Whether it sells the asset; `true` while unknown, so that a quote request finds out.
    fn sells(&self, asset: &TokenId) -> bool;
    /// Refreshes the profile; called at start and periodically.
    async fn refresh(&self) -> Result<(), RampError> {
        Ok(())
    }
    async fn quote(&self, ask: &RampAsk) -> Result<RampOffer, RampError>;
    /// Opens a checkout for the order; the same order twice is one purchase. `ask` is the quote request, while it is still
    /// stored.
    async fn checkout(&self, order: &FiatOrder, ask: Option<&FiatAsk>) -> Result<RampSession, RampError>;
    /// The provider's current report on the order; `None` while it does not know the order.
    async fn look_up(&self, order: &FiatOrder) -> Result<Option<RampReport>, RampError>;
    /// Verifies and parses a webhook. `header` returns a header by its lower-case name.
    fn read_webhook(
        &self,
        header: &(dyn for<'a> Fn(&'a str) -> Option<String> + Sync),
        body: &[u8],
        now: Timestamp,
    ) -> Result<RampNotice, WebhookError>;
}

/// Finds deliveries of providers on one chain.
#[async_trait]
pub trait PayoutWatch: Send + Sync {
    fn chain(&self) -> ChainId;
    /// Every transfer of the token to the address in that transaction; empty until its block is final.
    async fn payouts(&self, tx: &str, token: TokenId, to: Address) -> Result<Vec<Payout>, ChainError>;
    /// How much of the token that transaction took from the address; nothing until its block is final, and where it failed.
    async fn spent(&self, tx: &str, token: TokenId, from: Address) -> Result<RawAmount, ChainError>;
    /// Number and Unix time of the block that a transaction is in; `None` where the chain does not tell.
    async fn place(&self, tx: &str) -> Result<Option<(u64, u64)>, ChainError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partly_served_country_is_served_until_the_payer_names_another_part_of_it() {
        let serves = |countries: &[&str], place: &str| {
            let profile = RampProfile {
                id: "card".to_owned(),
                name: "Card".to_owned(),
                logo_url: None,
                chains: Vec::new(),
                currencies: Vec::new(),
                methods: Vec::new(),
                countries: countries.iter().map(|&country| country.to_owned()).collect(),
                limits: Vec::new(),
                firmness: QuoteFirmness::Firm,
                webhooks: false,
                polling: true,
                origins: Vec::new(),
                permissions: Vec::new(),
                session_for: None,
            };
            profile.serves(place)
        };
        assert!(serves(&[], "DE"), "worldwide");
        assert!(serves(&["DE", "FR"], "FR") && serves(&["de"], "DE") && !serves(&["DE"], "FR"));
        assert!(serves(&["US"], "US-TX") && serves(&["US-TX"], "US-TX") && serves(&["US-TX"], "US"));
        assert!(!serves(&["US-TX"], "US-NY") && !serves(&["US-TX"], "DE"));
    }

    #[test]
    fn only_an_end_that_the_payer_may_retry_is_a_failed_attempt() {
        for (state, may_retry, is_failed_attempt) in [
            (RampState::Failed, true, true),
            (RampState::Canceled, true, true),
            (RampState::Expired, true, true),
            (RampState::Failed, false, false),
            (RampState::Paid, true, false),
        ] {
            let report = RampReport { may_retry, ..RampReport::new(state) };
            assert_eq!(report.is_failed_attempt(), is_failed_attempt, "{report:?}");
        }
    }
}
