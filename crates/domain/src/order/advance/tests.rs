mod histories;

use super::*;
use crate::sample::{
    DESTINATION, FILL_UNTIL, OPEN_UNTIL, ORIGIN, REFUND_AFTER, at, order, raw, shown, token,
};
use crate::{Order, RefundCause};

const NOW: i64 = 200;
const OPENED_IN: u64 = 40;

fn world() -> World {
    let evidence = Evidence::default();
    World { now: at(NOW), evidence, origin_time: Some(500), destination_time: Some(500), arrived: None }
}

fn deposited() -> Evidence {
    Evidence { deposit: Some(shown(ORIGIN, OPENED_IN)), ..Evidence::default() }
}

fn filled() -> Evidence {
    Evidence { fill: Some(shown(DESTINATION, 70)), ..deposited() }
}

fn refunded() -> Evidence {
    Evidence { refund: Some((shown(ORIGIN, 80), RefundCause::Waived)), ..deposited() }
}

fn both() -> Evidence {
    Evidence { refund: refunded().refund, ..filled() }
}

fn standing(status: OrderStatus, decision: Option<Decision>) -> Order {
    Order { status, decision, ..order() }
}

fn statuses(step: &Step) -> Vec<OrderStatus> {
    step.changes.iter().map(|(status, _)| *status).collect()
}

fn arrived(block: u64, input: u64) -> Arrived {
    Arrived { block, input: raw(input), others: Vec::new() }
}

fn gives_back(step: &Step) -> Option<(u64, Vec<TokenId>)> {
    step.todo.iter().find_map(|todo| match todo {
        Todo::GiveBack { seen_in, tokens } => Some((*seen_in, tokens.clone())),
        _ => None,
    })
}

#[test]
fn every_edge_is_taken_on_its_evidence() {
    use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
    let none = Evidence::default;
    let (fill, waive) = (Some(Decision::Fill), Some(Decision::Waive));
    let before = (500, 500);
    let unfilled = (500, FILL_UNTIL + 1);
    for (status, decision, evidence, (origin, destination), taken, left) in [
        (Created, None, none(), before, vec![], vec![]),
        (Created, None, none(), (OPEN_UNTIL + 1, 500), vec![Failed], vec![Todo::Release]),
        (Created, None, deposited(), before, vec![Deposited], vec![Todo::AskFiller]),
        // A deposit that stands counts however late it is seen.
        (Created, None, deposited(), (OPEN_UNTIL + 1, 500), vec![Deposited], vec![Todo::AskFiller]),
        (
            Created,
            None,
            filled(),
            before,
            vec![Deposited, Published, Filled],
            vec![Todo::Release, Todo::Claim],
        ),
        (Created, None, refunded(), before, vec![Deposited, RefundPending, Refunded], vec![Todo::Release]),
        (Deposited, None, deposited(), before, vec![], vec![Todo::AskFiller]),
        (Deposited, fill, deposited(), before, vec![Published], vec![Todo::Fill]),
        (Deposited, waive, deposited(), before, vec![RefundPending], vec![Todo::Refund(RefundWay::Waive)]),
        (
            Deposited,
            None,
            deposited(),
            unfilled,
            vec![RefundPending],
            vec![Todo::Refund(RefundWay::Unfilled)],
        ),
        (
            Deposited,
            fill,
            deposited(),
            unfilled,
            vec![RefundPending],
            vec![Todo::Refund(RefundWay::Unfilled)],
        ),
        (Deposited, None, refunded(), before, vec![RefundPending, Refunded], vec![Todo::Release]),
        (Deposited, None, filled(), before, vec![Published, Filled], vec![Todo::Release, Todo::Claim]),
        // Somebody delivered although our filler would not: it is paid all the same.
        (Deposited, waive, filled(), before, vec![Published, Filled], vec![Todo::Release, Todo::Claim]),
        (Published, fill, deposited(), before, vec![], vec![Todo::Fill]),
        (Published, fill, filled(), before, vec![Filled], vec![Todo::Release, Todo::Claim]),
        (Published, fill, filled(), unfilled, vec![Filled], vec![Todo::Release, Todo::Claim]),
        // Delivered, and then given back: the recipient has been paid, and nothing is left to claim.
        (Published, fill, both(), before, vec![Filled], vec![Todo::Release]),
        (Published, waive, deposited(), before, vec![RefundPending], vec![Todo::Refund(RefundWay::Waive)]),
        (
            Published,
            fill,
            deposited(),
            unfilled,
            vec![RefundPending],
            vec![Todo::Refund(RefundWay::Unfilled)],
        ),
        (Published, fill, refunded(), before, vec![RefundPending, Refunded], vec![Todo::Release]),
        (RefundPending, waive, deposited(), before, vec![], vec![Todo::Refund(RefundWay::Waive)]),
        (RefundPending, waive, refunded(), before, vec![Refunded], vec![Todo::Release]),
        // Delivered after all, while the deposit was to go back: the filler is paid, and nobody takes the deposit from it.
        (RefundPending, waive, filled(), before, vec![Filled], vec![Todo::Release, Todo::Claim]),
        (RefundPending, fill, filled(), unfilled, vec![Filled], vec![Todo::Release, Todo::Claim]),
        (RefundPending, waive, both(), before, vec![Filled], vec![Todo::Release]),
    ] {
        let world = World {
            evidence: evidence.clone(),
            origin_time: Some(origin),
            destination_time: Some(destination),
            ..world()
        };
        let step = advance(standing(status, decision), &world);
        let case = format!("{status} {decision:?} {evidence:?} {origin} {destination}");
        assert_eq!(statuses(&step), taken, "{case}");
        assert_eq!(step.order.status, taken.last().copied().unwrap_or(status), "{case}");
        assert_eq!(step.todo, left, "{case}");
        assert_eq!(step.order.evidence, evidence, "{case}");
    }
}

