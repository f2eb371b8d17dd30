use super::*;
use crate::ports::ProviderReturn;
use crate::sample::{DESTINATION, ORIGIN, at, order, raw, shown, token};
use crate::{
    Address, BITCOIN_CHAIN_ID, CustodyNotice, DepositMethod, ProviderOrder, ProviderTerms, Slippage, TokenId,
};

pub(super) fn provider_order() -> Order {
    let mut order = order();
    order.method = DepositMethod::ContractCall;
    order.deposit_address = None;
    order.filler = "lifi".to_owned();
    order.provider = Some(Box::new(ProviderOrder {
        terms: ProviderTerms { tool: "across".to_owned(), slippage: Slippage::DEFAULT },
        notice: CustodyNotice { held_by: "a bridge".to_owned(), refunds: "slowly".to_owned() },
        target: Address::Evm([1; 20].into()),
        spender: None,
        word: None,
        named_deposit: None,
        joined: None,
    }));
    order.submitted_tx = Some("0xdeposit".to_owned());
    order
}

pub(super) fn says(state: ProviderState) -> ProviderReport {
    ProviderReport { state, word: "PENDING".to_owned(), deposits: Vec::new(), received: None }
}

fn context(report: Option<ProviderReport>) -> ProviderContext {
    ProviderContext { deposit: Some(shown(ORIGIN, 1)), report, ..ProviderContext::new(at(200)) }
}

pub(super) fn statuses(step: &ProviderStep) -> Vec<OrderStatus> {
    step.changes.iter().map(|(status, _)| *status).collect()
}

#[test]
fn nothing_moves_before_the_chain_shows_the_payers_transaction() {
    let done = ProviderState::Delivered { tx: "0xfill".to_owned() };
    let context = ProviderContext {
        fill: Some(shown(DESTINATION, 9)),
        report: Some(says(done)),
        ..ProviderContext::new(at(200))
    };
    let step = advance_provider(provider_order(), &context);
    assert_eq!((step.order.status, statuses(&step)), (OrderStatus::Created, vec![]));
    assert_eq!(step.order.evidence.fill, None);
    assert!(step.order.due_at.is_some_and(|due| due > at(200)));
}

#[test]
fn rule_22_the_providers_done_completes_nothing_and_a_transfer_does() {
    let done = || Some(says(ProviderState::Delivered { tx: "0xfill".to_owned() }));
    let step = advance_provider(provider_order(), &context(done()));
    assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::Published]);
    assert_eq!(step.order.provider.as_ref().unwrap().word.as_deref(), Some("PENDING"));
    let shown = ProviderContext { fill: Some(shown(DESTINATION, 9)), ..context(done()) };
    let step = advance_provider(step.order, &shown);
    assert_eq!((statuses(&step), step.order.due_at), (vec![OrderStatus::Filled], None));
    assert_eq!(step.order.failure_reason, None);
}

#[test]
fn rule_22_a_refund_needs_a_transfer_too_and_a_status_may_go_back() {
    let step = advance_provider(provider_order(), &context(Some(says(ProviderState::Failed))));
    assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::RefundPending]);
    // The provider works on it again, and then claims to have returned it.
    let step = advance_provider(step.order, &context(Some(says(ProviderState::Working))));
    assert_eq!(step.order.status, OrderStatus::RefundPending);
    let claim = ProviderReturn { token: token(ORIGIN, 5), tx: "0x5".to_owned(), at_recipient: false };
    let claimed = context(Some(says(ProviderState::Returned(claim))));
    let step = advance_provider(step.order, &claimed);
    assert_eq!((step.order.status, statuses(&step)), (OrderStatus::RefundPending, vec![]));
    let returned = ProviderContext { refund: Some((shown(ORIGIN, 5), None)), ..claimed };
    let step = advance_provider(step.order, &returned);
    assert_eq!(statuses(&step), [OrderStatus::Refunded]);
    assert_eq!(step.order.evidence.refund.map(|(_, cause)| cause), Some(RefundCause::Provider));
    assert!(step.order.failure_reason.unwrap().contains("returned the money"));
}

#[test]
fn a_delivery_during_a_pending_refund_fills_the_order() {
    let step = advance_provider(provider_order(), &context(Some(says(ProviderState::Failed))));
    let filled = ProviderContext { fill: Some(shown(DESTINATION, 9)), ..context(None) };
    assert_eq!(statuses(&advance_provider(step.order, &filled)), [OrderStatus::Filled]);
}

