mod constraints;
mod links;
mod variants;

use std::sync::Arc;

use axum::routing::get;
use causeway_wire::{ErrorName, FiatErrorCode};
use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::Operation;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::{App, chains, deposits, fiat, fillers, hub, intents, operations, orders, qr, quotes, tokens};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Causeway",
        description = "Moves value across chains for wallets and dApps. Raw token amounts are decimal integer \
                       strings; arrays in a query string are comma-joined; every answer carries `x-request-id`. \
                       A service may limit rates, and ask for an API key in the header `x-api-key`: any operation may \
                       answer 401 UnauthorizedException, 429 RateLimitedException or 503 ServiceUnavailableException, \
                       the latter two with `Retry-After`.",
        license(name = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "quotes", description = "Ask the fillers what a swap costs."),
        (name = "deposits", description = "Take a route: build its deposit and submit it."),
        (name = "orders", description = "Swaps and their status."),
        (name = "intents", description = "Swaps by their on-chain intent id."),
        (name = "tokens", description = "The catalog: list, search, autocomplete."),
        (name = "chains", description = "The chains that are supported."),
        (name = "hub", description = "The hub's contracts and its vaults."),
        (name = "qr", description = "QR codes for payment links and transfers, as SVG."),
        (name = "fiat", description = "Buy with fiat: compare providers, order, check out, track."),
        (name = "operations", description = "For operators of the service."),
    ),
    components(schemas(causeway_wire::Issue, causeway_wire::FillerReason, causeway_wire::FiatWidgetEvent)),
)]
struct Api;

/// The documented routes together with their documentation.
pub(crate) fn routes() -> OpenApiRouter<Arc<App>> {
    let mut document = Api::openapi();
    document.extensions =
        Some(ExtensionsBuilder::new().add("x-errors", errors()).add("x-fiat-errors", fiat_errors()).build());
    OpenApiRouter::with_openapi(document)
        .routes(routes!(quotes::post_quote::post_quote))
        .routes(routes!(orders::get_events::get_events))
        .routes(routes!(orders::get_order::get_order))
        .routes(routes!(orders::search_orders::search_orders))
        .routes(routes!(orders::get_orders::get_orders))
        .routes(routes!(orders::get_deposit_address::get_deposit_address))
        .routes(routes!(intents::get_intent::get_intent))
        .routes(routes!(intents::find_intent::find_intent))
        .routes(routes!(intents::get_intents::get_intents))
        .routes(routes!(intents::get_attestations::get_attestations))
        .routes(routes!(fillers::get_fillers::get_fillers))
        .routes(routes!(fillers::get_icon::get_filler_icon))
        .routes(routes!(tokens::get_tokens::get_tokens))
        .routes(routes!(tokens::search_tokens::search_tokens))
        .routes(routes!(tokens::get_top_tokens::get_top_tokens))
        .routes(routes!(tokens::get_balances::get_balances))
        .routes(routes!(tokens::get_icon::get_token_icon))
        .routes(routes!(tokens::get_suggestions::get_suggestions))
        .routes(routes!(tokens::autocomplete::autocomplete))
        // `eth/usdc` of clients that encode nothing; the document has no word for such a path.
        .route("/v1/tokens/autocomplete/{keyword}/{*rest}", get(tokens::autocomplete::autocomplete))
        .routes(routes!(chains::get_chains::get_chains))
        .routes(routes!(chains::get_icon::get_icon))
        .routes(routes!(hub::get_config::get_hub_config))
        .routes(routes!(hub::get_config::get_arcadia_config))
        .routes(routes!(hub::get_vaults::get_vaults))
        .routes(routes!(hub::get_mtokens::get_mtokens))
        .routes(routes!(fiat::get_providers::get_fiat_providers))
        .routes(routes!(fiat::get_config::get_fiat_config))
        .routes(routes!(fiat::post_quote::post_fiat_quote))
        .routes(routes!(fiat::get_status::get_fiat_status))
        .routes(routes!(fiat::get_order::get_fiat_order))
        .routes(routes!(fiat::get_orders::get_fiat_orders))
        .routes(routes!(operations::healthz::healthz))
        .routes(routes!(operations::readyz::readyz))
        .routes(routes!(operations::get_metrics::get_metrics))
        .routes(routes!(operations::get_status::get_status))
}

/// Routes that change something, which are executed once for each idempotency key.
pub(crate) fn keyed_routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(deposits::build_deposit::build_deposit))
        .routes(routes!(deposits::submit_deposit::submit_deposit))
        .routes(routes!(fiat::create_order::create_fiat_order))
}

/// QR code routes. They are not compressed: the images are small and rarely repeat.
pub(crate) fn qr_routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(qr::generic::generic)).routes(routes!(qr::transfer::transfer))
}

/// Routes without CORS headers: the checkout page and the providers' webhooks.
pub(crate) fn no_cors_routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(fiat::wrapper::get_fiat_widget))
        .routes(routes!(fiat::receive_webhook::receive_fiat_webhook))
}

/// All errors of the API, for readers of the document.
fn errors() -> Vec<Value> {
    let row =
        |name: ErrorName| json!({ "name": name.as_str(), "status": name.status(), "when": name.meaning() });
    ErrorName::ALL.into_iter().map(row).collect()
}

/// All error codes of the fiat API.
fn fiat_errors() -> Vec<Value> {
    let row = |code: FiatErrorCode| {
        json!({
            "code": code.as_str(), "name": code.name().as_str(), "status": code.status(),
            "retryable": code.is_retryable(), "when": code.meaning(),
        })
    };
    FiatErrorCode::ALL.into_iter().map(row).collect()
}

/// The API document: what the handlers and wire types declare, what the parsers demand beyond types, and what leads where.
pub fn document() -> Document {
    let mut document =
        routes().merge(keyed_routes()).merge(no_cors_routes()).merge(qr_routes()).into_openapi();
    constraints::add(&mut document);
    links::add(&mut document);
    variants::describe(&mut document);
    document
}

/// All operations of the document.
fn operations(document: &mut Document) -> impl Iterator<Item = &mut Operation> {
    let paths = document.paths.paths.values_mut();
    paths.flat_map(|path| [&mut path.get, &mut path.post, &mut path.put]).flatten()
}
