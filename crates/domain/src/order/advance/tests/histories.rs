use proptest::prelude::*;

use super::*;

/// What a chain may show; it never goes once it stands.
#[derive(Clone, Copy, Debug)]
enum Shows {
    Deposit,
    Fill,
    Claim,
    Refund,
}

/// What happens between two looks at an order.
#[derive(Clone, Debug)]
struct Turn {
    shows: Vec<Shows>,
    origin_time: Option<u64>,
    destination_time: Option<u64>,
    /// The block, the amount of the input, and whether another token is there.
    arrived: Option<(u64, u64, bool)>,
    answer: Option<Decision>,
    passed: i64,
}

fn turn() -> impl Strategy<Value = Turn> {
    let select = prop::sample::select::<u64>;
    let shows = prop::sample::select(vec![Shows::Deposit, Shows::Fill, Shows::Claim, Shows::Refund]);
    let time = || prop::option::weighted(0.9, select(vec![0, 1_000, 1_001, 2_000, 2_001, 3_000, 3_001]));
    let arrived = prop::option::of((35u64..45, select(vec![0, 1, 999, 1_000, 2_000]), any::<bool>()));
    let answer = prop::option::of(prop::sample::select(vec![Decision::Fill, Decision::Waive]));
    (prop::collection::vec(shows, 0..2), time(), time(), arrived, answer, 0i64..100).prop_map(
        |(shows, origin_time, destination_time, arrived, answer, passed)| Turn {
            shows,
            origin_time,
            destination_time,
            arrived,
            answer,
            passed,
        },
    )
}

fn next_world(before: &World, turn: &Turn) -> World {
    let mut evidence = before.evidence.clone();
    for shows in &turn.shows {
        match shows {
            Shows::Deposit => evidence.deposit = Some(shown(ORIGIN, OPENED_IN)),
            Shows::Fill => evidence.fill = Some(shown(DESTINATION, 70)),
            Shows::Claim => evidence.claim = Some(shown(ORIGIN, 90)),
            Shows::Refund => evidence.refund = Some((shown(ORIGIN, 80), RefundCause::Expired)),
        }
    }
    let arrived = turn.arrived.map(|(block, input, other)| Arrived {
        block,
        input: raw(input),
        others: other.then(|| token(ORIGIN, 0x77)).into_iter().collect(),
    });
    World {
        now: before.now + SignedDuration::from_secs(turn.passed),
        evidence,
        // Chains' times only grow.
        origin_time: before.origin_time.max(turn.origin_time),
        destination_time: before.destination_time.max(turn.destination_time),
        arrived,
    }
}

fn check(before: &Order, world: &World, step: &Step) {
    let Step { order, changes, todo } = step;
    let mut at = before.status;
    for (status, words) in changes {
        assert!(at.may_become(*status), "{at} -> {status}");
        assert!(!words.is_empty());
        at = *status;
    }
    assert_eq!(order.status, at);
    if before.status.is_terminal() {
        assert!(changes.is_empty());
    }
    let again = advance(order.clone(), world);
    assert_eq!(
        (&again.order, &again.todo, again.changes.len()),
        (order, todo, 0),
        "a second look finds the same"
    );
    assert!(order.due_at.unwrap() > world.now);

    let has = |wanted: fn(&Todo) -> bool| todo.iter().any(wanted);
    let fills = has(|todo| matches!(todo, Todo::Fill));
    let refunds = has(|todo| matches!(todo, Todo::Refund(_)));
    let claims = has(|todo| matches!(todo, Todo::Claim));
    let brings = has(|todo| matches!(todo, Todo::BringDeposit | Todo::Sweep));
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
        assert!(order.decision == Some(Decision::Waive) || world.destination_time > Some(FILL_UNTIL));
    }
    if has(|todo| matches!(todo, Todo::AskFiller)) {
        assert_eq!(order.decision, None);
        assert_eq!(order.status, OrderStatus::Deposited);
    }
    if brings {
        assert_eq!(order.status, OrderStatus::Created);
        assert!(order.evidence.deposit.is_none() && world.origin_time <= Some(OPEN_UNTIL));
    }
    if has(|todo| matches!(todo, Todo::Release)) {
        assert!(order.status.is_terminal());
    }
    if let Some((seen_in, tokens)) = gives_back(step) {
        assert!(!brings && !tokens.is_empty());
        assert!(
            order
                .evidence
                .deposit
                .as_ref()
                .map_or(order.status == OrderStatus::Failed, |deposit| { seen_in >= deposit.block })
        );
    }
    if order.status == OrderStatus::Failed && before.status != OrderStatus::Failed {
        assert!(world.origin_time > Some(OPEN_UNTIL) && world.evidence.deposit.is_none());
    }
}

proptest! {
    #[test]
    fn no_history_leaves_the_edges_or_asks_for_what_is_forbidden(
        turns in prop::collection::vec(turn(), 1..12),
        has_address in any::<bool>(),
        is_handed in any::<bool>(),
        same_chain in any::<bool>(),
    ) {
        let mut order = order();
        order.deposit_address = order.deposit_address.filter(|_| has_address);
        order.handed = is_handed.then(|| vec![1]);
        if same_chain {
            order.terms.destination_chain_id = ORIGIN;
        }
        let mut world = World { origin_time: None, destination_time: None, ..world() };
        for turn in &turns {
            world = next_world(&world, turn);
            let step = advance(order.clone(), &world);
            check(&order, &world, &step);
            order = step.order;
            // The filler decides once, when it was asked.
            if step.todo.contains(&Todo::AskFiller) {
                order.decision = turn.answer;
            }
        }
    }
}
