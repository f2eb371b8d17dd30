use causeway_domain::{Action, Decision, Order, OrderStatus, RefundMethod};

use crate::chain_cursors::ChainCursors;

/// Which chains of an order are halted. A halted chain opens and fills nothing; claims, refunds, returned balances and
/// alarms go on (rule 29).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halted {
    origin: bool,
    destination: bool,
}

impl Halted {
    pub(super) fn of(cursors: &ChainCursors, order: &Order) -> Self {
        Self { origin: cursors.holds(order.from.chain()), destination: cursors.holds(order.to.chain()) }
    }

    /// Whether the order stays as it is: what a halted chain says of a deposit is not believed (rule 9).
    pub(super) fn freezes(self, before: OrderStatus, after: OrderStatus) -> bool {
        let begins = matches!(after, OrderStatus::Deposited | OrderStatus::Published);
        (self.origin || self.destination) && begins && before != after
    }

    /// The actions that go on now, and whether others are held.
    pub(super) fn split(self, order: &Order, actions: &[Action]) -> (Vec<Action>, bool) {
        let goes_on: Vec<Action> =
            actions.iter().filter(|action| self.lets(order.decision, action)).cloned().collect();
        let is_held = goes_on.len() < actions.len();
        (goes_on, is_held)
    }

    fn lets(self, decision: Option<Decision>, action: &Action) -> bool {
        let is_halted = self.origin || self.destination;
        match action {
            Action::BroadcastDeposit | Action::Sweep | Action::AskFiller | Action::Fill => !is_halted,
            // The fill may have arrived where nobody looks now: the payer may take the refund, the filler gives nothing away.
            Action::Refund(RefundMethod::Permissionless) => {
                !(self.destination && decision == Some(Decision::Fill))
            }
            Action::Refund(_) | Action::Claim | Action::Release | Action::ReturnBalance { .. } => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_29_a_halted_chain_opens_and_fills_nothing_and_pays_what_is_owed() {
        let returned = Action::ReturnBalance { seen_in: 1, tokens: Vec::new() };
        let (waive, late) = (Action::Refund(RefundMethod::Waive), Action::Refund(RefundMethod::Unfilled));
        for halted in [
            Halted { origin: true, destination: false },
            Halted { origin: false, destination: true },
            Halted { origin: true, destination: true },
        ] {
            for action in [Action::BroadcastDeposit, Action::Sweep, Action::AskFiller, Action::Fill] {
                assert!(!halted.lets(None, &action), "{action:?}");
            }
            for action in [Action::Claim, Action::Release, returned.clone(), waive.clone(), late.clone()] {
                assert!(halted.lets(Some(Decision::Fill), &action), "{action:?}");
            }
        }
        let nothing = Halted { origin: false, destination: false };
        assert!(nothing.lets(None, &Action::Fill) && nothing.lets(None, &Action::Sweep));
    }

    #[test]
    fn rule_29_a_fill_that_may_have_arrived_on_a_halted_chain_is_not_refunded_by_us() {
        let refund = Action::Refund(RefundMethod::Permissionless);
        let halted = Halted { origin: false, destination: true };
        assert!(!halted.lets(Some(Decision::Fill), &refund));
        assert!(halted.lets(Some(Decision::Waive), &refund) && halted.lets(None, &refund));
        let origin = Halted { origin: true, destination: false };
        assert!(origin.lets(Some(Decision::Fill), &refund));
    }
}
