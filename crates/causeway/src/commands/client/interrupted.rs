use causeway_client::wire::{SubmitAsk, Warning};
use causeway_client::{Error, Limit, OrderQuery};

use super::Session;
use super::failure::Failure;

/// The known state of a running swap, for when it is interrupted.
#[derive(Clone, Default)]
pub(super) struct SwapState {
    pub(super) quote_id: String,
    pub(super) route_id: String,
    /// Whether the deposit was built, so that it may be signed.
    pub(super) built: bool,
    /// The hash of the deposit transaction.
    pub(super) deposit: Option<String>,
    pub(super) order: Option<String>,
    /// The bound of the price, and the best that was offered: raw units of the output, or of the input.
    pub(super) limit: Option<Limit>,
    pub(super) best: Option<String>,
    /// The warnings of the chosen route.
    pub(super) warned: Vec<Warning>,
}

/// The failure after Ctrl-C, with how to continue.
pub(super) async fn interrupted(session: &Session, state: &SwapState, author: &str) -> Failure {
    let order = match &state.order {
        Some(order) => Ok(Some(order.clone())),
        None if state.built => find_order(session, state, author).await,
        None => Ok(None),
    };
    Failure::Stopped(match (order, &state.deposit) {
        (Ok(Some(order)), _) => {
            format!("stopped; the order continues. To track it again: {}", session.resume(&order))
        }
        (_, Some(deposit)) => format!(
            "stopped after the deposit {deposit} was signed; the service finds it on the chain, and it is filled or refunded"
        ),
        (Ok(None), None) => "stopped; nothing was signed".to_owned(),
        (Err(error), None) => format!(
            "stopped; whether an order was created is unknown, because the service could not be asked: {error}"
        ),
    })
}

/// The order of a sent deposit: submits the deposit, or finds the order by its quote.
async fn find_order(session: &Session, state: &SwapState, author: &str) -> Result<Option<String>, Error> {
    let client = session.without_interrupt();
    if let Some(deposit) = state.deposit.as_ref().filter(|deposit| deposit.starts_with("0x")) {
        let submit = SubmitAsk {
            quote_id: state.quote_id.clone(),
            route_id: state.route_id.clone(),
            tx_hash: Some(deposit.clone()),
            signed_transaction: None,
            signature: None,
        };
        return client.submit_deposit(&submit).await.map(|submitted| Some(submitted.order_id));
    }
    let page = client.orders(author, &OrderQuery::default()).await?;
    let begun = page.data.into_iter().find(|order| order.quote_id.as_ref() == Some(&state.quote_id));
    Ok(begun.map(|order| order.id))
}