#[test]
fn rule_9_an_order_fails_only_past_the_origins_own_time() {
    let status = |origin_time, now| {
        let world = World { now, origin_time, ..world() };
        advance(order(), &world).order.status
    };
    let years_later = at(2_000_000_000);
    assert_eq!(status(None, years_later), OrderStatus::Created, "our own clock proves nothing");
    assert_eq!(status(Some(OPEN_UNTIL), years_later), OrderStatus::Created, "the last second counts");
    assert_eq!(status(Some(OPEN_UNTIL + 1), at(NOW)), OrderStatus::Failed);
    // The other chain's time is another chain's.
    let world = World { destination_time: Some(REFUND_AFTER), ..world() };
    assert_eq!(advance(order(), &world).order.status, OrderStatus::Created);
}

#[test]
fn rule_9_deposited_never_goes_back() {
    let deposited = standing(OrderStatus::Deposited, None);
    let world = World { origin_time: Some(REFUND_AFTER), ..world() };
    assert_eq!(advance(deposited, &world).order.status, OrderStatus::Deposited, "without its evidence, too");
}

#[test]
fn rule_7_nothing_is_given_back_before_the_destinations_own_time_is_over() {
    let published = || standing(OrderStatus::Published, Some(Decision::Fill));
    for time in [None, Some(FILL_UNTIL)] {
        // The origin may be ahead of the destination.
        let world = World {
            evidence: deposited(),
            destination_time: time,
            origin_time: Some(FILL_UNTIL + 1),
            now: at(2_000_000_000),
            ..world()
        };
        assert_eq!(advance(published(), &world).todo, [Todo::Fill], "{time:?}");
    }
}

#[test]
fn the_way_back_is_the_first_that_the_escrow_takes() {
    let way = |decision, same_chain: bool, origin_time| {
        let mut order = standing(OrderStatus::RefundPending, decision);
        if same_chain {
            order.terms.destination_chain_id = ORIGIN;
        }
        let world =
            World { evidence: deposited(), origin_time, destination_time: Some(FILL_UNTIL + 1), ..world() };
        let todo = advance(order, &world).todo;
        let [Todo::Refund(way)] = todo.as_slice() else { panic!("{todo:?}") };
        *way
    };
    let (fill, waive) = (Some(Decision::Fill), Some(Decision::Waive));
    assert_eq!(way(waive, false, Some(500)), RefundWay::Waive);
    assert_eq!(way(waive, true, None), RefundWay::Waive);
    assert_eq!(way(fill, false, Some(500)), RefundWay::Unfilled);
    assert_eq!(way(None, false, None), RefundWay::Unfilled);
    assert_eq!(way(None, false, Some(REFUND_AFTER)), RefundWay::Unfilled, "the last second counts");
    assert_eq!(way(fill, true, Some(500)), RefundWay::Plain, "one chain needs no attesters");
    for decision in [None, fill, waive] {
        assert_eq!(way(decision, false, Some(REFUND_AFTER + 1)), RefundWay::Plain);
    }
}

