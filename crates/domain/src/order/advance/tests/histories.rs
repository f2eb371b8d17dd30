use proptest::prelude::*;

use super::*;

/// A final on-chain event.
#[derive(Clone, Copy, Debug)]
enum ChainEvent {
    Deposit,
    Fill,
    Claim,
    Refund,
}

/// What happens between two calls of `advance`.
#[derive(Clone, Debug)]
struct Round {
    events: Vec<ChainEvent>,
    origin_time: Option<u64>,
    destination_time: Option<u64>,
    /// The block, the amount of the input, and whether another token is there.
    deposit_balance: Option<(u64, u64, bool)>,
    answer: Option<Decision>,
    passed: i64,
}

fn round() -> impl Strategy<Value = Round> {
    let select = prop::sample::select::<u64>;
    let events = prop::sample::select(vec![
        ChainEvent::Deposit,
        ChainEvent::Fill,
        ChainEvent::Claim,
        ChainEvent::Refund,
    ]);
    let time = || prop::option::weighted(0.9, select(vec![0, 1_000, 1_001, 2_000, 2_001, 3_000, 3_001]));
    let deposit_balance = prop::option::of((35u64..45, select(vec![0, 1, 999, 1_000, 2_000]), any::<bool>()));
    let answer = prop::option::of(prop::sample::select(vec![Decision::Fill, Decision::Waive]));
    (prop::collection::vec(events, 0..2), time(), time(), deposit_balance, answer, 0i64..100).prop_map(
        |(events, origin_time, destination_time, deposit_balance, answer, passed)| Round {
            events,
            origin_time,
            destination_time,
            deposit_balance,
            answer,
            passed,
        },
    )
}

fn next_context(before: &OrderContext, round: &Round) -> OrderContext {
    let mut evidence = before.evidence.clone();
    for event in &round.events {
        match event {
            ChainEvent::Deposit => evidence.deposit = Some(shown(ORIGIN, OPENED_IN)),
            ChainEvent::Fill => evidence.fill = Some(shown(DESTINATION, 70)),
            ChainEvent::Claim => evidence.claim = Some(shown(ORIGIN, 90)),
            ChainEvent::Refund => evidence.refund = Some((shown(ORIGIN, 80), RefundCause::Expired)),
        }
    }
    let deposit_balance = round.deposit_balance.map(|(block, input, other)| DepositBalance {
        block,
        input: raw(input),
        others: other.then(|| token(ORIGIN, 0x77)).into_iter().collect(),
    });
    OrderContext {
        now: before.now + SignedDuration::from_secs(round.passed),
        evidence,
        // Chain time never decreases.
        origin_time: before.origin_time.max(round.origin_time),
        destination_time: before.destination_time.max(round.destination_time),
        deposit_balance,
    }
}

fn check(before: &Order, context: &OrderContext, step: &Step) {
    let Step { order, changes, actions } = step;
    let mut at = before.status;
    for (status, message) in changes {
        assert!(at.can_become(*status), "{at} -> {status}");
        assert!(!message.is_empty());
        at = *status;
    }
    assert_eq!(order.status, at);
    if before.status.is_terminal() {
        assert!(changes.is_empty());
    }
    let again = advance(order.clone(), context);
    assert_eq!(
        (&again.order, &again.actions, again.changes.len()),
        (order, actions, 0),
        "a second call changes nothing"
    );
    assert!(order.due_at.unwrap() > context.now);

    let has = |wanted: fn(&Action) -> bool| actions.iter().any(wanted);
    let fills = has(|action| matches!(action, Action::Fill));
    let refunds = has(|action| matches!(action, Action::Refund(_)));
    let claims = has(|action| matches!(action, Action::Claim));
    let funds_escrow = has(|action| matches!(action, Action::BroadcastDeposit | Action::Sweep));
    assert!(!refunds || !(fills || claims));
    if claims {
        assert!(order.evidence.fill.is_some() && order.evidence.claim.is_none());
    }
    if fills {
        assert_eq!(order.decision, Some(Decision::Fill));
        assert!(order.evidence.fill.is_none());
    }
    if refunds {
        assert!(order.evidence.refund.is_none());
        assert!(order.decision == Some(Decision::Waive) || context.destination_time > Some(FILL_UNTIL));
    }
    if has(|action| matches!(action, Action::AskFiller)) {
        assert_eq!(order.decision, None);
        assert_eq!(order.status, OrderStatus::Deposited);
    }
    if funds_escrow {
        assert_eq!(order.status, OrderStatus::Created);
        assert!(order.evidence.deposit.is_none() && context.origin_time <= Some(OPEN_UNTIL));
    }
    if has(|action| matches!(action, Action::Release)) {
        assert!(order.status.is_terminal());
    }
    if let Some((seen_in, tokens)) = returned_balance(step) {
        assert!(!funds_escrow && !tokens.is_empty());
        assert!(
            order
                .evidence
                .deposit
                .as_ref()
                .map_or(order.status == OrderStatus::Failed, |deposit| { seen_in >= deposit.block })
        );
    }
    if order.status == OrderStatus::Failed && before.status != OrderStatus::Failed {
        assert!(context.origin_time > Some(OPEN_UNTIL) && context.evidence.deposit.is_none());
    }
}

proptest! {
    #[test]
    fn every_history_takes_valid_transitions_and_allowed_actions(
        rounds in prop::collection::vec(round(), 1..12),
        has_address in any::<bool>(),
        is_signed in any::<bool>(),
        same_chain in any::<bool>(),
    ) {
        let mut order = order();
        order.deposit_address = order.deposit_address.filter(|_| has_address);
        order.signed_payload = is_signed.then(|| vec![1]);
        if same_chain {
            order.terms.destination_chain_id = ORIGIN;
        }
        let mut context = OrderContext { origin_time: None, destination_time: None, ..context() };
        for round in &rounds {
            context = next_context(&context, round);
            let step = advance(order.clone(), &context);
            check(&order, &context, &step);
            order = step.order;
            // The filler decides once, when it was asked.
            if step.actions.contains(&Action::AskFiller) {
                order.decision = round.answer;
            }
        }
    }
}
