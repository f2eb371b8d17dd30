use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::OrderId;
use causeway_domain::ports::{OrderSearch, SearchTerm};
use causeway_wire::{ErrorBody, Order, Page};

use super::map_orders;
use crate::App;
use crate::error::ApiResult;
use crate::extract::{QueryParams, parse_address, parse_hash, parse_transaction_id};
use crate::page::{self, cursor_key, fetch_limit, next_cursor};

/// The orders that a hash or an address belongs to, newest first.
///
/// A hash is that of any transaction of the order: its deposit, as submitted or as seen on the chain, its fill, claim or
/// refund; the ids of the order and of its intent find it too. An address is its author, recipient, refund address or
/// deposit address.
#[utoipa::path(
    get,
    path = "/v1/orders/search",
    tag = "orders",
    params(
        (
            "q" = String, Query, description = "A transaction, an address, or an id of the order",
            example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
        ),
        ("limit" = Option<u32>, Query, description = "1 to 100, 20 by default; more is clamped", example = 20),
        ("cursor" = Option<u64>, Query, description = "The `cursor` of the page before"),
    ),
    responses(
        (status = 200, body = Page<Order>),
        (status = 400, description = "ValidationException", body = ErrorBody, example = json!({
            "name": "ValidationException",
            "message": "q: is no transaction, no address and no id of an order",
            "details": { "issues": [{
                "path": "q",
                "message": "is no transaction, no address and no id of an order",
            }] },
        })),
    ),
)]
pub(crate) async fn search_orders(
    State(app): State<Arc<App>>,
    mut params: QueryParams,
) -> ApiResult<Json<Page<Order>>> {
    let text = params.required_text("q");
    let wanted = text.and_then(|text| params.issues.check("q", Wanted::parse(text.trim())));
    let limit = params.limit(page::DEFAULT, page::MAX);
    let before = cursor_key(params.cursor());
    params.finish()?;
    let (mut found, term) = match wanted {
        // An order has one id, and a page of one has no next.
        Some(Wanted::Order(id)) => (app.orders.order(&id).await?.into_iter().collect(), None),
        Some(Wanted::Transaction(tx)) => {
            let intent = match parse_hash(&tx) {
                Ok(hash) => app.orders.order_of_intent(hash).await?,
                Err(_) => None,
            };
            (intent.into_iter().collect(), Some(SearchTerm::Transaction(tx)))
        }
        Some(Wanted::Address(address)) => (Vec::new(), Some(SearchTerm::Address(address))),
        None => (Vec::new(), None),
    };
    found.retain(|order| order.announced && before.is_none_or(|key| order.key < key));
    if let Some(term) = term.filter(|_| found.is_empty()) {
        let query = OrderSearch { term, before, limit: fetch_limit(limit) };
        found = app.orders.search_orders(&query).await?;
    }
    let cursor = next_cursor(&mut found, limit);
    Ok(Json(Page { data: map_orders(&app, &found).await?, cursor }))
}

/// What the text names.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Order(OrderId),
    /// Or an intent: both are hashes.
    Transaction(String),
    Address(causeway_domain::Address),
}

impl Wanted {
    fn parse(text: &str) -> Result<Self, String> {
        if let Ok(tx) = parse_transaction_id(text) {
            return Ok(Self::Transaction(tx));
        }
        match parse_address(text) {
            Ok(address) => Ok(Self::Address(address)),
            // A misspelled address gets an error that says so.
            Err(words) if words.contains("EIP-55") => Err(words),
            Err(_) => text
                .parse()
                .map(Self::Order)
                .map_err(|_| "is no transaction, no address and no id of an order".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_addresses_and_ids_are_told_apart() {
        let hash = format!("0x{}", "aB".repeat(32));
        assert_eq!(Wanted::parse(&hash), Ok(Wanted::Transaction(hash.to_lowercase())));
        let signature = "2".repeat(88);
        assert_eq!(Wanted::parse(&signature), Ok(Wanted::Transaction(signature.clone())));
        let wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        assert!(matches!(Wanted::parse(wallet), Ok(Wanted::Address(_))));
        assert!(matches!(
            Wanted::parse("oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96"),
            Ok(Wanted::Address(_))
        ));
        let misspelled = Wanted::parse(&wallet.replace("f39F", "F39f")).unwrap_err();
        assert!(misspelled.contains("EIP-55"), "{misspelled}");
        for nothing in ["", "0x12", "usdc", "0x", &"7".repeat(300)] {
            assert!(Wanted::parse(nothing).unwrap_err().contains("no id of an order"), "{nothing}");
        }
    }
}
