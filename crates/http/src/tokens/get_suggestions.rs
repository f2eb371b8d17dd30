use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_wire::{Data, Suggestion};

use crate::App;

/// Lists example inputs that autocomplete understands.
#[utoipa::path(
    get,
    path = "/v1/tokens/autocomplete/suggestions",
    tag = "tokens",
    responses((status = 200, body = Data<Suggestion>)),
)]
pub(crate) async fn get_suggestions(State(app): State<Arc<App>>) -> Json<Data<Suggestion>> {
    let suggestions = app.catalog.snapshot().suggestions();
    let map = |suggestion: causeway_catalog::Suggestion| Suggestion {
        text: suggestion.text.to_owned(),
        description: suggestion.description.to_owned(),
    };
    Json(Data { data: suggestions.into_iter().map(map).collect() })
}
