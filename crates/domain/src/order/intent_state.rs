use super::{Decision, Order, OrderStatus};
use crate::RefundCause;

/// Where an intent stands, as the API tells it and the hub's book of intents keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntentState {
    /// The chain has not seen it yet.
    NonExistent,
    /// The deposit is in the escrow.
    Open,
    /// A filler is about to deliver.
    Locked,
    /// Delivered.
    Solved,
    /// Delivered, and the filler was paid.
    Settled,
    /// Given back, because the time was over.
    Expired,
    /// Given back before, by the filler or by the attesters' word.
    Cancelled,
    /// No deposit came in time.
    Error,
}

impl IntentState {
    /// In the order of the book's own numbers.
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

    /// The number by which the book knows the state.
    pub fn number(self) -> u8 {
        let place = Self::ALL.iter().position(|state| *state == self);
        place.and_then(|place| u8::try_from(place).ok()).unwrap_or_default()
    }

    /// The state of that number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// What the book is to be told so that it comes from this state to the other, one step at a time; `None` where no way
    /// leads there.
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
    /// Where the order's intent stands.
    pub const fn intent_state(&self) -> IntentState {
        match self.status {
            OrderStatus::Created => IntentState::NonExistent,
            OrderStatus::Published => IntentState::Locked,
            OrderStatus::Filled if self.evidence.claim.is_some() => IntentState::Settled,
            OrderStatus::Filled => IntentState::Solved,
            // The deposit is where it was until it is back.
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

    /// The steps that the book's contract takes.
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
    fn every_way_is_made_of_steps_that_the_book_takes_and_none_is_missing() {
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
    fn states_number_and_read_back() {
        for (number, state) in (0..).zip(IntentState::ALL) {
            assert_eq!((state.number(), IntentState::from_number(number)), (number, Some(state)));
        }
        assert_eq!(IntentState::from_number(8), None);
    }
}
