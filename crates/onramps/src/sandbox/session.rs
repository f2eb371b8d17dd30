use serde::{Deserialize, Serialize};

/// The state of a purchase at the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    AwaitingPayment,
    /// The card's bank asks for approval (3-D Secure).
    Challenge,
    /// The payer has confirmed the payment; it has not arrived.
    PaymentPending,
    Paid,
    Delivering,
    Completed,
    Failed,
    Canceled,
    Expired,
}

impl State {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::AwaitingPayment => "awaiting_payment",
            Self::Challenge => "challenge",
            Self::PaymentPending => "payment_pending",
            Self::Paid => "paid",
            Self::Delivering => "delivering",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
        }
    }

    pub(super) const fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Expired)
    }

    /// Whether the payer can still cancel.
    pub(super) const fn is_unpaid(self) -> bool {
        matches!(self, Self::AwaitingPayment | Self::Challenge)
    }

    /// Only forward: a paid purchase neither expires nor is canceled.
    pub(super) const fn can_become(self, next: Self) -> bool {
        match self {
            Self::AwaitingPayment | Self::Challenge => {
                !matches!(next, Self::AwaitingPayment | Self::Delivering | Self::Completed)
            }
            Self::PaymentPending => matches!(next, Self::Paid | Self::Failed),
            Self::Paid => matches!(next, Self::Delivering | Self::Failed),
            Self::Delivering => matches!(next, Self::Completed | Self::Failed),
            Self::Completed | Self::Failed | Self::Canceled | Self::Expired => false,
        }
    }

    /// Whether the partner gets a webhook for it.
    pub(super) const fn is_notified(self) -> bool {
        !matches!(self, Self::AwaitingPayment | Self::Delivering)
    }
}

/// The immutable terms of a purchase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PurchaseTerms {
    /// The provider's unguessable id of the purchase.
    pub(super) session: String,
    /// The partner's order id.
    pub(super) order: String,
    pub(super) currency: String,
    /// Decimal amount in the currency.
    pub(super) pays: String,
    pub(super) fees: Vec<(String, String)>,
    pub(super) asset: String,
    /// In the token's smallest units.
    pub(super) amount: String,
    pub(super) wallet: String,
    /// Milliseconds since 1970.
    pub(super) opened_at: i64,
    pub(super) expires_at: i64,
}

/// A stable code and a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reason {
    pub(super) code: String,
    pub(super) message: String,
}

impl Reason {
    pub(super) fn new(code: &str, message: &str) -> Self {
        Self { code: code.to_owned(), message: message.to_owned() }
    }
}

/// One transfer of a purchase; usually there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    pub(super) amount: String,
    pub(super) tx: Option<String>,
    pub(super) is_final: bool,
}

/// A purchase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) terms: PurchaseTerms,
    pub(super) state: State,
    /// When a pending payment arrives.
    pub(super) due_at: Option<i64>,
    pub(super) reason: Option<Reason>,
    pub(super) deliveries: Vec<Delivery>,
    /// Number of state changes.
    pub(super) transitions: u32,
}

impl Session {
    pub(super) const fn new(terms: PurchaseTerms) -> Self {
        Self {
            terms,
            state: State::AwaitingPayment,
            due_at: None,
            reason: None,
            deliveries: Vec::new(),
            transitions: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [State; 9] = [
        State::AwaitingPayment,
        State::Challenge,
        State::PaymentPending,
        State::Paid,
        State::Delivering,
        State::Completed,
        State::Failed,
        State::Canceled,
        State::Expired,
    ];

    #[test]
    fn paid_purchase_neither_expires_nor_is_canceled() {
        for from in ALL {
            for to in ALL {
                let lost = matches!(to, State::Canceled | State::Expired) && !from.is_unpaid();
                if from.is_over() || lost || to == State::AwaitingPayment {
                    assert!(!from.can_become(to), "{from:?} -> {to:?}");
                }
            }
        }
        assert!(
            State::PaymentPending.can_become(State::Paid) && State::Delivering.can_become(State::Completed)
        );
    }

    #[test]
    fn only_paid_purchases_are_delivered() {
        for from in ALL.into_iter().filter(|state| *state != State::Paid) {
            assert!(!from.can_become(State::Delivering), "{from:?}");
        }
    }

    #[test]
    fn journal_states_match_the_api_states() {
        for state in ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
    }
}
