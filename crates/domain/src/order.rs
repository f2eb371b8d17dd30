mod advance;
mod intent_state;
mod unsigned_txs;

use std::fmt;
use std::str::FromStr;

use alloy_primitives::B256;
use jiff::Timestamp;
use thiserror::Error;

pub use advance::{Action, DepositBalance, OrderContext, RefundMethod, Step, advance};
pub use intent_state::IntentState;

use crate::ports::FinalityTier;
use crate::{
    Address, DepositMethod, Evidence, ForwardingOrder, IntentTerms, OrderId, ProviderOrder, QuoteId,
    RawAmount, RouteId, RowKey, TokenId, TradeType,
};

/// The status of an order.
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

    /// The transitions of the API contract, plus one: a fill during a pending refund makes the order filled.
    pub const fn can_become(self, next: Self) -> bool {
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

/// The final decision of the filler: deliver, or refund the deposit.
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

/// A swap order. It is stored when its route is built and visible once its deposit is submitted or seen on chain.
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
    /// Name and kind of the filler whose offer was accepted.
    pub filler: String,
    pub kind: String,
    /// The filler's own id of its offer.
    pub filler_quote: Option<String>,
    /// The integrator that asked for the quote.
    pub integrator: Option<String>,
    pub method: DepositMethod,
    /// Frozen by the first build.
    pub terms: IntentTerms,
    /// The id of the order on chain: the hash of its terms.
    pub intent_id: B256,
    /// Where a plain transfer sends the input.
    pub deposit_address: Option<Address>,
    /// The forwarding order that owns the deposit address; absent where the address belongs to this order.
    pub forwarding: Option<Box<ForwardingOrder>>,
    /// Present where a provider settles the order: then the terms name no escrow, no chain ever shows their hash, and nothing
    /// of ours fills, claims or refunds it.
    pub provider: Option<Box<ProviderOrder>>,
    /// Until when the price is valid.
    pub valid_before: Timestamp,
    /// The finality that the amount requires.
    pub finality_tier: FinalityTier,
    /// Whether the order is visible to clients.
    pub announced: bool,
    /// The deposit transaction that a client submitted; the confirmed one is in the evidence.
    pub submitted_tx: Option<String>,
    /// Packed unsigned transactions, one of which must come back unchanged; see [`Order::unsigned_txs`] and
    /// [`Order::record_unsigned_tx`].
    pub built: Option<Vec<u8>>,
    /// The payload that the payer signed for us to submit: a permit or a whole transaction.
    pub signed_payload: Option<Vec<u8>>,
    pub decision: Option<Decision>,
    /// What the chains have shown in final blocks.
    pub evidence: Evidence,
    /// Why the order failed or was refunded, for people.
    pub failure_reason: Option<String>,
    /// When to process the order next; `None` once nothing is left to do.
    pub due_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Incremented by every update; a writer with an older version loses.
    pub version: u32,
}

/// Prefix of the failure reason of an unpayable recipient.
const UNPAYABLE_PREFIX: &str = "The recipient cannot be paid";

/// Maximum length of a chain's error message, which the recipient's contract may choose.
const MAX_MESSAGE_CHARS: usize = 200;

impl Order {
    /// The order in the new status, or an error when the transition is invalid.
    pub fn transition_to(mut self, status: OrderStatus, at: Timestamp) -> Result<Self, IllegalTransition> {
        if !self.status.can_become(status) {
            return Err(IllegalTransition { from: self.status, to: status });
        }
        self.status = status;
        self.updated_at = at;
        Ok(self)
    }

    /// The confirmed deposit transaction, else the submitted one.
    pub fn deposit_tx(&self) -> Option<&str> {
        self.evidence.deposit.as_ref().map(|fact| fact.tx.as_str()).or(self.submitted_tx.as_deref())
    }

    /// Records that the chain rejects the delivery although the filler has the funds, with the chain's message.
    pub fn set_unpayable(&mut self, message: &str) {
        let message: String = message.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_CHARS).collect();
        self.failure_reason = Some(format!("{UNPAYABLE_PREFIX}: {message}"));
    }

    /// Whether the recorded failure is an unpayable recipient.
    pub fn is_unpayable(&self) -> bool {
        self.failure_reason.as_ref().is_some_and(|reason| reason.starts_with(UNPAYABLE_PREFIX))
    }

    /// Whether the deposit was made after the price expired.
    pub fn is_deposit_late(&self) -> bool {
        let deposited = self.evidence.deposit.as_ref().and_then(|shown| i64::try_from(shown.time).ok());
        deposited.is_some_and(|at| at > self.valid_before.as_second())
    }
}

/// The kind of an order event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The order changed to this status.
    Status(OrderStatus),
    /// A message without a status change.
    Note,
}

/// One entry of an order's append-only event history.
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
    use crate::ConfirmedTx;
    use crate::sample::{ORIGIN, at, order, shown};

    #[test]
    fn only_the_transitions_of_the_contract_and_fill_during_refund_are_valid() {
        use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
        let transitions = [
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
                assert_eq!(from.can_become(to), transitions.contains(&(from, to)), "{from} -> {to}");
            }
        }
    }

    #[test]
    fn terminal_statuses_have_no_transitions() {
        for from in OrderStatus::ALL.into_iter().filter(|status| status.is_terminal()) {
            assert!(OrderStatus::ALL.into_iter().all(|to| !from.can_become(to)));
        }
    }

    #[test]
    fn statuses_round_trip_through_text() {
        for status in OrderStatus::ALL {
            assert_eq!(status.to_string().parse(), Ok(status));
        }
        assert!("FILLED".parse::<OrderStatus>().is_err());
    }

    #[test]
    fn decisions_round_trip_through_text() {
        for decision in [Decision::Fill, Decision::Waive] {
            assert_eq!(Decision::parse(decision.as_str()), Some(decision));
        }
        assert_eq!(Decision::parse("FILL"), None);
    }

    #[test]
    fn a_deposit_is_late_only_after_its_price_has_expired() {
        let deposited_at = |time| {
            let deposit = Some(ConfirmedTx { time, ..shown(ORIGIN, 40) });
            let evidence = Evidence { deposit, ..Evidence::default() };
            Order { evidence, valid_before: at(900), ..order() }
        };
        assert!(!order().is_deposit_late(), "nothing was deposited");
        assert!(!deposited_at(900).is_deposit_late(), "the last moment");
        assert!(deposited_at(901).is_deposit_late());
    }

    #[test]
    fn what_a_recipients_contract_says_is_kept_short_and_without_control_characters() {
        let mut order = order();
        assert!(!order.is_unpayable());
        order.set_unpayable(&format!("no\nthanks{}", "!".repeat(1_000)));
        assert!(order.is_unpayable());
        let reason = order.failure_reason.clone().unwrap();
        assert!(reason.starts_with("The recipient cannot be paid: nothanks!"), "{reason}");
        assert_eq!(reason.len(), "The recipient cannot be paid: ".len() + 200);
        order.failure_reason = Some("The filler's delivery failed.".to_owned());
        assert!(!order.is_unpayable());
    }
}
