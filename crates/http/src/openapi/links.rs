//! Links from a response to the operations that continue from it: quote, build, submit, tracking.

use serde_json::{Value, json};
use utoipa::openapi::link::Link;
use utoipa::openapi::{OpenApi as Document, RefOr};

use super::operations;

/// A link of the response 200 of an operation.
struct From {
    operation: &'static str,
    name: &'static str,
    link: Link,
}

/// Calls the operation with one parameter from the response or the request.
fn get(
    operation: &'static str,
    name: &'static str,
    to: &str,
    (parameter, value): (&str, &str),
    words: &str,
) -> From {
    let link = Link::builder().operation_id(to).parameter(parameter, value).description(words);
    From { operation, name, link: link.build() }
}

/// Calls the operation with a body whose fields come from the response or the request.
fn post(operation: &'static str, name: &'static str, to: &str, body: Value, words: &str) -> From {
    let link = Link::builder().operation_id(to).request_body(Some(body)).description(words);
    From { operation, name, link: link.build() }
}

fn links() -> [From; 15] {
    let id = ("orderId", "$response.body#/orderId");
    let intent = ("intentId", "$response.body#/intentId");
    let author = "$response.body#/author";
    let address = ("address", "$response.body#/depositAddress");
    let build = json!({
        "quoteId": "$response.body#/quoteId",
        "routeId": "$response.body#/routes/0/routeId",
        "from": "$request.body#/fromAddress",
        "depositMethod": "$response.body#/routes/0/depositMethods/0",
    });
    let submit = json!({
        "quoteId": "$request.body#/quoteId",
        "routeId": "$request.body#/routeId",
        "txHash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    });
    let buy = json!({ "quoteId": "$response.body#/quotes/0/quoteId", "author": "$request.body#/recipient" });
    let buyer = ("address", "$request.body#/author");
    [
        post("post_quote", "build", "build_deposit", build, "Builds the deposit of the best route."),
        post("build_deposit", "submit", "submit_deposit", submit, "Reports what the wallet has sent."),
        get("build_deposit", "order", "get_order", id, "The order of a `TRANSFER`."),
        get("build_deposit", "address", "get_deposit_address", address, "What came in by a `TRANSFER`."),
        get("submit_deposit", "order", "get_order", id, "The order and its status."),
        get("submit_deposit", "events", "get_events", id, "The order's events as they happen."),
        get("get_order", "intent", "get_intent", intent, "The order as its chain knows it."),
        get("get_order", "attestations", "get_attestations", intent, "What the attesters signed."),
        get("get_order", "orders", "get_orders", ("address", author), "All orders of its author."),
        get("get_order", "intents", "get_intents", ("author", author), "All intents of its author."),
        post("post_fiat_quote", "order", "create_fiat_order", buy, "Orders at the best price."),
        get("create_fiat_order", "order", "get_fiat_order", id, "The purchase."),
        get("create_fiat_order", "status", "get_fiat_status", id, "Its status, to be polled."),
        get("create_fiat_order", "checkout", "get_fiat_widget", id, "The page on which it is paid."),
        get("create_fiat_order", "orders", "get_fiat_orders", buyer, "All purchases of its author."),
    ]
}

/// Adds the links to the responses that they start from.
pub(super) fn add(document: &mut Document) {
    let links = links();
    for operation in operations(document) {
        let own = links.iter().filter(|from| operation.operation_id.as_deref() == Some(from.operation));
        let own = own.map(|from| (from.name.to_owned(), RefOr::T(from.link.clone())));
        if let Some(RefOr::T(response)) = operation.responses.responses.get_mut("200") {
            response.links.extend(own);
        }
    }
}
