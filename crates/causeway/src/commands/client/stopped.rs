use causeway_client::wire::SubmitAsk;
use causeway_client::{Error, OrderQuery};

use super::Session;
use super::failure::Failure;

/// What is known of a swap that is under way, should it be stopped.
#[derive(Clone, Default)]
pub(super) struct Traces {
    pub(super) quote_id: String,
    pub(super) route_id: String,
    /// Whether anything could be signed.
    pub(super) built: bool,
    /// The transaction with the money.
    pub(super) deposit: Option<String>,
    pub(super) order: Option<String>,
}

/// What Ctrl-C leaves behind, and how to go on with it.
pub(super) async fn stopped(session: &Session, traces: &Traces, author: &str) -> Failure {
    let order = match &traces.order {
        Some(order) => Ok(Some(order.clone())),
        None if traces.built => name_order(session, traces, author).await,
        None => Ok(None),
    };
    Failure::Stopped(match (order, &traces.deposit) {
        (Ok(Some(order)), _) => {
            format!("stopped looking; the order goes on. To look again: {}", session.resume(&order))
        }
        (_, Some(deposit)) => format!(
            "stopped after the deposit {deposit} was signed; the service finds it on the chain by itself, and it is filled or comes back"
        ),
        (Ok(None), None) => "stopped before any money moved".to_owned(),
        (Err(error), None) => format!("stopped; whether an order was begun could not be asked: {error}"),
    })
}

/// The order of a deposit that is on its way: it has a name once the service is told, and perhaps it already was.
async fn name_order(session: &Session, traces: &Traces, author: &str) -> Result<Option<String>, Error> {
    let client = session.unstoppable();
    if let Some(deposit) = traces.deposit.as_ref().filter(|deposit| deposit.starts_with("0x")) {
        let told = SubmitAsk {
            quote_id: traces.quote_id.clone(),
            route_id: traces.route_id.clone(),
            tx_hash: Some(deposit.clone()),
            signed_transaction: None,
            signature: None,
        };
        return client.submit_deposit(&told).await.map(|submitted| Some(submitted.order_id));
    }
    let page = client.orders(author, &OrderQuery::default()).await?;
    let begun = page.data.into_iter().find(|order| order.quote_id == traces.quote_id);
    Ok(begun.map(|order| order.id))
}
