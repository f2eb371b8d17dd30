use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_wire::Chain;

use crate::App;
use crate::mapping::map_chain;

/// Lists every supported chain, ordered by id.
#[utoipa::path(get, path = "/v1/chains", tag = "chains", responses((status = 200, body = Vec<Chain>)))]
pub(crate) async fn get_chains(State(app): State<Arc<App>>) -> Json<Vec<Chain>> {
    let snapshot = app.catalog.snapshot();
    Json(snapshot.chains().iter().map(|chain| map_chain(chain, &app)).collect())
}
