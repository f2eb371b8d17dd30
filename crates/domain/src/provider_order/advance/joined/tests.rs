use alloy_primitives::{B256, U256};

use super::super::tests::{bitcoin_order, provider_order, says, statuses};
use super::super::{ProviderStep, advance_provider};
use super::*;
use crate::ports::ProviderReturn;
use crate::sample::{DESTINATION, ORIGIN, at, order, raw, shown, token};
use crate::{Address, Evidence, ForwardingOrder, JoinedTerms, OrderStatus, TokenId};

/// The hub is the second chain; the wanted token lies on the third.
const HUB: u64 = 42;
const EXPIRY: u64 = 100_000;
/// The least that the first leg delivers, and that the recipient gets for it.
const WHOLE: u64 = 400;
const PATIENCE: SignedDuration = SignedDuration::from_mins(60);

fn hub() -> TokenId {
    token(HUB, 0x55)
}

fn refund_to() -> Address {
    Address::Evm([0x66; 20].into())
}

/// An order of a joined route, from a chain that is read or from one that is not.
fn joined_order(is_source_read: bool) -> Order {
    let mut order = if is_source_read { provider_order() } else { bitcoin_order() };
    let terms = JoinedTerms {
        hub: hub(),
        hub_amount: raw(WHOLE),
        filler: "inventory".to_owned(),
        refund_to: refund_to(),
    };
    let forwarding = ForwardingOrder {
        origin_chain_id: HUB,
        escrow: B256::repeat_byte(1),
        nonce: B256::repeat_byte(2),
        maker: B256::repeat_byte(3),
        input_token: hub().address().to_word(),
        refund_to: refund_to().to_word(),
        destination_chain_id: DESTINATION,
        output_token: order.to.address().to_word(),
        recipient: order.recipient.to_word(),
        rate_in: U256::from(WHOLE),
        rate_out: order.dest_amount.get(),
        expiry: EXPIRY,
    };
    let plan = ForwardingPlan {
        order: forwarding,
        address: Address::Evm([0x44; 20].into()),
        filler: terms.filler.clone(),
        route: order.route.clone(),
        swap: None,
        returned_tx: None,
    };
    let joined = JoinedOrder { terms, plan, delivered: None, arrived_at: None };
    order.provider.as_mut().unwrap().joined = Some(Box::new(joined));
    order
}

/// What the hub's chain shows: the balance of the forwarding address.
fn holding(amount: u64) -> JoinedContext {
    JoinedContext {
        balance: Some(ForwardingBalance { block: 50, amount: raw(amount), others: Vec::new() }),
        hub_time: Some(300),
        swaps: Vec::new(),
        returned: None,
        patience: PATIENCE,
    }
}

fn context(now: i64, seen: JoinedContext) -> ProviderContext {
    ProviderContext { joined: Some(seen), ..ProviderContext::new(at(now)) }
}

/// A swap of the balance with what the chains show of it.
fn swap(fill: Option<u64>, refund: bool) -> Order {
    let mut swap = Order { from: hub(), ..order() };
    swap.terms.amount_in = U256::from(WHOLE);
    let paid = |amount| crate::ConfirmedTx { amount, ..shown(DESTINATION, 60) };
    swap.evidence = Evidence {
        deposit: Some(shown(HUB, 40)),
        fill: fill.map(|amount| paid(raw(amount))),
        refund: refund.then(|| (shown(HUB, 70), RefundCause::Unfilled)),
        ..Evidence::default()
    };
    swap
}

fn arrived(order: Order) -> ProviderStep {
    advance_provider(order, &context(200, holding(WHOLE)))
}

fn back(block: u64) -> Vec<ForwardingAction> {
    vec![ForwardingAction::ReturnBalance { tokens: vec![hub()], seen_in: block }]
}

#[test]
fn rule_22_a_joined_order_is_filled_by_its_second_swap_alone() {
    for is_source_read in [true, false] {
        // The provider has delivered to the forwarding address, which a final block shows.
        let delivered = crate::ConfirmedTx { amount: raw(WHOLE), ..shown(HUB, 30) };
        let report = Some(says(ProviderState::Delivered { tx: delivered.tx.clone() }));
        let first = ProviderContext { fill: Some(delivered.clone()), report, ..context(200, holding(WHOLE)) };
        let step = advance_provider(joined_order(is_source_read), &first);
        assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::Published]);
        assert_eq!(step.order.evidence.fill, None, "the first leg is no fill");
        assert_eq!(step.order.joined().unwrap().delivered.as_ref(), Some(&delivered));
        assert_eq!(step.actions, [ForwardingAction::Swap { amount: raw(WHOLE), seen_in: 50 }]);
        assert!(step.order.announced, "it is visible whoever submitted it");

        let under_way = JoinedContext { swaps: vec![swap(None, false)], ..holding(0) };
        let step = advance_provider(step.order, &context(300, under_way));
        assert_eq!((statuses(&step), step.actions), (vec![], vec![]), "the deposit of the swap is no fill");
        let least = u64::try_from(step.order.dest_amount.get()).unwrap();
        let short = JoinedContext { swaps: vec![swap(Some(least - 1), false)], ..holding(0) };
        let step = advance_provider(step.order, &context(300, short));
        assert_eq!(statuses(&step), vec![], "nor is less than was promised");
        let filled = JoinedContext { swaps: vec![swap(Some(least), false)], ..holding(0) };
        let step = advance_provider(step.order, &context(300, filled));
        assert_eq!((statuses(&step), step.order.failure_reason), (vec![OrderStatus::Filled], None));
        assert_eq!(step.order.evidence.fill.unwrap().amount, raw(least));
    }
}

