use serde::{Deserialize, Serialize};

/// How far a purchase has come at the provider, in the provider's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    AwaitingPayment,
    /// The bank of the card's owner asks whether it is really them.
    Challenge,
    /// The payer says that they have paid; the money has not been seen.
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

    /// Whether the payer can still turn back.
    pub(super) const fn is_unpaid(self) -> bool {
        matches!(self, Self::AwaitingPayment | Self::Challenge)
    }

    /// Only forward: money that came neither expires nor is canceled.
    pub(super) const fn may_become(self, next: Self) -> bool {
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

    /// Whether partners are told of it; what is of no concern to them is not.
    pub(super) const fn is_told(self) -> bool {
        !matches!(self, Self::AwaitingPayment | Self::Delivering)
    }
}

/// What was agreed when a checkout was opened. Nothing of it changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Agreement {
    /// The provider's own name for the purchase, which nobody can guess.
    pub(super) session: String,
    /// The partner's.
    pub(super) order: String,
    pub(super) currency: String,
    /// Decimals in the currency, as they are shown.
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

/// A stable code and a person's words.
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

/// One transfer that a purchase is owed; usually there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    pub(super) amount: String,
    pub(super) tx: Option<String>,
    pub(super) landed: bool,
}

/// A purchase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) agreed: Agreement,
    pub(super) state: State,
    /// When the money of a pending payment is seen.
    pub(super) due_at: Option<i64>,
    pub(super) reason: Option<Reason>,
    pub(super) deliveries: Vec<Delivery>,
    /// How often the state has changed.
    pub(super) moves: u32,
}

impl Session {
    pub(super) const fn new(agreed: Agreement) -> Self {
        Self {
            agreed,
            state: State::AwaitingPayment,
            due_at: None,
            reason: None,
            deliveries: Vec::new(),
            moves: 0,
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
    fn what_is_paid_neither_expires_nor_is_canceled_and_nothing_comes_back() {
        for from in ALL {
            for to in ALL {
                let lost = matches!(to, State::Canceled | State::Expired) && !from.is_unpaid();
                if from.is_over() || lost || to == State::AwaitingPayment {
                    assert!(!from.may_become(to), "{from:?} -> {to:?}");
                }
            }
        }
        assert!(
            State::PaymentPending.may_become(State::Paid) && State::Delivering.may_become(State::Completed)
        );
    }

    #[test]
    fn nothing_is_delivered_before_it_is_paid() {
        for from in ALL.into_iter().filter(|state| *state != State::Paid) {
            assert!(!from.may_become(State::Delivering), "{from:?}");
        }
    }

    #[test]
    fn states_are_written_in_the_journal_as_they_are_told() {
        for state in ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
    }
}