#[test]
fn rule_22_a_transfer_of_less_is_told_and_completes_nothing() {
    let short = ProviderContext {
        short: Some((raw(989), "0xless".to_owned())),
        ..context(Some(says(ProviderState::Delivered { tx: "0xless".to_owned() })))
    };
    let step = advance_provider(provider_order(), &short);
    assert_eq!(step.order.status, OrderStatus::Published);
    assert!(step.order.failure_reason.as_ref().unwrap().contains("989"), "{:?}", step.order.failure_reason);
    let whole = ProviderContext { fill: Some(shown(DESTINATION, 9)), ..context(None) };
    let whole = advance_provider(step.order, &whole).order;
    assert_eq!((whole.status, whole.failure_reason), (OrderStatus::Filled, None));
}

#[test]
fn an_unpaid_order_fails_after_its_time_and_not_before() {
    let mut order = provider_order();
    order.submitted_tx = None;
    let until = i64::try_from(order.terms.fill_deadline).unwrap();
    let early = advance_provider(order.clone(), &ProviderContext::new(at(until)));
    assert_eq!((early.order.status, early.order.due_at), (OrderStatus::Created, Some(at(until + 1))));
    let late = advance_provider(order, &ProviderContext::new(at(until + 1)));
    assert_eq!((late.order.status, late.order.due_at), (OrderStatus::Failed, None));
}

#[test]
fn an_order_that_may_be_paid_does_not_fail_while_nobody_tells() {
    for order in [provider_order(), transfer_order()] {
        let until = i64::try_from(order.terms.fill_deadline).unwrap();
        let unheard = |now: i64| ProviderContext { is_unheard: true, ..ProviderContext::new(at(now)) };
        let late = advance_provider(order.clone(), &unheard(until + 3_600));
        assert_eq!(late.order.status, OrderStatus::Created, "{:?}", order.method);
        let due = late.order.due_at.unwrap();
        assert!(due > at(until + 3_600) && due <= at(until + 3_600 + 600), "{due}");
        // The chain answers again, and shows that it was paid in time.
        let shown = ProviderContext { now: at(until + 7_200), ..context(None) };
        assert_eq!(advance_provider(late.order, &shown).order.status, OrderStatus::Deposited);
        let waits = advance_provider(order.clone(), &unheard(until + 7 * 86_400));
        assert_eq!(waits.order.status, OrderStatus::Created, "the last moment of a week");
        let given_up = advance_provider(order, &unheard(until + 7 * 86_400 + 1));
        assert_eq!(given_up.order.status, OrderStatus::Failed, "a week is enough");
    }
}

#[test]
fn a_provider_that_is_silent_for_a_day_leaves_the_order_open() {
    let mut order = advance_provider(provider_order(), &context(None)).order;
    assert_eq!(order.status, OrderStatus::Deposited);
    for hour in 1..=24 {
        let now = at(200 + hour * 3_600);
        let step = advance_provider(order, &ProviderContext::new(now));
        assert_eq!((step.order.status, statuses(&step)), (OrderStatus::Deposited, vec![]));
        assert_eq!(step.order.due_at, now.checked_add(MAX_INTERVAL).ok());
        order = step.order;
    }
}

/// An order that is paid by a transfer to the provider's address.
fn transfer_order() -> Order {
    Order { method: DepositMethod::Transfer, submitted_tx: None, ..provider_order() }
}

#[test]
fn a_transfer_is_looked_for_without_being_submitted_until_its_time_is_over() {
    let order = transfer_order();
    let open = i64::try_from(order.terms.open_deadline).unwrap();
    let until = i64::try_from(order.terms.fill_deadline).unwrap();
    let due = |now: i64| advance_provider(order.clone(), &ProviderContext::new(at(now))).order.due_at;
    let updated = order.updated_at.as_second();
    assert_eq!(due(updated), Some(at(updated + 2)));
    assert_eq!(due(updated + 80), Some(at(updated + 90)));
    assert_eq!(due(open + 1), Some(at((open + 601).min(until + 1))));
    assert_eq!(due(until), Some(at(until + 1)));
    assert_eq!(due(until + 1), None);
}

#[test]
fn rule_22_a_delivery_on_the_chain_completes_a_transfer_that_left_no_trace() {
    let done = ProviderState::Delivered { tx: "0xfill".to_owned() };
    let said = ProviderContext { report: Some(says(done)), ..ProviderContext::new(at(200)) };
    let step = advance_provider(transfer_order(), &said);
    assert_eq!((step.order.status, statuses(&step)), (OrderStatus::Created, vec![]), "a word only");
    let shown = ProviderContext { fill: Some(shown(DESTINATION, 9)), ..said };
    let step = advance_provider(step.order, &shown);
    assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::Published, OrderStatus::Filled]);
    assert_eq!(step.order.evidence.deposit, None, "nothing is made up");
}