#[test]
fn rule_21_a_joined_order_swaps_the_whole_amount_only_and_returns_less() {
    let step = advance_provider(joined_order(true), &context(200, holding(WHOLE - 1)));
    assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::Published]);
    assert_eq!(step.actions, [], "the rest may come");
    // Less than half is nobody's payment, unless the provider says that it has paid.
    let few = advance_provider(joined_order(true), &context(200, holding(WHOLE / 2 - 1)));
    assert_eq!((statuses(&few), few.order.joined().unwrap().arrived_at), (vec![], None));
    let patience = PATIENCE.as_secs();
    let later = advance_provider(step.order.clone(), &context(200 + patience, holding(WHOLE - 1)));
    assert_eq!(later.actions, [], "the last moment");
    let late = advance_provider(later.order, &context(201 + patience, holding(WHOLE - 1)));
    assert_eq!(late.actions, back(50));
    // The rest has come in time.
    let whole = advance_provider(step.order, &context(300, holding(WHOLE)));
    assert_eq!(whole.actions, [ForwardingAction::Swap { amount: raw(WHOLE), seen_in: 50 }]);
}

#[test]
fn rule_21_what_no_filler_swaps_is_returned_and_named() {
    let step = arrived(joined_order(true));
    let late = 201 + PATIENCE.as_secs();
    let step = advance_provider(step.order, &context(late, holding(WHOLE)));
    assert_eq!((statuses(&step), &step.actions), (vec![], &back(50)), "until then it is offered");
    let returned = crate::ConfirmedTx { amount: raw(WHOLE), ..shown(HUB, 80) };
    let seen = JoinedContext { returned: Some(returned.clone()), ..holding(0) };
    let step = advance_provider(step.order, &context(late + 60, seen.clone()));
    assert_eq!(statuses(&step), [OrderStatus::RefundPending, OrderStatus::Refunded]);
    let order = step.order;
    assert_eq!(order.evidence.refund, Some((returned.clone(), RefundCause::Provider)));
    assert_eq!(order.joined().unwrap().plan.returned_tx.as_ref(), Some(&returned.tx));
    let reason = order.failure_reason.clone().unwrap();
    for words in ["No filler", "400 raw units", &hub().to_string(), &refund_to().to_string(), &returned.tx] {
        assert!(reason.contains(words), "{words}: {reason}");
    }
    // Looked at again, it stays as it is.
    let again = advance_provider(order, &context(late + 600, seen));
    assert_eq!((statuses(&again), again.order.failure_reason), (vec![], Some(reason)));
}

#[test]
fn rule_21_a_second_swap_that_was_refunded_ends_the_joined_order() {
    let step = arrived(joined_order(true));
    let mut refunded = swap(None, true);
    refunded.failure_reason = Some("The filler's delivery failed on the chain.".to_owned());
    let seen = JoinedContext { swaps: vec![refunded], ..holding(0) };
    let step = advance_provider(step.order, &context(400, seen));
    assert_eq!(statuses(&step), [OrderStatus::RefundPending, OrderStatus::Refunded]);
    assert_eq!(step.order.evidence.refund.as_ref().map(|(refund, _)| refund.tx.as_str()), Some("0x70"));
    let reason = step.order.failure_reason.unwrap();
    assert!(reason.starts_with("The filler's delivery failed") && reason.contains("0x70"), "{reason}");
}

