use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::ports::Arrival;
use causeway_domain::{Address, Order, OrderStatus, RawAmount};
use causeway_wire::{DepositAddressOrder, DepositAddressOrders, ErrorBody, ObservedDeposit};

use crate::App;
use crate::error::ApiResult;
use crate::extract::{Issues, PathParam};

/// The orders of a deposit address, and the transfers observed there.
///
/// The lists are empty for an address of no order.
#[utoipa::path(
    get,
    path = "/v1/orders/by-deposit-address/{address}",
    tag = "orders",
    params(("address" = String, Path, description = "As a build answered it", example = "0x2D5f5Bd9D4c0B1B1c8C8e4b8b3BD3C1c5E1A7A11")),
    responses(
        (status = 200, body = DepositAddressOrders),
        (status = 400, description = "ValidationException", body = ErrorBody),
    ),
)]
pub(crate) async fn get_deposit_address(
    State(app): State<Arc<App>>,
    param: PathParam,
) -> ApiResult<Json<DepositAddressOrders>> {
    let mut issues = Issues::default();
    let address = param.address(&mut issues);
    issues.finish()?;
    let Some(address) = address else {
        return Ok(Json(DepositAddressOrders { data: Vec::new(), observed_deposits: Vec::new() }));
    };
    let orders = app.orders.orders_at(address).await?;
    let arrivals = app.facts.arrivals(address).await?;
    Ok(Json(DepositAddressOrders {
        data: orders
            .iter()
            .filter(|order| order.announced)
            .map(|order| map_order(order, address, &arrivals))
            .collect(),
        observed_deposits: arrivals
            .iter()
            .filter(|arrival| !arrival.gained.is_zero())
            .map(map_arrival)
            .collect(),
    }))
}

fn map_arrival(arrival: &Arrival) -> ObservedDeposit {
    ObservedDeposit {
        chain_id: arrival.token.chain().get(),
        tx_hash: arrival.tx.clone(),
        token: arrival.token.address().to_string(),
        amount: arrival.gained.to_string(),
    }
}

fn map_order(order: &Order, address: Address, arrivals: &[Arrival]) -> DepositAddressOrder {
    DepositAddressOrder {
        order_id: order.id.to_string(),
        oda_id: format!("{}:{address}", order.from.chain().caip2()),
        deposit_address: address.to_string(),
        status: order.status.to_string(),
        step: step(order, arrivals).to_owned(),
        intent_id: order.intent_id.to_string(),
        refund_to: Some(order.refund_to.to_string()),
        error_message: order.failure_reason.clone(),
        deposit_tx_hash: order.deposit_tx().map(str::to_owned),
        refund_tx_hash: order.evidence.refund.as_ref().map(|(shown, _)| shown.tx.clone()),
        valid_before: Some(order.valid_before.as_second()),
        created_at: order.created_at.to_string(),
        updated_at: order.updated_at.to_string(),
    }
}

/// What the order waits for, in more detail than its status.
fn step(order: &Order, arrivals: &[Arrival]) -> &'static str {
    let own = arrivals.iter().filter(|arrival| arrival.order == order.id && arrival.token == order.from);
    // `gained` also counts amounts that were swept since.
    let received = own.fold(RawAmount::ZERO, |sum, arrival| sum.checked_add(arrival.gained).unwrap_or(sum));
    match order.status {
        OrderStatus::Created if received.is_zero() => "awaiting_deposit",
        OrderStatus::Created if received < order.src_amount => "awaiting_more",
        OrderStatus::Created => "sweeping",
        OrderStatus::Deposited => "asking_filler",
        OrderStatus::Published => "filling",
        OrderStatus::Filled => "filled",
        OrderStatus::RefundPending => "refunding",
        OrderStatus::Refunded => "refunded",
        OrderStatus::Failed => "expired",
    }
}
