use causeway_domain::{EventKind, IntentState, Order, OrderEvent, OrderStatus};
use causeway_wire as wire;

use crate::mapping::chain_time;

pub(super) fn map_summary(order: &Order) -> wire::IntentSummary {
    let evidence = &order.evidence;
    wire::IntentSummary {
        intent_id: order.intent_id.to_string(),
        state: state(order),
        from_chain_id: order.from.chain().get(),
        to_chain_id: order.to.chain().get(),
        author: order.author.to_author(),
        from_token: order.from.address().to_string(),
        to_token: order.to.address().to_string(),
        src_amount: order.src_amount.to_string(),
        dest_amount: order.dest_amount.to_string(),
        created_at: order.created_at.to_string(),
        opened_at: evidence.deposit.as_ref().map(|shown| chain_time(shown.time)),
        filled_at: evidence.fill.as_ref().map(|shown| chain_time(shown.time)),
        settled_at: evidence.claim.as_ref().map(|shown| chain_time(shown.time)),
    }
}

/// Maps an intent with its deposit: the one seen on the chain, otherwise the submitted one.
pub(super) fn map_intent(order: &Order, events: &[OrderEvent]) -> wire::Intent {
    let shown = order.evidence.deposit.as_ref();
    let confirmed = events.iter().find(|event| event.kind == EventKind::Status(OrderStatus::Deposited));
    let deposit = order.deposit_tx().map(|tx| wire::IntentDeposit {
        // An order has one deposit, so the order key identifies it.
        id: order.key.get().unsigned_abs(),
        intent_id: order.intent_id.to_string(),
        chain_id: order.from.chain().get(),
        tx_hash: tx.to_owned(),
        input_token: order.from.address().to_string(),
        amount_in: shown.map_or(order.src_amount, |shown| shown.amount).to_string(),
        // Before it is seen on the chain, the order changed last when the deposit was submitted.
        created_at: shown.map_or_else(|| order.updated_at.to_string(), |shown| chain_time(shown.time)),
        confirmed_at: shown
            .map(|shown| confirmed.map_or_else(|| chain_time(shown.time), |event| event.at.to_string())),
    });
    wire::Intent { summary: map_summary(order), deposits: deposit.into_iter().collect() }
}

fn state(order: &Order) -> wire::IntentState {
    match order.intent_state() {
        IntentState::NonExistent => wire::IntentState::NonExistent,
        IntentState::Open => wire::IntentState::Open,
        IntentState::Locked => wire::IntentState::Locked,
        IntentState::Solved => wire::IntentState::Solved,
        IntentState::Settled => wire::IntentState::Settled,
        IntentState::Expired => wire::IntentState::Expired,
        IntentState::Cancelled => wire::IntentState::Cancelled,
        IntentState::Error => wire::IntentState::Error,
    }
}
