mod histories;

use super::*;
use crate::sample::{
    DESTINATION, FILL_UNTIL, OPEN_UNTIL, ORIGIN, REFUND_AFTER, at, order, raw, shown, token,
};
use crate::{Order, RefundCause};

const NOW: i64 = 200;
const OPENED_IN: u64 = 40;

fn context() -> OrderContext {
    let evidence = Evidence::default();
    OrderContext {
        now: at(NOW),
        evidence,
        origin_time: Some(500),
        destination_time: Some(500),
        deposit_balance: None,
    }
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

fn order_in(status: OrderStatus, decision: Option<Decision>) -> Order {
    Order { status, decision, ..order() }
}

fn statuses(step: &Step) -> Vec<OrderStatus> {
    step.changes.iter().map(|(status, _)| *status).collect()
}

fn deposit_balance(block: u64, input: u64) -> DepositBalance {
    DepositBalance { block, input: raw(input), others: Vec::new() }
}

fn returned_balance(step: &Step) -> Option<(u64, Vec<TokenId>)> {
    step.actions.iter().find_map(|action| match action {
        Action::ReturnBalance { seen_in, tokens } => Some((*seen_in, tokens.clone())),
        _ => None,
    })
}

#[test]
fn every_transition_follows_from_its_evidence() {
    use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
    let none = Evidence::default;
    let (fill, waive) = (Some(Decision::Fill), Some(Decision::Waive));
    let before = (500, 500);
    let unfilled = (500, FILL_UNTIL + 1);
    for (status, decision, evidence, (origin, destination), taken, left) in [
        (Created, None, none(), before, vec![], vec![]),
        (Created, None, none(), (OPEN_UNTIL + 1, 500), vec![Failed], vec![Action::Release]),
        (Created, None, deposited(), before, vec![Deposited], vec![Action::AskFiller]),
        // A final deposit counts however late it is observed.
        (Created, None, deposited(), (OPEN_UNTIL + 1, 500), vec![Deposited], vec![Action::AskFiller]),
        (
            Created,
            None,
            filled(),
            before,
            vec![Deposited, Published, Filled],
            vec![Action::Release, Action::Claim],
        ),
        (Created, None, refunded(), before, vec![Deposited, RefundPending, Refunded], vec![Action::Release]),
        (Deposited, None, deposited(), before, vec![], vec![Action::AskFiller]),
        (Deposited, fill, deposited(), before, vec![Published], vec![Action::Fill]),
        (
            Deposited,
            waive,
            deposited(),
            before,
            vec![RefundPending],
            vec![Action::Refund(RefundMethod::Waive)],
        ),
        (
            Deposited,
            None,
            deposited(),
            unfilled,
            vec![RefundPending],
            vec![Action::Refund(RefundMethod::Unfilled)],
        ),
        (
            Deposited,
            fill,
            deposited(),
            unfilled,
            vec![RefundPending],
            vec![Action::Refund(RefundMethod::Unfilled)],
        ),
        (Deposited, None, refunded(), before, vec![RefundPending, Refunded], vec![Action::Release]),
        (Deposited, None, filled(), before, vec![Published, Filled], vec![Action::Release, Action::Claim]),
        // Delivered although our filler waived: it is paid all the same.
        (Deposited, waive, filled(), before, vec![Published, Filled], vec![Action::Release, Action::Claim]),
        (Published, fill, deposited(), before, vec![], vec![Action::Fill]),
        (Published, fill, filled(), before, vec![Filled], vec![Action::Release, Action::Claim]),
        (Published, fill, filled(), unfilled, vec![Filled], vec![Action::Release, Action::Claim]),
        // Delivered, then refunded: the recipient is paid and nothing is left to claim.
        (Published, fill, both(), before, vec![Filled], vec![Action::Release]),
        (
            Published,
            waive,
            deposited(),
            before,
            vec![RefundPending],
            vec![Action::Refund(RefundMethod::Waive)],
        ),
        (
            Published,
            fill,
            deposited(),
            unfilled,
            vec![RefundPending],
            vec![Action::Refund(RefundMethod::Unfilled)],
        ),
        (Published, fill, refunded(), before, vec![RefundPending, Refunded], vec![Action::Release]),
        (RefundPending, waive, deposited(), before, vec![], vec![Action::Refund(RefundMethod::Waive)]),
        (RefundPending, waive, refunded(), before, vec![Refunded], vec![Action::Release]),
        // Delivered while a refund was pending: the filler is paid and no refund is sent.
        (RefundPending, waive, filled(), before, vec![Filled], vec![Action::Release, Action::Claim]),
        (RefundPending, fill, filled(), unfilled, vec![Filled], vec![Action::Release, Action::Claim]),
        (RefundPending, waive, both(), before, vec![Filled], vec![Action::Release]),
    ] {
        let context = OrderContext {
            evidence: evidence.clone(),
            origin_time: Some(origin),
            destination_time: Some(destination),
            ..context()
        };
        let step = advance(order_in(status, decision), &context);
        let case = format!("{status} {decision:?} {evidence:?} {origin} {destination}");
        assert_eq!(statuses(&step), taken, "{case}");
        assert_eq!(step.order.status, taken.last().copied().unwrap_or(status), "{case}");
        assert_eq!(step.actions, left, "{case}");
        assert_eq!(step.order.evidence, evidence, "{case}");
    }
}

#[test]
fn rule_9_an_order_fails_only_by_the_origin_chains_time() {
    let status = |origin_time, now| {
        let context = OrderContext { now, origin_time, ..context() };
        advance(order(), &context).order.status
    };
    let years_later = at(2_000_000_000);
    assert_eq!(status(None, years_later), OrderStatus::Created, "the local clock does not count");
    assert_eq!(status(Some(OPEN_UNTIL), years_later), OrderStatus::Created, "the last second counts");
    assert_eq!(status(Some(OPEN_UNTIL + 1), at(NOW)), OrderStatus::Failed);
    // The destination's time does not count.
    let context = OrderContext { destination_time: Some(REFUND_AFTER), ..context() };
    assert_eq!(advance(order(), &context).order.status, OrderStatus::Created);
}

#[test]
fn rule_9_deposited_never_reverts_to_created() {
    let deposited = order_in(OrderStatus::Deposited, None);
    let context = OrderContext { origin_time: Some(REFUND_AFTER), ..context() };
    assert_eq!(
        advance(deposited, &context).order.status,
        OrderStatus::Deposited,
        "without its evidence, too"
    );
}

#[test]
fn rule_7_nothing_is_refunded_before_the_destination_chains_deadline() {
    let published = || order_in(OrderStatus::Published, Some(Decision::Fill));
    for time in [None, Some(FILL_UNTIL)] {
        // The origin may be ahead of the destination.
        let context = OrderContext {
            evidence: deposited(),
            destination_time: time,
            origin_time: Some(FILL_UNTIL + 1),
            now: at(2_000_000_000),
            ..context()
        };
        assert_eq!(advance(published(), &context).actions, [Action::Fill], "{time:?}");
    }
}

#[test]
fn the_refund_method_is_the_first_that_the_escrow_accepts() {
    let method = |decision, same_chain: bool, origin_time| {
        let mut order = order_in(OrderStatus::RefundPending, decision);
        if same_chain {
            order.terms.destination_chain_id = ORIGIN;
        }
        let context = OrderContext {
            evidence: deposited(),
            origin_time,
            destination_time: Some(FILL_UNTIL + 1),
            ..context()
        };
        let actions = advance(order, &context).actions;
        let [Action::Refund(method)] = actions.as_slice() else { panic!("{actions:?}") };
        *method
    };
    let (fill, waive) = (Some(Decision::Fill), Some(Decision::Waive));
    assert_eq!(method(waive, false, Some(500)), RefundMethod::Waive);
    assert_eq!(method(waive, true, None), RefundMethod::Waive);
    assert_eq!(method(fill, false, Some(500)), RefundMethod::Unfilled);
    assert_eq!(method(None, false, None), RefundMethod::Unfilled);
    assert_eq!(method(None, false, Some(REFUND_AFTER)), RefundMethod::Unfilled, "the last second counts");
    assert_eq!(
        method(fill, true, Some(500)),
        RefundMethod::Permissionless,
        "a same-chain order needs no attesters"
    );
    for decision in [None, fill, waive] {
        assert_eq!(method(decision, false, Some(REFUND_AFTER + 1)), RefundMethod::Permissionless);
    }
}

#[test]
fn a_claim_ends_when_the_escrow_has_paid_or_refunded() {
    let filled_order = || order_in(OrderStatus::Filled, Some(Decision::Fill));
    let step = |evidence| advance(filled_order(), &OrderContext { evidence, ..context() });
    let open = step(filled());
    assert_eq!(
        (open.actions.as_slice(), open.is_last()),
        ([Action::Release, Action::Claim].as_slice(), false)
    );
    let paid = step(Evidence { claim: Some(shown(ORIGIN, 90)), ..filled() });
    assert_eq!((paid.actions.as_slice(), paid.is_last()), ([Action::Release].as_slice(), true));
    // After `refundAt` the first of both wins.
    let lost = step(Evidence { refund: Some((shown(ORIGIN, 90), RefundCause::Expired)), ..filled() });
    assert_eq!((lost.actions.as_slice(), lost.is_last()), ([Action::Release].as_slice(), true));
}

#[test]
fn a_filled_order_is_never_refunded_however_late_the_fill_is_observed() {
    let reason = Some("The price has moved.".to_owned());
    let pending =
        Order { failure_reason: reason, ..order_in(OrderStatus::RefundPending, Some(Decision::Waive)) };
    // Anybody may refund from then on, but the service does not.
    let context = OrderContext { evidence: filled(), origin_time: Some(REFUND_AFTER + 1), ..context() };
    let step = advance(pending, &context);
    assert_eq!((step.order.status, step.order.failure_reason), (OrderStatus::Filled, None));
    assert_eq!(step.actions, [Action::Release, Action::Claim]);
}

#[test]
fn a_failed_or_refunded_order_has_no_work_left() {
    for (status, last) in [
        (OrderStatus::Created, false),
        (OrderStatus::Deposited, false),
        (OrderStatus::Published, false),
        (OrderStatus::RefundPending, false),
        (OrderStatus::Refunded, true),
        (OrderStatus::Failed, true),
    ] {
        assert_eq!(advance(order_in(status, None), &context()).is_last(), last, "{status}");
    }
}

#[test]
fn a_signed_payload_is_broadcast_until_the_open_deadline() {
    let signed = || Order { signed_payload: Some(vec![1]), ..order() };
    let actions = |origin_time, deposit_balance| {
        advance(signed(), &OrderContext { origin_time, deposit_balance, ..context() }).actions
    };
    assert_eq!(actions(None, None), [Action::BroadcastDeposit], "before the chain was read, too");
    assert_eq!(actions(Some(OPEN_UNTIL), None), [Action::BroadcastDeposit]);
    assert_eq!(actions(Some(OPEN_UNTIL + 1), None), [Action::Release]);
    // A signed payload takes precedence over a sweep.
    assert_eq!(actions(Some(500), Some(deposit_balance(30, 5_000))), [Action::BroadcastDeposit]);
    let opened = advance(signed(), &OrderContext { evidence: deposited(), ..context() });
    assert_eq!(opened.actions, [Action::AskFiller]);
}

#[test]
fn rule_15_an_address_is_swept_once_the_whole_amount_is_there() {
    let actions = |deposit_balance, origin_time| {
        advance(order(), &OrderContext { origin_time, deposit_balance: Some(deposit_balance), ..context() })
            .actions
    };
    assert_eq!(actions(deposit_balance(30, 999), Some(500)), [], "too little: waits for the rest");
    assert_eq!(actions(deposit_balance(30, 1_000), Some(500)), [Action::Sweep]);
    assert_eq!(
        actions(deposit_balance(30, 5_000), Some(500)),
        [Action::Sweep],
        "the excess is returned afterwards"
    );
    assert_eq!(actions(deposit_balance(30, 1_000), Some(OPEN_UNTIL)), [Action::Sweep]);
    let without_address = Order { deposit_address: None, ..order() };
    let context = OrderContext { deposit_balance: Some(deposit_balance(30, 1_000)), ..context() };
    assert_eq!(advance(without_address.clone(), &context).actions, []);
    let over = OrderContext { origin_time: Some(OPEN_UNTIL + 1), ..context };
    assert_eq!(returned_balance(&advance(without_address, &over)), None);
}

#[test]
fn rule_15_insufficient_and_late_deposits_are_returned_when_the_order_fails() {
    for input in [1, 999, 1_000, 5_000] {
        let context = OrderContext {
            deposit_balance: Some(deposit_balance(60, input)),
            origin_time: Some(OPEN_UNTIL + 1),
            ..context()
        };
        let step = advance(order(), &context);
        assert_eq!(step.order.status, OrderStatus::Failed);
        assert_eq!(returned_balance(&step), Some((60, vec![token(ORIGIN, 5)])), "{input}");
        assert!(!step.actions.contains(&Action::Sweep));
    }
}

#[test]
fn rule_15_excess_second_deposits_and_other_tokens_are_returned_once_the_order_is_open() {
    let other = token(ORIGIN, 0x77);
    let returned = |block, input, others: &[TokenId]| {
        let deposit_balance = Some(DepositBalance { block, input: raw(input), others: others.to_vec() });
        let mut context = OrderContext { deposit_balance, evidence: deposited(), ..context() };
        let early = returned_balance(&advance(order_in(OrderStatus::Deposited, None), &context));
        for (status, evidence) in [
            (OrderStatus::Published, deposited()),
            (OrderStatus::RefundPending, deposited()),
            (OrderStatus::Filled, filled()),
            (OrderStatus::Refunded, refunded()),
        ] {
            context.evidence = evidence;
            let decided = order_in(status, Some(Decision::Fill));
            assert_eq!(returned_balance(&advance(decided, &context)), early, "{status}");
        }
        early
    };
    // The balance was read before the deposit left: it is the deposit itself.
    assert_eq!(returned(OPENED_IN - 1, 1_000, &[]), None);
    assert_eq!(
        returned(OPENED_IN, 1_000, &[]),
        Some((OPENED_IN, vec![token(ORIGIN, 5)])),
        "in addition to the deposit"
    );
    assert_eq!(returned(OPENED_IN + 1, 1_000, &[]), Some((OPENED_IN + 1, vec![token(ORIGIN, 5)])));
    assert_eq!(returned(OPENED_IN + 1, 0, &[]), None, "nothing is there");
    assert_eq!(returned(OPENED_IN + 9, 0, &[other]), Some((OPENED_IN + 9, vec![other])));
    assert_eq!(returned(OPENED_IN + 9, 3, &[other]), Some((OPENED_IN + 9, vec![token(ORIGIN, 5), other])));
}

#[test]
fn other_tokens_stay_while_the_order_may_still_be_opened() {
    let deposit_balance =
        Some(DepositBalance { block: 30, input: raw(0), others: vec![token(ORIGIN, 0x77)] });
    assert_eq!(advance(order(), &OrderContext { deposit_balance, ..context() }).actions, []);
}

#[test]
fn an_order_is_announced_by_its_deposit_and_records_why_it_ended() {
    let opened = advance(order(), &OrderContext { evidence: deposited(), ..context() }).order;
    assert!(opened.announced);
    assert_eq!((opened.updated_at, opened.failure_reason), (at(NOW), None));
    let failed = advance(order(), &OrderContext { origin_time: Some(OPEN_UNTIL + 1), ..context() });
    assert!(!failed.order.announced, "it was never announced");
    assert_eq!(failed.order.failure_reason.as_ref(), failed.changes.first().map(|(_, message)| message));
    let waived = Order {
        failure_reason: Some("The price has moved.".to_owned()),
        ..order_in(OrderStatus::Deposited, Some(Decision::Waive))
    };
    let waived = advance(waived, &OrderContext { evidence: refunded(), ..context() });
    assert_eq!(waived.order.failure_reason.as_deref(), Some("The price has moved."));
}

#[test]
fn an_order_without_actions_is_due_at_its_deadline() {
    let due = |now| advance(order(), &OrderContext { now: at(now), ..context() }).order.due_at.unwrap();
    assert_eq!(due(NOW), at(1_001));
    assert!(due(1_000) == at(1_001));
    assert!(due(1_001) > at(1_001), "then again until the chain passes the deadline");
}

#[test]
fn the_retry_interval_grows_while_the_order_does_not_change() {
    let published =
        |updated_at| Order { updated_at, ..order_in(OrderStatus::Published, Some(Decision::Fill)) };
    let waits = |unmoved: i64| {
        let context = OrderContext { evidence: deposited(), ..context() };
        let step = advance(published(at(NOW - unmoved)), &context);
        step.order.due_at.unwrap().duration_since(at(NOW)).as_millis()
    };
    assert_eq!((waits(0), waits(4), waits(8), waits(80), waits(100_000)), (500, 500, 1_000, 10_000, 30_000));
    // A clock that moved back does not delay it.
    assert_eq!(waits(-1_000), 500);
}