#[test]
fn a_claim_ends_when_the_escrow_has_paid_or_given_back() {
    let filled_order = || standing(OrderStatus::Filled, Some(Decision::Fill));
    let step = |evidence| advance(filled_order(), &World { evidence, ..world() });
    let open = step(filled());
    assert_eq!((open.todo.as_slice(), open.is_last()), ([Todo::Release, Todo::Claim].as_slice(), false));
    let paid = step(Evidence { claim: Some(shown(ORIGIN, 90)), ..filled() });
    assert_eq!((paid.todo.as_slice(), paid.is_last()), ([Todo::Release].as_slice(), true));
    // After `refundAt` the first of both wins.
    let lost = step(Evidence { refund: Some((shown(ORIGIN, 90), RefundCause::Expired)), ..filled() });
    assert_eq!((lost.todo.as_slice(), lost.is_last()), ([Todo::Release].as_slice(), true));
}

#[test]
fn what_was_delivered_after_all_is_never_given_back_however_late_it_is_shown() {
    let reason = Some("The price has moved.".to_owned());
    let pending =
        Order { failure_reason: reason, ..standing(OrderStatus::RefundPending, Some(Decision::Waive)) };
    // From then on anybody may take the deposit back, and we are not the ones who do.
    let world = World { evidence: filled(), origin_time: Some(REFUND_AFTER + 1), ..world() };
    let step = advance(pending, &world);
    assert_eq!((step.order.status, step.order.failure_reason), (OrderStatus::Filled, None));
    assert_eq!(step.todo, [Todo::Release, Todo::Claim]);
}

#[test]
fn nothing_is_left_of_an_order_that_failed_or_was_given_back() {
    for (status, last) in [
        (OrderStatus::Created, false),
        (OrderStatus::Deposited, false),
        (OrderStatus::Published, false),
        (OrderStatus::RefundPending, false),
        (OrderStatus::Refunded, true),
        (OrderStatus::Failed, true),
    ] {
        assert_eq!(advance(standing(status, None), &world()).is_last(), last, "{status}");
    }
}

#[test]
fn what_the_payer_signed_is_brought_while_it_would_be_taken() {
    let handed = || Order { handed: Some(vec![1]), ..order() };
    let todo = |origin_time, arrived| advance(handed(), &World { origin_time, arrived, ..world() }).todo;
    assert_eq!(todo(None, None), [Todo::BringDeposit], "before the chain was read, too");
    assert_eq!(todo(Some(OPEN_UNTIL), None), [Todo::BringDeposit]);
    assert_eq!(todo(Some(OPEN_UNTIL + 1), None), [Todo::Release]);
    // An order is opened once, so it is brought in one way.
    assert_eq!(todo(Some(500), Some(arrived(30, 5_000))), [Todo::BringDeposit]);
    let opened = advance(handed(), &World { evidence: deposited(), ..world() });
    assert_eq!(opened.todo, [Todo::AskFiller]);
}

#[test]
fn rule_15_an_address_is_swept_once_the_whole_amount_is_there() {
    let todo = |arrived, origin_time| {
        advance(order(), &World { origin_time, arrived: Some(arrived), ..world() }).todo
    };
    assert_eq!(todo(arrived(30, 999), Some(500)), [], "too little waits for the rest");
    assert_eq!(todo(arrived(30, 1_000), Some(500)), [Todo::Sweep]);
    assert_eq!(todo(arrived(30, 5_000), Some(500)), [Todo::Sweep], "what is too much goes back afterwards");
    assert_eq!(todo(arrived(30, 1_000), Some(OPEN_UNTIL)), [Todo::Sweep]);
    let without_address = Order { deposit_address: None, ..order() };
    let world = World { arrived: Some(arrived(30, 1_000)), ..world() };
    assert_eq!(advance(without_address.clone(), &world).todo, []);
    let over = World { origin_time: Some(OPEN_UNTIL + 1), ..world };
    assert_eq!(gives_back(&advance(without_address, &over)), None);
}

