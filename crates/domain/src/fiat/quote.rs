use jiff::Timestamp;

use super::{FiatAmount, FiatCurrency};
use crate::{Address, FiatQuoteId, QuoteId, RawAmount, RouteId, RowKey, TokenId};

/// Which side of a purchase the asker fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WantedAmount {
    /// "I pay this, all fees included."
    Pay(FiatAmount),
    /// "I want to receive exactly this much of the target."
    Receive(RawAmount),
}

/// A purchase quote request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FiatAsk {
    pub currency: FiatCurrency,
    pub amount: WantedAmount,
    pub target: TokenId,
    pub recipient: Address,
    /// Only this provider is asked, when there is one.
    pub provider: Option<String>,
    pub method: Option<String>,
    pub refund_to: Option<Address>,
    /// Maximum slippage of the swap after the purchase, in basis points.
    pub slippage_bps: Option<u16>,
    /// ISO 3166: `DE`, or with a subdivision `US-NY`.
    pub country: Option<String>,
}

/// Whether a price is promised or estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuoteFirmness {
    Estimate,
    Firm,
}

impl QuoteFirmness {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::Firm => "firm",
        }
    }

    /// How much less than the quote may arrive for the purchase to be complete, in hundredths of a percent.
    pub const fn tolerance_bps(self) -> u16 {
        match self {
            Self::Estimate => 500,
            Self::Firm => 50,
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Estimate, Self::Firm].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A way to pay that a provider offers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PaymentMethod {
    /// Such as `card` or `bank_transfer`.
    pub id: String,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RampFeeKind {
    /// The provider's own.
    Provider,
    /// For the network transaction that delivers.
    Network,
    /// For the partner that referred the customer.
    Partner,
}

impl RampFeeKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Network => "network",
            Self::Partner => "partner",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Provider, Self::Network, Self::Partner].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A fee included in the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RampFee {
    pub kind: RampFeeKind,
    pub amount: FiatAmount,
}

/// A stored offer of one provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiatQuote {
    pub id: FiatQuoteId,
    pub key: RowKey,
    pub provider: String,
    pub firmness: QuoteFirmness,
    pub ask: FiatAsk,
    /// What the payer pays, fees included.
    pub pays: FiatAmount,
    pub fees: Vec<RampFee>,
    /// What the provider sells: the target, or the hub's stablecoin for forwarding.
    pub sold: TokenId,
    /// How much of it the provider delivers.
    pub sold_amount: RawAmount,
    /// Of the target.
    pub expected: RawAmount,
    /// Of the target; less than this is never delivered.
    pub least: RawAmount,
    /// Swap routes from the sold token to the target, best first; empty when the provider sells the target.
    pub forwarding_options: Vec<ForwardingOption>,
    pub methods: Vec<PaymentMethod>,
    /// Payment limits of this provider.
    pub limits: Option<(FiatAmount, FiatAmount)>,
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
}

impl FiatQuote {
    pub const fn is_forwarding(&self) -> bool {
        !self.forwarding_options.is_empty()
    }
}

/// One swap route from the stablecoin to the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardingOption {
    /// The swap quote of the route.
    pub quote: QuoteId,
    pub route: RouteId,
    pub filler: String,
    pub expected: RawAmount,
    pub least: RawAmount,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_21_half_a_percent_of_a_firm_quote_may_be_missing_and_five_percent_of_an_estimate() {
        assert_eq!(QuoteFirmness::Firm.tolerance_bps(), 50);
        assert_eq!(QuoteFirmness::Estimate.tolerance_bps(), 500);
    }

    #[test]
    fn firmness_round_trips_through_text() {
        for firmness in [QuoteFirmness::Estimate, QuoteFirmness::Firm] {
            assert_eq!(QuoteFirmness::parse(firmness.as_str()), Some(firmness));
        }
        assert_eq!(QuoteFirmness::parse("fixed"), None);
    }
}
