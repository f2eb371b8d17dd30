use alloy_primitives::U256;
use jiff::SignedDuration;
use proptest::prelude::{
    Just, Strategy as Generator, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};

use super::sample::*;
use crate::Evidence;
use crate::fiat::{FiatContext, FiatStatus, FiatStep, ProviderLookup, Strategy, advance_fiat};
use crate::ports::RampState;

fn statuses(step: &FiatStep) -> Vec<FiatStatus> {
    step.changes.iter().filter_map(|(status, _)| *status).collect()
}

fn any_context() -> impl Generator<Value = FiatContext> {
    let states = vec![
        RampState::Waiting,
        RampState::Started,
        RampState::Paid,
        RampState::Delivered,
        RampState::Failed,
        RampState::Canceled,
        RampState::Expired,
        RampState::Unknown("?".to_owned()),
    ];
    let lookup = prop_oneof![
        Just(None),
        Just(Some(ProviderLookup::NotFound)),
        prop::sample::select(states.clone()).prop_map(|state| Some(reported(state))),
        prop::sample::select(states).prop_map(|state| Some(tried(state))),
    ];
    let evidence = prop::sample::select(vec![Evidence::default(), opened(), filled(), refunded()]);
    let amounts = prop::sample::select(vec![1_000_000, 50_000_000, 99_000_000]);
    let swaps = prop::collection::vec(
        (amounts, evidence).prop_map(|(amount, evidence)| swap(amount, evidence)),
        0..3,
    );
    let forwarding_balance = prop::option::of(prop::sample::select(vec![0, 5, 50_000_000, 99_000_000]));
    let payouts = prop::collection::vec(Just(payout(99_000_000)), 0..2);
    let returned = any::<bool>();
    (lookup, swaps, forwarding_balance, payouts, 0i64..200_000, returned).prop_map(
        |(lookup, swaps, forwarding_balance, payouts, at, returned)| FiatContext {
            now: later(at),
            lookup,
            payouts,
            forwarding_balance: forwarding_balance.map(held),
            hub_time: Some(seconds(at)),
            returned: returned.then(|| "0xreturned".to_owned()),
            swaps,
            tolerance_bps: 500,
            patience: SignedDuration::from_mins(60),
        },
    )
}

proptest! {
    #[test]
    fn rule_22_a_purchase_only_moves_forward_and_completes_by_evidence(
        contexts in prop::collection::vec(any_context(), 1..12),
        is_forwarding in any::<bool>(),
    ) {
        let mut order = if is_forwarding { forwarded() } else { direct() };
        for context in contexts {
            let before = order.clone();
            let step = advance_fiat(order, &context);
            order = step.order.clone();
            let mut status = before.status;
            for next in statuses(&step) {
                prop_assert!(status.can_become(next), "{status} -> {next}");
                status = next;
            }
            prop_assert_eq!(status, order.status);
            if before.status.is_terminal() {
                prop_assert_eq!((before.status, &before.failure), (order.status, &order.failure));
                prop_assert!(before.output <= order.output, "what was delivered stays delivered");
            }
            if order.status == FiatStatus::Completed && before.status != FiatStatus::Completed {
                let shown = match &order.strategy {
                    Strategy::Direct => order.payout.is_some(),
                    Strategy::Forwarding(_) => {
                        let filled = context.swaps.iter().filter(|swap| swap.evidence.fill.is_some());
                        let arrived: U256 = filled.map(|swap| swap.terms.amount_in).sum();
                        arrived >= U256::from(94_050_000)
                    }
                };
                prop_assert!(shown && order.output.is_some() && order.fill_tx.is_some());
            }
            prop_assert_eq!(order.failure.is_some(), order.status == FiatStatus::Failed);
            // Funds leave the address only when it holds some.
            for action in &step.actions {
                prop_assert!(context.forwarding_balance.as_ref().is_some_and(|balance| !balance.amount.is_zero()), "{action:?}");
            }
            prop_assert!(order.due_at.is_some() || order.status.is_terminal());
        }
    }
}
