use std::time::Duration;

use causeway_domain::fiat::{FiatAmount, FiatCurrency, PaymentMethod};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID};

/// Sandbox rates: the price of one currency unit in millionths of a dollar.
const SANDBOX_RATES: [(&str, u64); 5] =
    [("USD", 1_000_000), ("EUR", 1_100_000), ("GBP", 1_300_000), ("JPY", 6_500), ("CHF", 1_130_000)];

/// Network fees, in US cents.
const ETHEREUM_CENTS: u64 = 80;
const BASE_CENTS: u64 = 3;
const SOLANA_CENTS: u64 = 1;

const ETHEREUM: u64 = 1;
const BASE: u64 = 8453;

/// The fees and limits of one of the two providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SandboxPlan {
    /// Expensive and fast.
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

    /// The provider's fee in basis points.
    pub(super) const fn fee_bps(self) -> u64 {
        match self {
            Self::Card => 350,
            Self::Bank => 90,
        }
    }

    /// A fixed fee in the currency's smallest units: about thirty cents.
    pub(super) fn fixed_fee(self, currency: FiatCurrency) -> u64 {
        match (self, currency.code()) {
            (Self::Bank, _) => 0,
            (Self::Card, "JPY") => 45,
            (Self::Card, _) => 30,
        }
    }

    /// Minimum and maximum payment.
    pub(super) fn limits(self, currency: FiatCurrency) -> (FiatAmount, FiatAmount) {
        let (least, most) = match (self, currency.code()) {
            (Self::Card, "JPY") => (1_500, 750_000),
            (Self::Card, _) => (1_000, 500_000),
            (Self::Bank, "JPY") => (4_000, 3_000_000),
            (Self::Bank, _) => (2_500, 2_000_000),
        };
        (FiatAmount::new(currency, least), FiatAmount::new(currency, most))
    }

    /// How long an offer is valid.
    pub(super) const fn offer_validity(self) -> Duration {
        match self {
            Self::Card => Duration::from_mins(2),
            Self::Bank => Duration::from_mins(5),
        }
    }
}

/// The currencies that both accept.
pub(super) fn currencies() -> Vec<FiatCurrency> {
    SANDBOX_RATES.iter().filter_map(|(code, _)| code.parse().ok()).collect()
}

/// The price of one currency unit in millionths of a dollar; `None` for an unsupported currency.
pub(super) fn sandbox_rate(currency: FiatCurrency) -> Option<u64> {
    SANDBOX_RATES.iter().find(|(code, _)| *code == currency.code()).map(|(_, rate)| *rate)
}

/// The network fee in US cents; `None` for an unsupported chain.
pub(super) fn network_cents(chain: ChainId) -> Option<u64> {
    match chain.get() {
        ETHEREUM => Some(ETHEREUM_CENTS),
        BASE => Some(BASE_CENTS),
        _ => (chain == SOLANA_CHAIN_ID).then_some(SOLANA_CENTS),
    }
}
