use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use thiserror::Error;

use super::FiatAmount;
use crate::{Address, FiatOrderId, FiatQuoteId, Jump, OrderId, RawAmount, RouteId, RowKey, TokenId};

/// How far a purchase has come.
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

    /// Only forward; what was paid for neither expires nor is canceled.
    pub const fn may_become(self, next: Self) -> bool {
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

/// A status in the words of a progress display.
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

/// How what is bought reaches the recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The provider delivers the target to the recipient.
    Direct,
    /// The provider delivers a stablecoin to an address that turns it into the target.
    Jump(Box<JumpPlan>),
}

impl Strategy {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Jump(_) => "jump",
        }
    }

    pub fn jump(&self) -> Option<&JumpPlan> {
        match self {
            Self::Direct => None,
            Self::Jump(plan) => Some(plan),
        }
    }
}

/// What was laid down for a jump before anything was paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JumpPlan {
    pub jump: Jump,
    /// Where the provider delivers.
    pub address: Address,
    /// The filler and the route that the payer chose, preferred when the money has come.
    pub filler: String,
    pub route: RouteId,
    /// The swap that the money went into.
    pub swap: Option<OrderId>,
    /// The transaction that gave money back from the address.
    pub returned_tx: Option<String>,
}

/// A delivery of a provider that the chain has shown in a block that stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Payout {
    pub token: TokenId,
    pub tx: String,
    /// The transfer's place in the transaction or block: with chain and transaction it names one payout.
    pub index: u64,
    pub amount: RawAmount,
}

/// Who is to blame.
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

/// Why a purchase came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiatFailure {
    /// Stable, for programs: `payment_declined`, `swap_refunded`, …
    pub code: String,
    pub source: FiatFailureSource,
    /// In a person's words.
    pub words: String,
}

/// A purchase that somebody took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiatOrder {
    pub id: FiatOrderId,
    pub key: RowKey,
    pub quote: FiatQuoteId,
    pub provider: String,
    /// The provider's own name for it, once it has one.
    pub provider_order: Option<String>,
    pub status: FiatStatus,
    /// Whose history it stands in.
    pub author: Address,
    pub recipient: Address,
    /// Where a jump's money goes that cannot be swapped; of the hub chain's family.
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
    /// The web origin that created the order, where it said one.
    pub origin: Option<String>,
    /// JSON of the integrator, kept and never sent on.
    pub metadata: Option<String>,
    /// The provider's delivery, as the chain showed it.
    pub payout: Option<Payout>,
    /// What the recipient got, and in which transaction.
    pub output: Option<RawAmount>,
    pub fill_tx: Option<String>,
    pub failure: Option<FiatFailure>,
    /// Without a payment by then it expires.
    pub pay_by: Timestamp,
    /// When somebody should look at it again; `None` once nothing is left to do.
    pub due_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Grows with every change; a writer who saw an older one loses.
    pub version: u32,
}

impl FiatOrder {
    /// Where the provider has to deliver: the recipient, or the jump's address.
    pub fn deliver_to(&self) -> Address {
        self.strategy.jump().map_or(self.recipient, |plan| plan.address)
    }
}

/// One line of a purchase's story; lines are only ever added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiatEvent {
    pub key: RowKey,
    pub order: FiatOrderId,
    /// The status that it took, if it took one.
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
        let edges = [
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
                assert_eq!(from.may_become(to), edges.contains(&(from, to)), "{from} -> {to}");
            }
        }
    }

    #[test]
    fn statuses_print_and_read_back() {
        for status in FiatStatus::ALL {
            assert_eq!(status.to_string().parse(), Ok(status));
        }
        assert!("Completed".parse::<FiatStatus>().is_err());
    }
}
