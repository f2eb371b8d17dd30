use super::{Decision, Order, OrderStatus};
use crate::RefundCause;

/// The state of an intent in the API and in the hub's intent book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntentState {
    /// The chain has not seen it yet.
    NonExistent,
    /// The deposit is in the escrow.
    Open,
    /// A filler committed to deliver.
    Locked,
    /// Filled.
    Solved,
    /// Filled, and the filler was paid.
    Settled,
    /// Refunded after the deadline.
    Expired,
    /// Refunded before, by the filler or by attestation.
    Cancelled,
    /// No deposit arrived in time.
    Error,
}

impl IntentState {
    /// In the order of the contract's numbers.
    pub const ALL: [Self; 8] = [
        Self::NonExistent,
        Self::Open,
        Self::Locked,
        Self::Solved,
        Self::Settled,
        Self::Expired,
        Self::Cancelled,
        Self::Error,
    ];

    /// The contract's number of the state.
    pub fn number(self) -> u8 {
        let place = Self::ALL.iter().position(|state| *state == self);
        place.and_then(|place| u8::try_from(place).ok()).unwrap_or_default()
    }

    /// The state with that number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The states to record, in order, to move the book from this state to the other; `None` where that is impossible.
    pub fn steps_to(self, to: Self) -> Option<&'static [Self]> {
        use IntentState::{Cancelled, Error, Expired, Locked, NonExistent, Open, Settled, Solved};
        Some(match (self, to) {
            (from, to) if from == to => &[],
            (NonExistent, Open) => &[Open],
            (NonExistent, Locked) => &[Open, Locked],
            (NonExistent, Solved) => &[Open, Locked, Solved],
            (NonExistent, Settled) => &[Open, Locked, Solved, Settled],
            (NonExistent, Expired) => &[Open, Expired],
            (NonExistent, Cancelled) => &[Open, Cancelled],
            (NonExistent, Error) => &[Error],
            (Open, Locked) => &[Locked],
            (Open, Solved) => &[Locked, Solved],
            (Open, Settled) => &[Locked, Solved, Settled],
            (Locked, Solved) => &[Solved],
            (Locked, Settled) => &[Solved, Settled],
            (Solved, Settled) => &[Settled],
            (Open | Locked, Expired) => &[Expired],
            (Open | Locked, Cancelled) => &[Cancelled],
            _ => return None,
        })
    }
}

impl Order {
    /// The state of the order's intent; an order that a provider settles has none.
    pub const fn intent_state(&self) -> IntentState {
        if self.provider.is_some() {
            return IntentState::NonExistent;
        }
        match self.status {
            OrderStatus::Created => IntentState::NonExistent,
            OrderStatus::Published => IntentState::Locked,
            OrderStatus::Filled if self.evidence.claim.is_some() => IntentState::Settled,
            OrderStatus::Filled => IntentState::Solved,
            // The intent keeps its state until the refund is final.
            OrderStatus::RefundPending if matches!(self.decision, Some(Decision::Fill)) => {
                IntentState::Locked
            }
            OrderStatus::Deposited | OrderStatus::RefundPending => IntentState::Open,
            OrderStatus::Refunded => match self.evidence.refund {
                Some((_, RefundCause::Expired)) => IntentState::Expired,
                _ => IntentState::Cancelled,
            },
            OrderStatus::Failed => IntentState::Error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The transitions that the contract accepts.
    fn is_step(from: IntentState, to: IntentState) -> bool {
        use IntentState::{Cancelled, Error, Expired, Locked, NonExistent, Open, Settled, Solved};
        match from {
            NonExistent => matches!(to, Open | Error),
            Open => matches!(to, Locked | Expired | Cancelled),
            Locked => matches!(to, Solved | Expired | Cancelled),
            Solved => to == Settled,
            Settled | Expired | Cancelled | Error => false,
        }
    }

    #[test]
    fn every_path_consists_of_accepted_steps_and_none_is_missing() {
        for from in IntentState::ALL {
            let mut reached = vec![from];
            while let Some(next) = IntentState::ALL
                .into_iter()
                .find(|to| !reached.contains(to) && reached.iter().any(|at| is_step(*at, *to)))
            {
                reached.push(next);
            }
            for to in IntentState::ALL {
                let Some(steps) = from.steps_to(to) else {
                    assert!(!reached.contains(&to), "{from:?} leads to {to:?}");
                    continue;
                };
                let mut at = from;
                for step in steps {
                    assert!(is_step(at, *step), "{at:?} -> {step:?}");
                    at = *step;
                }
                assert_eq!(at, to);
            }
        }
    }

    #[test]
    fn states_round_trip_through_numbers() {
        for (number, state) in (0..).zip(IntentState::ALL) {
            assert_eq!((state.number(), IntentState::from_number(number)), (number, Some(state)));
        }
        assert_eq!(IntentState::from_number(8), None);
    }
}
