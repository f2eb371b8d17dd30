use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use thiserror::Error;

use super::FiatAmount;
use crate::{Address, FiatOrderId, FiatQuoteId, ForwardingPlan, RawAmount, RowKey, TokenId};

/// The status of a purchase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FiatStatus {
    Created,
    Pending,
    Processing,
    Completed,
    Failed,
    Canceled,
    Expired,
}

impl FiatStatus {
    pub const ALL: [Self; 7] = [
        Self::Created,
        Self::Pending,
        Self::Processing,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::Expired,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Pending => "pending",
            Self::Processing => "processing",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
        }
    }

    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Expired)
    }

    /// Forward only; a paid purchase neither expires nor is canceled.
    pub const fn can_become(self, next: Self) -> bool {
        match self {
            Self::Created => !matches!(next, Self::Created),
            Self::Pending => !matches!(next, Self::Created | Self::Pending),
            Self::Processing => matches!(next, Self::Completed | Self::Failed),
            _ => false,
        }
    }

    pub const fn progress(self) -> FiatProgress {
        match self {
            Self::Created => FiatProgress::AwaitingPayment,
            Self::Pending => FiatProgress::PaymentProcessing,
            Self::Processing => FiatProgress::Settling,
            ended => FiatProgress::Ended(ended),
        }
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a status of a fiat order")]
pub struct UnknownFiatStatus(String);

impl FromStr for FiatStatus {
    type Err = UnknownFiatStatus;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|status| status.as_str() == text);
        known.ok_or_else(|| UnknownFiatStatus(text.chars().take(24).collect()))
    }
}

impl fmt::Display for FiatStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A status as a progress display names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FiatProgress {
    AwaitingPayment,
    PaymentProcessing,
    Settling,
    Ended(FiatStatus),
}

impl FiatProgress {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AwaitingPayment => "awaiting_payment",
            Self::PaymentProcessing => "payment_processing",
            Self::Settling => "settling",
            Self::Ended(status) => status.as_str(),
        }
    }
}

/// How the bought token reaches the recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The provider delivers the target to the recipient.
    Direct,
    /// The provider delivers a stablecoin to a forwarding address, where it is swapped to the target.
    Forwarding(Box<ForwardingPlan>),
}

impl Strategy {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Forwarding(_) => "jump",
        }
    }

    pub fn forwarding(&self) -> Option<&ForwardingPlan> {
        match self {
            Self::Direct => None,
            Self::Forwarding(plan) => Some(plan),
        }
    }
}

/// A delivery of a provider in a final block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Payout {
    pub token: TokenId,
    pub tx: String,
    /// The transfer's index; with chain and transaction it identifies the payout.
    pub index: u64,
    pub amount: RawAmount,
}

/// Which party caused a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FiatFailureSource {
    Provider,
    Swap,
    Service,
}

impl FiatFailureSource {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Swap => "swap",
            Self::Service => "service",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Provider, Self::Swap, Self::Service].into_iter().find(|source| source.as_str() == text)
    }
}

/// Why a purchase failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiatFailure {
    /// Stable, for programs: `payment_declined`, `swap_refunded`, …
    pub code: String,
    pub source: FiatFailureSource,
    /// For people.
    pub message: String,
}

/// A purchase of crypto with fiat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiatOrder {
    pub id: FiatOrderId,
    pub key: RowKey,
    pub quote: FiatQuoteId,
    pub provider: String,
    /// The provider's id of the purchase, once known.
    pub provider_order: Option<String>,
    pub status: FiatStatus,
    /// Whose order list contains it.
    pub author: Address,
    pub recipient: Address,
    /// Where forwarded funds go that cannot be swapped; an address of the hub chain's family.
    pub refund_to: Address,
    pub pays: FiatAmount,
    pub target: TokenId,
    /// What the provider delivers, how much of it, and where.
    pub sold: TokenId,
    pub sold_amount: RawAmount,
    pub expected: RawAmount,
    pub least: RawAmount,
    pub strategy: Strategy,
    /// The provider's checkout page.
    pub widget_url: String,
    /// The web origin that created the order, if sent.
    pub origin: Option<String>,
    /// Who asked for it: the holder of the API key, or `X-Integrator-Id`.
    pub integrator: Option<String>,
    /// The integrator's JSON; stored and never passed on.
    pub metadata: Option<String>,
    /// The provider's delivery on chain.
    pub payout: Option<Payout>,
    /// What the recipient received, and in which transaction.
    pub output: Option<RawAmount>,
    pub fill_tx: Option<String>,
    pub failure: Option<FiatFailure>,
    /// The payment deadline.
    pub pay_by: Timestamp,
    /// When to process the order next; `None` once nothing is left to do.
    pub due_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Incremented by every update; a writer with an older version loses.
    pub version: u32,
}

impl FiatOrder {
    /// Where the provider delivers: the recipient or the forwarding address.
    pub fn deliver_to(&self) -> Address {
        self.strategy.forwarding().map_or(self.recipient, |plan| plan.address)
    }
}

/// One entry of a purchase's append-only event history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiatEvent {
    pub key: RowKey,
    pub order: FiatOrderId,
    /// The new status, if it changed.
    pub status: Option<FiatStatus>,
    pub detail: String,
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_only_moves_forward() {
        use FiatStatus::{Canceled, Completed, Created, Expired, Failed, Pending, Processing};
        let transitions = [
            (Created, Pending),
            (Created, Processing),
            (Created, Completed),
            (Created, Failed),
            (Created, Canceled),
            (Created, Expired),
            (Pending, Processing),
            (Pending, Completed),
            (Pending, Failed),
            (Pending, Canceled),
            (Pending, Expired),
            (Processing, Completed),
            (Processing, Failed),
        ];
        for from in FiatStatus::ALL {
            for to in FiatStatus::ALL {
                assert_eq!(from.can_become(to), transitions.contains(&(from, to)), "{from} -> {to}");
            }
        }
    }

    #[test]
    fn statuses_round_trip_through_text() {
        for status in FiatStatus::ALL {
            assert_eq!(status.to_string().parse(), Ok(status));
        }
        assert!("Completed".parse::<FiatStatus>().is_err());
    }
}