#[test]
fn rule_22_a_return_on_the_chain_ends_a_transfer_that_left_no_trace() {
    let said = ProviderContext { report: Some(says(ProviderState::Failed)), ..ProviderContext::new(at(200)) };
    let step = advance_provider(transfer_order(), &said);
    assert_eq!((step.order.status, statuses(&step)), (OrderStatus::Created, vec![]), "a word only");
    let shown = ProviderContext { refund: Some((shown(ORIGIN, 5), None)), ..said };
    let step = advance_provider(step.order, &shown);
    assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::RefundPending, OrderStatus::Refunded]);
}

#[test]
fn a_transfer_of_less_than_the_input_is_named_and_is_no_deposit() {
    let order = transfer_order();
    let until = i64::try_from(order.terms.fill_deadline).unwrap();
    let less =
        ProviderContext { underpaid: Some((raw(7), "0xless".to_owned())), ..ProviderContext::new(at(200)) };
    let step = advance_provider(order, &less);
    assert_eq!((step.order.status, statuses(&step)), (OrderStatus::Created, vec![]));
    let reason = |order: &Order| order.failure_reason.clone().unwrap();
    assert!(reason(&step.order).contains("Only 7 of"), "{}", reason(&step.order));
    let late = advance_provider(step.order, &ProviderContext::new(at(until + 1)));
    assert_eq!(late.order.status, OrderStatus::Failed);
    assert!(reason(&late.order).contains("Only 7 of"), "still: {}", reason(&late.order));
}

/// An order that is paid on Bitcoin, which the service does not read.
pub(super) fn bitcoin_order() -> Order {
    let mut order = provider_order();
    order.method = DepositMethod::Transfer;
    order.submitted_tx = None;
    order.from = TokenId::native(BITCOIN_CHAIN_ID);
    order
}

fn told(state: ProviderState, received: Option<u64>) -> ProviderContext {
    let deposits = vec!["AB".repeat(32), "cd".repeat(32)];
    let report = ProviderReport { deposits, received: received.map(raw), ..says(state) };
    ProviderContext { report: Some(report), ..ProviderContext::new(at(200)) }
}

#[test]
fn the_providers_word_counts_for_a_chain_that_nobody_reads() {
    let order = bitcoin_order();
    let amount = u64::try_from(order.src_amount.get()).unwrap();
    let step = advance_provider(order, &told(ProviderState::Working, None));
    assert_eq!(
        (statuses(&step), step.order.failure_reason.clone()),
        (vec![], None),
        "a transaction that was only named"
    );
    let step = advance_provider(step.order, &told(ProviderState::Working, Some(amount - 1)));
    assert_eq!(statuses(&step), []);
    assert!(
        step.order.failure_reason.as_ref().unwrap().contains("says that only"),
        "{:?}",
        step.order.failure_reason
    );
    let step = advance_provider(step.order, &told(ProviderState::Working, Some(amount)));
    assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::Published]);
    let order = step.order;
    assert_eq!((order.failure_reason.as_ref(), order.evidence.deposit.as_ref()), (None, None), "no evidence");
    assert_eq!(order.provider.as_ref().unwrap().named_deposit, Some("ab".repeat(32)));
}

#[test]
fn rule_22_only_the_destination_chain_completes_what_began_on_a_chain_that_nobody_reads() {
    let order = bitcoin_order();
    let amount = u64::try_from(order.src_amount.get()).unwrap();
    let done = told(ProviderState::Delivered { tx: "0xfill".to_owned() }, Some(amount));
    let step = advance_provider(order, &done);
    assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::Published]);
    let shown = ProviderContext { fill: Some(shown(DESTINATION, 9)), ..done };
    assert_eq!(statuses(&advance_provider(step.order, &shown)), [OrderStatus::Filled]);
}

#[test]
fn a_refund_on_a_chain_that_nobody_reads_is_the_providers_word_and_says_so() {
    let step = advance_provider(bitcoin_order(), &told(ProviderState::Failed, None));
    assert_eq!(statuses(&step), [], "nothing was paid");
    let token = TokenId::native(BITCOIN_CHAIN_ID);
    let returned = ProviderReturn { token, tx: "cd".repeat(32), at_recipient: false };
    let step = advance_provider(step.order, &told(ProviderState::Returned(returned.clone()), None));
    assert_eq!(statuses(&step), [OrderStatus::Deposited, OrderStatus::RefundPending, OrderStatus::Refunded]);
    assert!(step.order.evidence.refund.is_none() && step.order.due_at.is_none());
    let reason = step.order.failure_reason.unwrap();
    assert!(reason.contains("says that it has returned") && reason.contains(&"cd".repeat(32)), "{reason}");
    // Where the chain is read, the word alone refunds nothing.
    let read = advance_provider(provider_order(), &told(ProviderState::Returned(returned), None));
    assert_eq!(statuses(&read), []);
}
