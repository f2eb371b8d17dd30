mod advance;
mod built;
mod intent_state;

use std::fmt;
use std::str::FromStr;

use alloy_primitives::B256;
use jiff::Timestamp;
use thiserror::Error;

pub use advance::{Arrived, RefundWay, Step, Todo, World, advance};
pub use intent_state::IntentState;

use crate::ports::Care;
use crate::{
    Address, DepositMethod, Evidence, Jump, OrderId, QuoteId, RawAmount, RouteId, RowKey, Terms, TokenId,
    TradeType,
};

/// How far an order has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderStatus {
    Created,
    Deposited,
    Published,
    Filled,
    RefundPending,
    Refunded,
    Failed,
}

impl OrderStatus {
    pub const ALL: [Self; 7] = [
        Self::Created,
        Self::Deposited,
        Self::Published,
        Self::Filled,
        Self::RefundPending,
        Self::Refunded,
        Self::Failed,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Deposited => "deposited",
            Self::Published => "published",
            Self::Filled => "filled",
            Self::RefundPending => "refund_pending",
            Self::Refunded => "refunded",
            Self::Failed => "failed",
        }
    }

    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Filled | Self::Refunded | Self::Failed)
    }

    /// The edges of the contract, and one more: what was delivered after all is filled, although its deposit was to go back.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Created, Self::Deposited | Self::Failed)
                | (Self::Deposited, Self::Published | Self::RefundPending)
                | (Self::Published, Self::Filled | Self::RefundPending)
                | (Self::RefundPending, Self::Refunded | Self::Filled)
        )
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not an order status")]
pub struct UnknownStatus(String);

impl FromStr for OrderStatus {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| UnknownStatus(text.to_owned()))
    }
}

impl fmt::Display for OrderStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("an order cannot go from {from} to {to}")]
pub struct IllegalTransition {
    pub from: OrderStatus,
    pub to: OrderStatus,
}

/// What the filler made of an order, once: to deliver it, or to give the deposit back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    Fill,
    Waive,
}

impl Decision {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Waive => "waive",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Fill, Self::Waive].into_iter().find(|decision| decision.as_str() == text)
    }
}

/// A swap that somebody took, as the user sees it. It is written when its route is built, and shown from the moment
/// that somebody tells of its deposit or the chain shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub id: OrderId,
    pub key: RowKey,
    pub quote: QuoteId,
    pub route: RouteId,
    pub status: OrderStatus,
    pub trade_type: TradeType,
    pub from: TokenId,
    pub to: TokenId,
    pub src_amount: RawAmount,
    pub dest_amount: RawAmount,
    pub author: Address,
    pub recipient: Address,
    pub refund_to: Address,
    /// The name and the kind of the filler whose offer was taken.
    pub filler: String,
    pub kind: String,
    pub method: DepositMethod,
    /// Frozen by the first build.
    pub terms: Terms,
    /// By which the chains know the order: the hash of its terms.
    pub intent: B256,
    /// Where to send the input, for a plain transfer.
    pub deposit_address: Option<Address>,
    /// What the deposit address committed to before the amount was known; absent where the address is the order's own.
    pub jump: Option<Box<Jump>>,
    /// Until when the price holds.
    pub valid_before: Timestamp,
    /// How final a block must be before it is believed, for the amount at stake.
    pub care: Care,
    /// Whether anybody but the builder knows of it: until then it is not shown.
    pub announced: bool,
    /// The deposit's transaction as somebody told it; the one that the chain showed is in the evidence.
    pub told_tx: Option<String>,
    /// The transactions that the payer was given to sign, where one of them must come back byte for byte; read and kept by
    /// [`Order::given_to_sign`] and [`Order::give_to_sign`].
    pub built: Option<Vec<u8>>,
    /// What the payer signed for us to bring to the chain: a permit, or a whole transaction.
    pub handed: Option<Vec<u8>>,
    pub decision: Option<Decision>,
    /// What the chains have shown in blocks that stand.
    pub evidence: Evidence,
    /// A person's words for why it failed or was given back.
    pub failure_reason: Option<String>,
    /// When somebody should look at it again; `None` once nothing is left to do.
    pub due_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Grows with every change; a writer who saw an older one loses.
    pub version: u32,
}

/// How the reason begins why a delivery is not possible.
const UNPAYABLE: &str = "The recipient cannot be paid";

/// Words of a chain are cut here: a recipient's own contract may have chosen them.
const MAX_WORDS: usize = 200;

impl Order {
    /// The same order one step further, or the edge that does not exist.
    pub fn become_status(mut self, status: OrderStatus, at: Timestamp) -> Result<Self, IllegalTransition> {
        if !self.status.may_become(status) {
            return Err(IllegalTransition { from: self.status, to: status });
        }
        self.status = status;
        self.updated_at = at;
        Ok(self)
    }

    /// The deposit's transaction: the one that the chain showed, else the one that somebody told.
    pub fn deposit_tx(&self) -> Option<&str> {
        self.evidence.deposit.as_ref().map(|fact| fact.tx.as_str()).or(self.told_tx.as_deref())
    }

    /// Notes that the chain would refuse the delivery although the filler has all that it takes, in the chain's words.
    pub fn note_unpayable(&mut self, words: &str) {
        let words: String = words.chars().filter(|c| !c.is_control()).take(MAX_WORDS).collect();
        self.failure_reason = Some(format!("{UNPAYABLE}: {words}"));
    }

    /// Whether the last word on its delivery was that its recipient cannot be paid.
    pub fn is_unpayable(&self) -> bool {
        self.failure_reason.as_ref().is_some_and(|reason| reason.starts_with(UNPAYABLE))
    }

    /// Whether the deposit was made when the price held no more.
    pub fn came_late(&self) -> bool {
        let deposited = self.evidence.deposit.as_ref().and_then(|shown| i64::try_from(shown.time).ok());
        deposited.is_some_and(|at| at > self.valid_before.as_second())
    }
}

/// What a line of an order's story is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The order took this status.
    Status(OrderStatus),
    /// Something worth telling that changed no status.
    Note,
}

/// One line of an order's story; lines are only ever added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderEvent {
    pub key: RowKey,
    pub order: OrderId,
    pub kind: EventKind,
    pub detail: String,
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_edges_of_the_contract_and_the_way_out_of_a_refund_exist() {
        use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
        let edges = [
            (Created, Deposited),
            (Created, Failed),
            (Deposited, Published),
            (Deposited, RefundPending),
            (Published, Filled),
            (Published, RefundPending),
            (RefundPending, Refunded),
            (RefundPending, Filled),
        ];
        for from in OrderStatus::ALL {
            for to in OrderStatus::ALL {
                assert_eq!(from.may_become(to), edges.contains(&(from, to)), "{from} -> {to}");
            }
        }
    }

    #[test]
    fn nothing_leaves_a_terminal_status() {
        for from in OrderStatus::ALL.into_iter().filter(|status| status.is_terminal()) {
            assert!(OrderStatus::ALL.into_iter().all(|to| !from.may_become(to)));
        }
    }

    #[test]
    fn statuses_print_and_read_back() {
        for status in OrderStatus::ALL {
            assert_eq!(status.to_string().parse(), Ok(status));
        }
        assert!("FILLED".parse::<OrderStatus>().is_err());
    }
}