#[test]
fn rule_21_what_comes_after_the_end_is_returned_while_the_address_is_watched() {
    let filled = JoinedContext { swaps: vec![swap(Some(990), false)], ..holding(0) };
    let order = advance_provider(arrived(joined_order(true)).order, &context(300, filled.clone())).order;
    assert_eq!(order.status, OrderStatus::Filled);
    assert!(order.due_at.is_some_and(|due| due > at(300) && due <= at(900)), "{:?}", order.due_at);
    let second = JoinedContext { balance: holding(WHOLE).balance, ..filled.clone() };
    let step = advance_provider(order.clone(), &context(1_000, second));
    assert_eq!((statuses(&step), step.actions), (vec![], back(50)), "it is not swapped twice");
    let until = i64::try_from(EXPIRY).unwrap() + 7 * 86_400;
    let due = |now: i64| advance_provider(order.clone(), &context(now, filled.clone())).order.due_at;
    assert!(due(until - 1).is_some() && due(until).is_none(), "a week after its expiry");
    // The same for an order that nobody paid in time.
    let unpaid = joined_order(true);
    let last = i64::try_from(unpaid.terms.fill_deadline).unwrap() + 1;
    let unpaid = advance_provider(unpaid, &context(last, holding(0))).order;
    assert_eq!(unpaid.status, OrderStatus::Failed);
    assert_eq!(advance_provider(unpaid, &context(last + 60, holding(WHOLE))).actions, back(50));
}

#[test]
fn rule_21_before_the_forwarding_order_expires_all_is_returned() {
    let margin = EXPIRY - 600;
    let seen = |time, amount| JoinedContext { hub_time: Some(time), ..holding(amount) };
    let swap_of = |step: ProviderStep| step.actions;
    let in_time = swap_of(advance_provider(joined_order(true), &context(200, seen(margin, WHOLE))));
    assert!(matches!(in_time[..], [ForwardingAction::Swap { .. }]), "{in_time:?}");
    for amount in [1, WHOLE] {
        let late = advance_provider(joined_order(true), &context(200, seen(margin + 1, amount)));
        assert_eq!(swap_of(late), back(50), "{amount}");
    }
    // Anybody may do it after the expiry.
    let order = arrived(joined_order(true)).order;
    let gone = advance_provider(order.clone(), &context(400, seen(EXPIRY, 0)));
    assert_eq!(statuses(&gone), []);
    let gone = advance_provider(order, &context(400, seen(EXPIRY + 1, 0)));
    assert_eq!(statuses(&gone), [OrderStatus::RefundPending, OrderStatus::Refunded]);
    let reason = gone.order.failure_reason.unwrap();
    assert!(reason.contains("after the forwarding order expired"), "{reason}");
}

#[test]
fn rule_22_a_providers_word_on_the_first_leg_ends_nothing_once_it_has_delivered() {
    for is_source_read in [true, false] {
        let order = arrived(joined_order(is_source_read)).order;
        let returned = ProviderReturn { token: order.from, tx: "cd".repeat(32), at_recipient: false };
        for state in [ProviderState::Failed, ProviderState::Returned(returned.clone())] {
            let said = ProviderContext {
                report: Some(says(state)),
                refund: Some((shown(ORIGIN, 5), None)),
                ..context(300, JoinedContext { swaps: vec![swap(None, false)], ..holding(0) })
            };
            let step = advance_provider(order.clone(), &said);
            assert_eq!((statuses(&step), step.order.evidence.refund), (vec![], None));
        }
    }
}

#[test]
fn a_first_leg_that_its_provider_returns_ends_a_joined_order_as_any_other() {
    let returned =
        |order: &Order| ProviderReturn { token: order.from, tx: "0x5".to_owned(), at_recipient: false };
    let order = joined_order(true);
    let said = ProviderContext {
        deposit: Some(shown(ORIGIN, 1)),
        report: Some(says(ProviderState::Returned(returned(&order)))),
        refund: Some((shown(ORIGIN, 5), None)),
        ..context(200, holding(0))
    };
    let step = advance_provider(order, &said);
    assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::RefundPending, OrderStatus::Refunded]);
    assert_eq!(step.order.evidence.refund.unwrap().0.tx, "0x5");
}

#[test]
fn a_forwarding_address_that_nobody_reads_leaves_a_joined_order_open() {
    let order = joined_order(false);
    let last = i64::try_from(order.terms.fill_deadline).unwrap() + 1;
    let unread =
        ProviderContext { is_unheard: true, ..context(last, JoinedContext { balance: None, ..holding(0) }) };
    let step = advance_provider(order, &unread);
    assert_eq!((statuses(&step), &step.actions), (vec![], &vec![]));
    assert!(step.order.due_at.is_some_and(|due| due > at(last)));
}

#[test]
fn the_first_leg_is_what_its_provider_was_asked_for() {
    let order = joined_order(true);
    let leg = order.first_leg();
    assert_eq!(
        (leg.to, leg.recipient, leg.dest_amount),
        (hub(), Address::Evm([0x44; 20].into()), raw(WHOLE))
    );
    assert_eq!((leg.from, leg.src_amount, leg.refund_to), (order.from, order.src_amount, order.refund_to));
    assert_eq!(provider_order().first_leg().to, provider_order().to);
}
