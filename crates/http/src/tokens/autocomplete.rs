use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_catalog::SuggestedToken;
use causeway_wire::{Autocomplete, AutocompleteItem, ErrorBody};

use crate::App;
use crate::error::ApiResult;
use crate::extract::{PathParam, QueryParams};
use crate::mapping::{map_chain, map_token};

const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: usize = 50;

/// Parses partial input, such as `100 usdc on base`, and suggests completions.
///
/// `token` is the side that the amount refers to; if both sides were given, the other is in `toToken` or
/// `fromToken`. `parsed` is what was understood, `nextSlots` what is still missing.
#[utoipa::path(
    get,
    path = "/v1/tokens/autocomplete/{keyword}",
    tag = "tokens",
    params(
        ("keyword" = String, Path, description = "What was typed so far", example = "100 usdc on base"),
        ("chainIds" = Option<String>, Query, description = "Only these chains, comma-joined", example = "1,8453"),
        ("limit" = Option<u32>, Query, description = "1 to 50, 10 by default; more is clamped", example = 10),
    ),
    responses(
        (status = 200, body = Autocomplete),
        (status = 400, description = "ValidationException", body = ErrorBody),
    ),
)]
pub(crate) async fn autocomplete(
    State(app): State<Arc<App>>,
    param: PathParam,
    mut params: QueryParams,
) -> ApiResult<Json<Autocomplete>> {
    let keyword = param.keyword(&mut params.issues);
    let chains = params.chain_ids();
    let limit = params.limit(DEFAULT_LIMIT, MAX_LIMIT);
    params.finish()?;
    let snapshot = app.catalog.snapshot();
    let completion = snapshot.autocomplete(&keyword.unwrap_or_default(), &chains, limit, app.prices.as_ref());
    Ok(Json(Autocomplete {
        data: completion.items.into_iter().map(|item| map_item(&app, item)).collect(),
        parsed: completion.parsed,
        next_slots: completion.next_slots.into_iter().map(|slot| slot.as_str().to_owned()).collect(),
    }))
}

fn map_item(app: &App, item: SuggestedToken<'_>) -> AutocompleteItem {
    AutocompleteItem {
        description: item.description,
        chain: map_chain(item.chain, app),
        token: map_token(item.token, app),
        amount: item.amount.map(|amount| amount.to_string()),
        usd_amount: item.usd_amount.map(|amount| amount.to_string()),
        to_token: item.to.map(|(_, token)| map_token(token, app)),
        from_token: item.from.map(|(_, token)| map_token(token, app)),
    }
}
