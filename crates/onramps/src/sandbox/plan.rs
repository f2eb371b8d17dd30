use std::time::Duration;

use causeway_domain::fiat::{FiatAmount, FiatCurrency, PaymentMethod};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID};

/// What one unit of a currency costs in millionths of a dollar, for play.
const PLAY_RATES: [(&str, u64); 5] =
    [("USD", 1_000_000), ("EUR", 1_100_000), ("GBP", 1_300_000), ("JPY", 6_500), ("CHF", 1_130_000)];

/// What delivering costs, in cents of a dollar.
const ETHEREUM_CENTS: u64 = 80;
const BASE_CENTS: u64 = 3;
const SOLANA_CENTS: u64 = 1;

const ETHEREUM: u64 = 1;
const BASE: u64 = 8453;

/// What one of the two providers is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SandboxPlan {
    /// Dear and fast.
    Card,
    /// Cheap and slow.
    Bank,
}

impl SandboxPlan {
    pub const ALL: [Self; 2] = [Self::Card, Self::Bank];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Card => "sandbox-card",
            Self::Bank => "sandbox-bank",
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Card => "Sandbox Card",
            Self::Bank => "Sandbox Bank",
        }
    }

    pub fn method(self) -> PaymentMethod {
        let (id, name) = match self {
            Self::Card => ("card", "Card"),
            Self::Bank => ("bank_transfer", "Bank transfer"),
        };
        PaymentMethod { id: id.to_owned(), name: name.to_owned() }
    }

    /// What the checkout may use in the browser.
    pub fn permissions(self) -> Vec<String> {
        match self {
            Self::Card => vec!["payment".to_owned()],
            Self::Bank => Vec::new(),
        }
    }

    /// The part of a payment that is the provider's, in hundredths of a percent.
    pub(super) const fn fee_bps(self) -> u64 {
        match self {
            Self::Card => 350,
            Self::Bank => 90,
        }
    }

    /// What every payment costs beside, in the currency's smallest units: thirty cents, or about as much.
    pub(super) fn fixed_fee(self, currency: FiatCurrency) -> u64 {
        match (self, currency.code()) {
            (Self::Bank, _) => 0,
            (Self::Card, "JPY") => 45,
            (Self::Card, _) => 30,
        }
    }

    /// The least and the most that may be paid with the provider's one method.
    pub(super) fn limits(self, currency: FiatCurrency) -> (FiatAmount, FiatAmount) {
        let (least, most) = match (self, currency.code()) {
            (Self::Card, "JPY") => (1_500, 750_000),
            (Self::Card, _) => (1_000, 500_000),
            (Self::Bank, "JPY") => (4_000, 3_000_000),
            (Self::Bank, _) => (2_500, 2_000_000),
        };
        (FiatAmount::new(currency, least), FiatAmount::new(currency, most))
    }

    /// How long an offer stands.
    pub(super) const fn offer_stands(self) -> Duration {
        match self {
            Self::Card => Duration::from_mins(2),
            Self::Bank => Duration::from_mins(5),
        }
    }
}

/// The currencies that both take.
pub(super) fn currencies() -> Vec<FiatCurrency> {
    PLAY_RATES.iter().filter_map(|(code, _)| code.parse().ok()).collect()
}

/// What one unit of the currency costs in millionths of a dollar; `None` for a currency that is not taken.
pub(super) fn play_rate(currency: FiatCurrency) -> Option<u64> {
    PLAY_RATES.iter().find(|(code, _)| *code == currency.code()).map(|(_, rate)| *rate)
}

/// What a delivery costs, in cents of a dollar; `None` on chains that are not served.
pub(super) fn network_cents(chain: ChainId) -> Option<u64> {
    match chain.get() {
        ETHEREUM => Some(ETHEREUM_CENTS),
        BASE => Some(BASE_CENTS),
        _ => (chain == SOLANA_CHAIN_ID).then_some(SOLANA_CENTS),
    }
}
