use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use thiserror::Error;

use crate::{Address, OrderId, QuoteId, RawAmount, RouteId, RowKey, TokenId, TradeType};

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

    /// The edges of the contract; no other exists.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Created, Self::Deposited | Self::Failed)
                | (Self::Deposited, Self::Published | Self::RefundPending)
                | (Self::Published, Self::Filled | Self::RefundPending)
                | (Self::RefundPending, Self::Refunded)
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

/// A swap that somebody took, as the user sees it.
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
    /// The deposit's transaction, once somebody told us or the chain showed it.
    pub deposit_tx: Option<String>,
    /// A person's words for why it failed.
    pub failure_reason: Option<String>,
    /// When somebody should look at it again; `None` once it is terminal.
    pub due_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Grows with every change; a writer who saw an older one loses.
    pub version: u32,
}

impl Order {
    /// The same order one step further, or the edge that does not exist.
    pub fn become_status(mut self, status: OrderStatus, at: Timestamp) -> Result<Self, IllegalTransition> {
        if !self.status.may_become(status) {
            return Err(IllegalTransition { from: self.status, to: status });
        }
        self.status = status;
        self.updated_at = at;
        if status.is_terminal() {
            self.due_at = None;
        }
        Ok(self)
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
    fn exactly_the_edges_of_the_contract_exist() {
        use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
        let edges = [
            (Created, Deposited),
            (Created, Failed),
            (Deposited, Published),
            (Deposited, RefundPending),
            (Published, Filled),
            (Published, RefundPending),
            (RefundPending, Refunded),
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
