use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_wire::{ErrorBody, Intent};

use super::get_intent::intent_response;
use crate::App;
use crate::error::ApiResult;
use crate::extract::{QueryParams, parse_transaction_id};

/// The intent of a deposit transaction.
#[utoipa::path(
    get,
    path = "/v1/intent/deposit",
    tag = "intents",
    params(
        ("chainId" = u64, Query, description = "Where the deposit was made", example = 8453),
        (
            "txHash" = String, Query, description = "The deposit's transaction, as seen on the chain or as submitted",
            example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
        ),
    ),
    responses(
        (status = 200, body = Intent),
        (status = 400, description = "ValidationException", body = ErrorBody),
        (status = 404, description = "IntentNotFoundException", body = ErrorBody),
    ),
)]
pub(crate) async fn find_intent(
    State(app): State<Arc<App>>,
    mut params: QueryParams,
) -> ApiResult<Json<Intent>> {
    if !params.has("chainId") {
        params.issues.add("chainId", "is required");
    }
    let chain = params.chain_id("chainId");
    let tx = params.required_text("txHash");
    // The store compares transaction ids verbatim; one of another family than the chain's is found in no order.
    let tx = tx.and_then(|text| params.issues.check("txHash", parse_transaction_id(&text)));
    params.finish()?;
    let order = match chain.zip(tx) {
        Some((chain, tx)) => app.orders.order_of_deposit(chain, &tx).await?,
        None => None,
    };
    intent_response(&app, order).await
}