#[test]
fn rule_15_too_little_and_too_late_go_back_when_the_order_has_failed() {
    for input in [1, 999, 1_000, 5_000] {
        let world = World { arrived: Some(arrived(60, input)), origin_time: Some(OPEN_UNTIL + 1), ..world() };
        let step = advance(order(), &world);
        assert_eq!(step.order.status, OrderStatus::Failed);
        assert_eq!(gives_back(&step), Some((60, vec![token(ORIGIN, 5)])), "{input}");
        assert!(!step.todo.contains(&Todo::Sweep));
    }
}

#[test]
fn rule_15_excess_second_deposits_and_other_tokens_go_back_once_the_order_is_open() {
    let other = token(ORIGIN, 0x77);
    let look = |block, input, others: &[TokenId]| {
        let arrived = Some(Arrived { block, input: raw(input), others: others.to_vec() });
        let mut world = World { arrived, evidence: deposited(), ..world() };
        let early = gives_back(&advance(standing(OrderStatus::Deposited, None), &world));
        for (status, evidence) in [
            (OrderStatus::Published, deposited()),
            (OrderStatus::RefundPending, deposited()),
            (OrderStatus::Filled, filled()),
            (OrderStatus::Refunded, refunded()),
        ] {
            world.evidence = evidence;
            let decided = standing(status, Some(Decision::Fill));
            assert_eq!(gives_back(&advance(decided, &world)), early, "{status}");
        }
        early
    };
    // The address was looked at before the deposit left it: that is the deposit itself.
    assert_eq!(look(OPENED_IN - 1, 1_000, &[]), None);
    assert_eq!(look(OPENED_IN, 1_000, &[]), Some((OPENED_IN, vec![token(ORIGIN, 5)])), "beside the deposit");
    assert_eq!(look(OPENED_IN + 1, 1_000, &[]), Some((OPENED_IN + 1, vec![token(ORIGIN, 5)])));
    assert_eq!(look(OPENED_IN + 1, 0, &[]), None, "nothing is there");
    assert_eq!(look(OPENED_IN + 9, 0, &[other]), Some((OPENED_IN + 9, vec![other])));
    assert_eq!(look(OPENED_IN + 9, 3, &[other]), Some((OPENED_IN + 9, vec![token(ORIGIN, 5), other])));
}

#[test]
fn other_tokens_wait_with_an_order_that_may_still_be_opened() {
    let arrived = Some(Arrived { block: 30, input: raw(0), others: vec![token(ORIGIN, 0x77)] });
    assert_eq!(advance(order(), &World { arrived, ..world() }).todo, []);
}

#[test]
fn an_order_is_shown_from_its_deposit_on_and_tells_why_it_ended() {
    let opened = advance(order(), &World { evidence: deposited(), ..world() }).order;
    assert!(opened.announced);
    assert_eq!((opened.updated_at, opened.failure_reason), (at(NOW), None));
    let failed = advance(order(), &World { origin_time: Some(OPEN_UNTIL + 1), ..world() });
    assert!(!failed.order.announced, "nobody ever told of it");
    assert_eq!(failed.order.failure_reason.as_ref(), failed.changes.first().map(|(_, words)| words));
    let waived = Order {
        failure_reason: Some("The price has moved.".to_owned()),
        ..standing(OrderStatus::Deposited, Some(Decision::Waive))
    };
    let waived = advance(waived, &World { evidence: refunded(), ..world() });
    assert_eq!(waived.order.failure_reason.as_deref(), Some("The price has moved."));
}

#[test]
fn an_order_that_only_time_can_move_is_looked_at_when_its_time_is_over() {
    let due = |now| advance(order(), &World { now: at(now), ..world() }).order.due_at.unwrap();
    assert_eq!(due(NOW), at(1_001));
    assert!(due(1_000) == at(1_001));
    assert!(due(1_001) > at(1_001), "then again until the chain says so");
}

#[test]
fn looks_come_ever_later_while_nothing_moves() {
    let published =
        |updated_at| Order { updated_at, ..standing(OrderStatus::Published, Some(Decision::Fill)) };
    let waits = |unmoved: i64| {
        let world = World { evidence: deposited(), ..world() };
        let step = advance(published(at(NOW - unmoved)), &world);
        step.order.due_at.unwrap().duration_since(at(NOW)).as_millis()
    };
    assert_eq!((waits(0), waits(4), waits(8), waits(80), waits(100_000)), (500, 500, 1_000, 10_000, 30_000));
    // A clock that went back does not make it wait.
    assert_eq!(waits(-1_000), 500);
}
