use causeway_catalog::Snapshot;
use causeway_domain::{
    ConfirmedTx, Decision, DepositMethod, EventKind, Order, OrderEvent, OrderStatus, TokenId,
};
use causeway_wire as wire;

use super::steps::{reached_at, steps};
use crate::mapping::{chain_time, word_to_address};

/// Maps an order with its events to its wire type.
pub(super) fn map_order(order: &Order, events: &[OrderEvent], snapshot: &Snapshot) -> wire::Order {
    let steps = steps(order, events);
    let status_time =
        |status| reached_at(status, events).filter(|_| steps.contains(&status)).map(|at| at.to_string());
    let created_at = order.created_at.to_string();
    let is_ours = order.provider.is_none();
    wire::Order {
        id: order.id.to_string(),
        r#type: order.kind.clone(),
        quote_id: order.quote.to_string(),
        route_id: order.route.to_string(),
        status: order.status.to_string(),
        from_chain_id: order.from.chain().get(),
        to_chain_id: order.to.chain().get(),
        from_token: Some(order.from.address().to_string()),
        to_token: Some(order.to.address().to_string()),
        src_amount: order.src_amount.to_string(),
        dest_amount: order.dest_amount.to_string(),
        author: order.author.to_author(),
        recipient: Some(order.recipient.to_string()),
        refund_to: Some(order.refund_to.to_string()),
        filler_address: is_ours
            .then(|| word_to_address(order.terms.filler, order.from.chain().family()).to_string()),
        external_order_id: external_id(order),
        deposit_tx_hash: deposit_tx(order),
        intent_id: is_ours.then(|| order.intent_id.to_string()),
        trade_type: order.trade_type.as_str().to_owned(),
        created_at: created_at.clone(),
        updated_at: order.updated_at.to_string(),
        transactions: wire::OrderTransactions {
            deposit: order.evidence.deposit.as_ref().map(map_shown),
            fill: order.evidence.fill.as_ref().map(map_shown),
            refund: order.evidence.refund.as_ref().map(|(shown, _)| map_shown(shown)),
        },
        timestamps: wire::OrderTimestamps {
            created_at,
            published_at: status_time(OrderStatus::Published),
            failed_at: status_time(OrderStatus::Failed),
            deposit_before: Some(order.valid_before.to_string()),
            refund_at: is_ours.then(|| chain_time(order.terms.refund_at)),
        },
        steps_completed: steps.iter().map(ToString::to_string).collect(),
        provider_status: Some(wire::ProviderStatus {
            provider: order.filler.clone(),
            native_status: match &order.provider {
                Some(provider) => provider.word.clone().unwrap_or_else(|| provider_status(order).to_owned()),
                None => provider_status(order).to_owned(),
            },
        }),
        settlement: order.provider.as_ref().map(|_| "provider".to_owned()),
        held_by: order.provider.as_ref().map(|provider| provider.notice.held_by.clone()),
        refunds: order.provider.as_ref().map(|provider| provider.notice.refunds.clone()),
        failure_reason: order.failure_reason.clone(),
        from_token_meta: map_meta(&order.from, snapshot),
        to_token_meta: map_meta(&order.to, snapshot),
    }
}

/// The deposit's transaction; where the service does not read the chain, as the provider names it.
fn deposit_tx(order: &Order) -> Option<String> {
    let named = order.provider.as_ref().and_then(|provider| provider.named_deposit.as_deref());
    order.deposit_tx().or(named).map(str::to_owned)
}

/// By what a provider knows an order: its deposit, or the address that it is paid at. Orders through our own contracts have no id of
/// the filler's.
fn external_id(order: &Order) -> Option<String> {
    let provider = order.provider.as_ref()?;
    match order.method {
        DepositMethod::Transfer => Some(provider.target.to_string()),
        _ => order.deposit_tx().map(str::to_owned),
    }
}

/// Maps an event of an order to its wire type.
pub(super) fn map_event(event: &OrderEvent) -> wire::OrderEvent {
    let status = match &event.kind {
        EventKind::Status(status) => Some(status.as_str().to_owned()),
        EventKind::Note => None,
    };
    wire::OrderEvent {
        order_id: event.order.to_string(),
        status,
        detail: event.detail.clone(),
        at: event.at.to_string(),
    }
}

fn map_shown(shown: &ConfirmedTx) -> wire::OrderTransaction {
    wire::OrderTransaction {
        timestamp: chain_time(shown.time),
        tx_hash: shown.tx.clone(),
        chain_id: shown.chain.get(),
        amount: Some(shown.amount.to_string()),
    }
}

fn map_meta(token: &TokenId, snapshot: &Snapshot) -> Option<wire::TokenMeta> {
    let token = snapshot.token(token)?.token;
    Some(wire::TokenMeta {
        symbol: token.symbol.clone(),
        decimals: token.decimals,
        logo_uri: token.logo.clone(),
    })
}

/// The state of the order at its filler: on-chain evidence first, then the filler's decision.
fn provider_status(order: &Order) -> &'static str {
    let evidence = &order.evidence;
    match order.decision {
        _ if evidence.claim.is_some() => "paid",
        _ if evidence.fill.is_some() => "delivered",
        _ if evidence.refund.is_some() => "returned",
        Some(Decision::Fill) => "accepted",
        Some(Decision::Waive) => "declined",
        None if evidence.deposit.is_some() => "asked",
        None => "waiting",
    }
}
